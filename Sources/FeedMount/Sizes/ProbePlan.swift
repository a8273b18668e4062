import Quantities

/// Decides which size is asked for next, and when.
///
/// A value that decides and does nothing. Each origin has its own queue, and is asked at an even
/// pace: films before the files beside them, and of these the newest first. An origin that is busy,
/// silent or used up for today rests. All times are those of one clock, from an arbitrary start.
struct ProbePlan<Name: Hashable & Sendable, Feed: Hashable & Sendable>: Sendable {
  /// A file whose exact size is not known.
  struct Wish: Hashable, Sendable {
    let name: Name
    let origin: String
    /// Whether it is a file beside a film.
    let isBeside: Bool
    /// Seconds since 1970.
    let modified: Int
  }

  enum Step: Equatable, Sendable {
    /// Ask for this size now. `ended` must follow.
    case ask(Name, of: String)
    /// Nothing may be asked before this time.
    case wait(until: Duration)
    /// Nothing is left to ask, or nothing may be asked.
    case nothing
  }

  /// The end of a question.
  enum End: Hashable, Sendable {
    /// The size is known, or will be found in another way.
    case known
    /// The answer proves no size.
    case refused
    /// No answer came, or a broken one.
    case silent
    /// The origin wants to be left alone, for this time if it says so.
    case busy(Duration?)
    /// The question was not answered because it was taken back.
    case takenBack
  }

  /// The time between two questions at an origin.
  static var pace: Duration { .milliseconds(500) }
  /// The most questions at an origin that wait for an answer.
  static var maxAtOnce: Int { 2 }
  /// The shortest rest of an origin that was busy.
  static var busyPause: Duration { .seconds(3600) }
  private struct Origin: Equatable, Sendable {
    var running: Set<Name> = []
    /// The time from which it may be asked.
    var next: Duration = .zero
    /// The rest after a silent answer. Any other answer starts it again.
    var silence = Backoff(from: .seconds(60), to: .seconds(3600))
  }

  private var wishes: [Feed: [Wish]] = [:]
  /// The wishes of all feeds, by origin, in the order in which they are asked.
  private var queues: [String: [Wish]] = [:]
  private var origins: [String: Origin] = [:]
  /// The files whose question was refused. They are not asked again, since it is not known when
  /// another answer would come. An open asks by itself.
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

  /// Notes that the origin may not be asked before `time`.
  mutating func closed(_ origin: String, until time: Duration) {
    pause(origin, until: time)
  }

  /// Notes the end of a question.
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

  /// Returns the next step. A question that it returns counts as asked.
  ///
  /// - Parameter mayAsk: whether the network may be used for background work.
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
