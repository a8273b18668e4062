import Blocks
import TestSupport

@testable import Filling

/// Readers of one file on a network link, with the real planner and without faults. It measures the
/// cost, and how long the readers wait. One seed is one run.
struct PlannerRun {
  enum Style: CaseIterable, Sendable {
    /// Reads sequentially, as fast as it can.
    case copying
    /// Reads sequentially, at a bit rate.
    case playing
    /// Plays a little in many places.
    case seeking
    /// Reads the head and leaves.
    case looking
  }

  struct Reader {
    let handle: FillState.HandleID
    let style: Style
    /// Bytes a second of a reader that plays.
    let rate: Double
    var position = 0
    /// Bytes that it has still to read.
    var left: Int
    var wait: FillState.WaitID?
    var waitsSince: Duration = .zero
    /// The time of its next read, unless it waits.
    var due: Duration
    /// Bytes read since its last seek.
    var run = 0
    /// The total time that it has waited, without its first read.
    var waited: Duration = .zero
  }

  private struct Transfer {
    var rest: ByteRange
    var begun: Duration = .zero
    var brought = 0
    var next: Duration
    var hasBegun = false
    var connection: SimulatedConnection
  }

  static let step = 128 << 10
  /// The number of bytes that come at once. Fewer are truer, and take longer.
  var packet = 128 << 10
  /// Bytes of a request of the kernel.
  private static let request = FillRules().seeks.kernelRead

  var state: FillState
  var now: Duration = .seconds(100)
  var line: Line
  private(set) var readers: [Reader] = []
  private var transfers: [FetchID: Transfer] = [:]
  private var idle = [SimulatedConnection()]
  /// The cost so far.
  private(set) var requests = 0
  private(set) var fetched = 0
  private(set) var read = 0
  /// The highest cost allowed for the bytes read: see `PlannerTests`.
  private(set) var bound = 0
  private(set) var runs = 0
  private(set) var maxAtOnce = 0
  private(set) var complaint: String?
  /// The waits that have ended.
  private var resumed: Set<FillState.WaitID> = []
  /// Periods in which the link carries nothing.
  var stalls: [(at: Duration, duration: Duration)] = []
  /// Periods in which the machine is busy with other work. What comes meanwhile is noticed at the
  /// end of the period.
  var busyTimes: [(at: Duration, duration: Duration)] = []
  /// The number of fetches that the origin serves at once. It turns others away.
  var places = Int.max
  /// The number of fetches that it has turned away.
  private(set) var turnedAway = 0
  /// The time at which the link changes, and the new link.
  var change: (at: Duration, line: Line)?
  private var random: SeededRandom

  init(length: Int, line: Line, rules: FillRules = FillRules(), seed: UInt64) {
    state = FillState(layout: BlockLayout(length: length), rules: rules, seed: seed)
    self.line = line
    random = SeededRandom(seed: seed)
  }

  var length: Int { state.layout?.length ?? 0 }
  var underWay: Int { transfers.count }

  mutating func opens(_ style: Style, rate: Double = 0, at position: Int = 0, reads: Int) {
    let handle = state.opened()
    var reader = Reader(handle: handle, style: style, rate: rate, left: reads, due: now)
    reader.position = position
    readers.append(reader)
    runs += 1
  }

  /// Runs until every reader has read all it wanted.
  mutating func run() {
    runWatching { _ in }
  }

  mutating func runWatching(_ watch: (PlannerRun) -> Void) {
    var steps = 0
    while complaint == nil, !readers.isEmpty {
      steps += 1
      if steps > 400_000 { return complain("it never ends") }
      next()
      watch(self)
    }
  }

  /// Reads `count` bytes at each of `places`, one place after the other, by the kernel's requests.
  /// Returns how long each took.
  mutating func seeks(_ places: [Int], of count: Int) -> [Duration] {
    let handle = state.opened()
    readsOne(0..<Self.request, by: handle)
    return places.map { place in
      let start = now
      for offset in stride(from: place, to: place + count, by: Self.request) {
        readsOne(offset..<offset + Self.request, by: handle)
      }
      return now - start
    }
  }

  /// Reads `range` for a reader that is not in `readers`.
  private mutating func readsOne(_ range: ByteRange, by handle: FillState.HandleID) {
    guard !state.holds(range) else { return perform(state.noted(range, by: handle, at: now)) }
    let wait = state.newWait()
    perform(state.wants(range, by: handle, as: wait, since: now, at: now))
    while !resumed.contains(wait), complaint == nil {
      let transfer = transfers.min { ($0.value.next, $0.key) < ($1.value.next, $1.key) }
      let wake = state.nextWake(after: now) ?? .seconds(1 << 40)
      if let transfer, transfer.value.next <= wake {
        pass(to: transfer.value.next)
        moves(transfer.key)
      } else {
        pass(to: wake)
        perform(state.tick(now))
      }
    }
  }

  // MARK: Events

  private mutating func next() {
    let transfer = transfers.min { ($0.value.next, $0.key) < ($1.value.next, $1.key) }
    let reader = readers.indices.filter { readers[$0].wait == nil }
      .min { readers[$0].due < readers[$1].due }
    let event = [reader.map { readers[$0].due }, transfer?.value.next].compactMap(\.self).min()
    if let wake = state.nextWake(after: now), event.map({ wake < $0 }) ?? true {
      pass(to: wake)
      perform(state.tick(now))
    } else if let reader, readers[reader].due <= transfer?.value.next ?? .seconds(1 << 40) {
      pass(to: readers[reader].due)
      reads(reader)
    } else if let transfer {
      pass(to: transfer.value.next)
      moves(transfer.key)
    } else {
      complain("a reader waits and nothing is under way")
    }
  }

  private mutating func pass(to time: Duration) {
    now = max(now, time)
    if let change, change.at <= now {
      line = change.line
      self.change = nil
    }
    if let busy = busyTimes.first, busy.at <= now {
      busyTimes.removeFirst()
      now = max(now, busy.at + busy.duration)
    }
    while let stall = stalls.first, stall.at <= now {
      stalls.removeFirst()
      for id in transfers.keys { transfers[id]?.next += stall.duration }
    }
  }

  private mutating func moves(_ id: FetchID) {
    guard var transfer = transfers[id] else { return }
    if !transfer.hasBegun {
      if transfers.values.count(where: \.hasBegun) >= places {
        transfers[id] = nil
        idle.append(transfer.connection)
        turnedAway += 1
        return perform(state.ended(id, .busy(after: nil), at: now))
      }
      transfer.hasBegun = true
      transfer.begun = now
      transfers[id] = transfer
      let time = time(for: transfer)
      transfers[id]?.next += time
      return perform(state.began(id, bytes: transfer.rest, whole: false, at: now))
    }
    let piece = piece(of: transfer.rest)
    fetched += piece.count
    transfer.brought += piece.count
    transfer.rest = piece.upperBound..<transfer.rest.upperBound
    transfer.connection.brought(piece.count, over: line, beside: window)
    transfers[id] = transfer
    let time = time(for: transfer)
    transfers[id]?.next += time
    while let part = state.doubt(in: piece, of: id) {
      perform(state.compared(part, true, in: id, at: now))
    }
    if let accepted = state.accepts(piece, in: id) {
      perform(state.arrived(accepted, in: id, at: now))
    }
    guard transfer.rest.isEmpty, transfers[id] != nil else { return }
    transfers[id] = nil
    transfer.connection.idleSince = now
    idle.append(transfer.connection)
    perform(state.ended(id, .complete, at: now))
  }

  private func piece(of rest: ByteRange) -> ByteRange {
    rest.lowerBound..<min(rest.upperBound, rest.lowerBound + packet)
  }

  private func time(for transfer: Transfer) -> Duration {
    if line.comesInSeconds {
      // A second begins at each whole one of `now`.
      let needed = Double(transfer.brought + piece(of: transfer.rest).count) / line.rate
      let second = transfer.begun.components.seconds + Int64(needed.rounded(.up)) - 1
      return max(.zero, .seconds(second) - now)
    }
    let streaming = transfers.values.count { $0.hasBegun }
    let fair = line.total / Double(max(streaming, 1))
    let rate =
      line.startsSlowly
      ? transfer.connection.rate(over: line, beside: window) : min(line.rate, fair)
    return .seconds(Double(piece(of: transfer.rest).count) / rate)
  }

  /// Bytes of the windows of all connections that bring bytes.
  private var window: Double {
    line.startsSlowly
      ? transfers.values.reduce(0) { $0 + ($1.hasBegun ? $1.connection.window : 0) } : 0
  }

  private mutating func perform(_ actions: [FillState.Action]) {
    for action in actions {
      switch action {
      case .fetch(let id, let bytes, _):
        requests += 1
        let latency = line.latency * (idle.isEmpty ? 2 : 1)
        var connection = idle.isEmpty ? SimulatedConnection() : idle.removeFirst()
        connection.isUsed(over: line, at: now)
        transfers[id] = Transfer(
          rest: bytes.clamped(to: 0..<length), next: now + latency, connection: connection)
        maxAtOnce = max(maxAtOnce, transfers.count)
      case .cancel(let id): transfers[id] = nil
      case .resume(let wait):
        resumed.insert(wait)
        guard let index = readers.firstIndex(where: { $0.wait == wait }) else { continue }
        if readers[index].run > 0 { readers[index].waited += now - readers[index].waitsSince }
        readers[index].wait = nil
        hasRead(index)
      case .fail(_, let error): complain("a read failed: \(error)")
      case .promote, .renew, .becameStale, .played, .suspect, .forget, .follow, .prove, .tooLong,
        .quiet, .compare, .ignoreTags, .fetchTail:
        break
      }
    }
  }

  private mutating func complain(_ text: String) {
    complaint = complaint ?? text
  }
}

// MARK: Readers

extension PlannerRun {
  private mutating func reads(_ index: Int) {
    let reader = readers[index]
    let range = reader.position..<min(reader.position + Self.step, length)
    if state.holds(range) {
      perform(state.noted(range, by: reader.handle, at: now))
      return hasRead(index)
    }
    let wait = state.newWait()
    readers[index].wait = wait
    readers[index].waitsSince = now
    perform(state.wants(range, by: reader.handle, as: wait, since: now, at: now))
  }

  /// Takes the bytes of a read, and schedules the next read.
  private mutating func hasRead(_ index: Int) {
    var reader = readers[index]
    let count = min(Self.step, length - reader.position)
    read += count
    reader.position += count
    reader.run += count
    reader.left -= count
    reader.due = now
    if reader.style == .playing { reader.due += .seconds(Double(count) / reader.rate) }
    if reader.left <= 0 || reader.position >= length { return leaves(reader, at: index) }
    let place = random.below(length / Self.step) * Self.step
    // A jump of less than a mebibyte is no seek.
    if reader.style == .seeking, abs(place - reader.position) > 1 << 20, random.chance(30) {
      bound += Self.cost(of: reader.run)
      runs += 1
      reader.run = 0
      reader.position = place
    }
    readers[index] = reader
  }

  private mutating func leaves(_ reader: Reader, at index: Int) {
    bound += Self.cost(of: reader.run)
    readers.remove(at: index)
    perform(state.closed(reader.handle, at: now))
  }

  /// Returns the most that a run of `run` bytes may cost: the first fetch, and beyond it twice
  /// `run` for each of four lanes, 256 MiB at most.
  private static func cost(of run: Int) -> Int {
    let rules = FillRules()
    let first = rules.heads.firstFetch + BlockLayout.standardBlockSize
    guard run > rules.heads.firstFetch - step else { return run + first }
    let ahead = (Figure.readAheadCost.count - 1) * (run + step)
    return run + first + min(ahead, Figure.maxAhead.bytes)
  }
}
