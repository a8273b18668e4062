import Blocks
import Filling
import Testing

extension Int {
  var kib: Int { self << 10 }
  var mib: Int { self << 20 }
}

/// Bytes of the first fetch of a cold read.
let firstFetch = FillRules().heads.firstFetch

/// A `FillState` with a clock, and an origin that answers as the test says.
struct Scene {
  var state: FillState
  var now: Duration = .seconds(100)
  /// All fetches, in order.
  private(set) var asked: [(fetch: FetchID, bytes: ByteRange, urgency: Urgency)] = []
  /// All fetches of an end before the length was proved, in order.
  private(set) var tails: [(fetch: FetchID, count: Int)] = []
  private(set) var cancelled: [FetchID] = []
  /// All comparisons with the origin, in order.
  private(set) var comparisons: [(id: FetchID, places: [ByteRange])] = []
  /// True when fetched bytes agree with the cached ones.
  var agrees = true
  /// The ranges that the store was told to suspect, and those that it was told to forget.
  private(set) var told: [[ByteRange]] = []
  private(set) var forgotten: [(blocks: Range<BlockIndex>, read: [ByteRange])] = []

  init(
    length: Int? = 64.mib, cached: ByteRange = 0..<0, suspects: [ByteRange] = [],
    rules: FillRules = FillRules()
  ) {
    let layout = length.map { BlockLayout(length: $0) }
    let blocks = layout.map { BlockSet($0.blocks(touching: cached)) } ?? BlockSet()
    state = FillState(
      layout: layout, cachedBlocks: blocks, suspects: suspects, rules: rules, seed: 1)
  }

  /// The ranges of all fetches, in order.
  var requests: [ByteRange] { asked.map(\.bytes) }

  /// The fetches that are under way.
  var underWay: [FetchID] {
    asked.map(\.fetch).filter(state.accepts)
  }

  /// A scene whose first fetch began `latency` after its request, and has brought `count` bytes in
  /// `time`.
  static func bringing(
    _ count: Int, after latency: Duration, in time: Duration, rules: FillRules = .init()
  ) -> Scene {
    var scene = Scene(rules: rules)
    let handle = scene.state.opened()
    scene.read(0..<128.kib, by: handle)
    scene.now += latency
    scene.begin(1)
    scene.now += time
    scene.give(0..<count, in: 1)
    return scene
  }

  // MARK: Events

  @discardableResult
  mutating func event(_ change: (inout FillState) -> [FillState.Action]) -> [FillState.Action] {
    let actions = change(&state)
    for action in actions {
      switch action {
      case .fetch(let fetch, let bytes, let urgency): asked.append((fetch, bytes, urgency))
      case .fetchTail(let fetch, let count): tails.append((fetch, count))
      case .cancel(let fetch): cancelled.append(fetch)
      case .suspect(let ranges): told.append(ranges)
      case .forget(let blocks, let read): forgotten.append((blocks, read))
      case .compare(let id, let places): comparisons.append((id, places))
      case .promote, .resume, .fail, .renew, .becameStale, .played, .follow, .prove, .tooLong,
        .quiet, .ignoreTags:
        break
      }
    }
    return actions
  }

  /// Reads `range` and waits for missing bytes; returns the wait's name and the actions.
  @discardableResult
  mutating func read(
    _ range: ByteRange, by handle: FillState.HandleID
  ) -> (wait: FillState.WaitID, actions: [FillState.Action]) {
    let wait = state.newWait()
    let now = now
    return (
      wait, event { $0.wants(range, by: handle, as: wait, since: now, at: now) }
    )
  }

  /// Notes a read of cached bytes.
  @discardableResult
  mutating func note(
    _ range: ByteRange, by handle: FillState.HandleID
  ) -> [FillState.Action] {
    let now = now
    return event { $0.noted(range, by: handle, at: now) }
  }

  @discardableResult
  mutating func begin(_ fetch: FetchID, whole length: Int? = nil) -> [FillState.Action] {
    let bytes = length.map { 0..<$0 } ?? bytes(of: fetch)
    let now = now
    return event { $0.began(fetch, bytes: bytes, whole: length != nil, at: now) }
  }

  @discardableResult
  mutating func give(_ bytes: ByteRange, in fetch: FetchID) -> [FillState.Action] {
    let (now, agrees) = (now, agrees)
    var actions: [FillState.Action] = []
    while let part = state.doubt(in: bytes, of: fetch) {
      actions += event { $0.compared(part, agrees, in: fetch, at: now) }
    }
    guard let accepted = state.accepts(bytes, in: fetch) else { return actions }
    return actions + event { $0.arrived(accepted, in: fetch, at: now) }
  }

  @discardableResult
  mutating func end(_ fetch: FetchID, _ end: FetchEnd) -> [FillState.Action] {
    let now = now
    return event { $0.ended(fetch, end, at: now) }
  }

  /// Closes the file of one reader.
  @discardableResult
  mutating func close(_ handle: FillState.HandleID) -> [FillState.Action] {
    let now = now
    return event { $0.closed(handle, at: now) }
  }

  @discardableResult
  mutating func pass(_ duration: Duration) -> [FillState.Action] {
    now += duration
    let now = now
    return event { $0.tick(now) }
  }

  /// Leaves only later requests in `requests`. No fetch may be under way.
  mutating func forgetRequests() {
    precondition(underWay.isEmpty)
    asked = []
  }

  // MARK: A healthy origin

  /// Answers `fetch` completely.
  mutating func serve(_ fetch: FetchID) {
    begin(fetch)
    give(bytes(of: fetch), in: fetch)
    end(fetch, .complete)
  }

  mutating func serveAll() {
    while let fetch = underWay.first { serve(fetch) }
  }

  /// Reads sequentially from `range.lowerBound` in steps, each served before the next.
  mutating func scan(_ range: ByteRange, by handle: FillState.HandleID, step: Int = 128.kib) {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: step) {
      read(start..<min(start + step, range.upperBound), by: handle)
      serveAll()
    }
  }

  func bytes(of fetch: FetchID) -> ByteRange {
    let asked = asked.first { $0.fetch == fetch }?.bytes ?? 0..<0
    return asked.clamped(to: 0..<(state.layout?.length ?? .max))
  }
}
