import Quantities

/// Decides which size is asked for next, and when.
///
/// A value that only decides: its caller sends the requests. Each origin has its own queue, and is
/// asked at an even pace. Media files come before sidecars, and newer files before older ones. An
/// origin is not asked for a while if it is busy, did not answer, or has no budget left today. All
/// times are those of one clock, from an arbitrary start.
struct ProbePlan<Name: Hashable & Sendable, Feed: Hashable & Sendable>: Sendable {
  /// A file whose exact size is not known.
  struct Wish: Hashable, Sendable {
    let name: Name
    let origin: String
    /// Whether the file is a sidecar of an entry or of the feed.
    let isBeside: Bool
    /// The modification time of the file, in seconds since 1970.
    let modified: Int
  }

  enum Step: Equatable, Sendable {
    /// Ask this origin for this size now. The caller must then report the result by `ended`.
    case ask(Name, of: String)
    /// No origin is allowed to be asked before this time.
    case wait(until: Duration)
    /// No request can be sent before the next event: no size is wanted, each origin has as many
    /// requests as `maxAtOnce` allows, or background work is not allowed to use the network.
    case nothing
  }

  /// How an attempt to learn a size ended.
  enum End: Hashable, Sendable {
    /// The size is known, or is not wanted any more.
    case known
    /// An answer came, and it proves no size.
    case refused
    /// No answer came, or the answer broke off.
    case silent
    /// The origin asks for a pause. Nil if it does not say how long.
    case busy(Duration?)
    /// The request was cancelled, or not sent at all.
    case takenBack
  }

  /// The shortest time between two requests to one origin.
  static var pace: Duration { .milliseconds(500) }
  /// The largest number of requests to one origin that wait for an answer at the same time.
  static var maxAtOnce: Int { 2 }
  /// The shortest pause after an origin was busy.
  static var busyPause: Duration { .seconds(3600) }
  private struct Origin: Equatable, Sendable {
    var running: Set<Name> = []
    /// The origin is not asked before this time.
    var next: Duration = .zero
    /// The pause after an attempt that ended as `silent`. It doubles each time. A known size or a
    /// refusal resets it.
    var silence = Backoff(from: .seconds(60), to: .seconds(3600))
  }

  private var wishes: [Feed: [Wish]] = [:]
  /// The wishes of all feeds, by origin, in the order in which they are asked.
  private var queues: [String: [Wish]] = [:]
  private var origins: [String: Origin] = [:]
  /// The files whose answer proved no size. They are not asked for again, because nothing tells
  /// when the answer will change. A program that opens one of these files causes a request anyway.
  private var refused: Set<Name> = []

  // MARK: Events

  /// Replaces the wishes of one feed.
  mutating func wants(_ wanted: [Wish], of feed: Feed) {
    wishes[feed] = wanted.isEmpty ? nil : wanted
    queues = Dictionary(grouping: wishes.values.joined(), by: \.origin).mapValues { queue in
      queue.sorted { $0.isBeside == $1.isBeside ? $0.modified > $1.modified : $1.isBeside }
    }
    let names = Set(queues.values.joined().map(\.name))
    refused.formIntersection(names)
    origins = origins.filter { queues[$0.key] != nil || $0.value != Origin() }
  }

  /// Notes that the origin is not allowed to be asked before `time`.
  mutating func closed(_ origin: String, until time: Duration) {
    pause(origin, until: time)
  }

  /// Notes how the attempt for `name` ended.
  mutating func ended(_ name: Name, of origin: String, _ end: End, at now: Duration) {
    origins[origin]?.running.remove(name)
    switch end {
    case .known:
      forget(name, of: origin)
      origins[origin]?.silence.reset()
    case .refused:
      refused.insert(name)
      forget(name, of: origin)
      origins[origin]?.silence.reset()
    case .silent:
      let silence = origins[origin, default: Origin()].silence.failed()
      pause(origin, until: now + silence)
    case .busy(let wait):
      pause(origin, until: now + max(wait ?? .zero, Self.busyPause))
    case .takenBack: break
    }
  }

  // MARK: Decisions

  /// Returns the next step. A file returned with `ask` counts as running until the caller reports
  /// its end by `ended`.
  ///
  /// - Parameter mayAsk: whether background work is allowed to use the network.
  mutating func next(at now: Duration, mayAsk: Bool) -> Step {
    guard mayAsk else { return .nothing }
    var earliest: Duration?
    for (name, queue) in queues.sorted(by: { $0.key < $1.key }) {
      let origin = origins[name] ?? Origin()
      guard origin.running.count < Self.maxAtOnce else { continue }
      let free = queue.first {
        !origin.running.contains($0.name) && !refused.contains($0.name)
      }
      guard let first = free else { continue }
      guard origin.next <= now else {
        earliest = min(earliest ?? origin.next, origin.next)
        continue
      }
      origins[name, default: Origin()].next = now + Self.pace
      origins[name]?.running.insert(first.name)
      return .ask(first.name, of: name)
    }
    return earliest.map { .wait(until: $0) } ?? .nothing
  }

  // MARK: Private

  private mutating func pause(_ origin: String, until time: Duration) {
    let next = origins[origin]?.next ?? .zero
    origins[origin, default: Origin()].next = max(next, time)
  }

  private mutating func forget(_ name: Name, of origin: String) {
    queues[origin]?.removeAll { $0.name == name }
    if queues[origin]?.isEmpty ?? false { queues[origin] = nil }
    for feed in wishes.keys { wishes[feed]?.removeAll { $0.name == name } }
  }
}
