package import Blocks

/// Decides what to fetch, what to drop, and who may go on, for one representation.
///
/// Pure: no clock, no I/O, no lock; `now` is time since an arbitrary start. Whole blocks are in
/// `held`; of a block in which a fetch is or was at work `partial` counts the bytes, so that a reader
/// goes on as soon as its own bytes are there, and so that only the rest of a broken answer is asked
/// for. Until the first answer has proved the length there is no layout, and only one fetch runs.
package struct FillState: Sendable {
  package typealias WaitID = Int
  package typealias HandleID = Int

  package enum Action: Hashable, Sendable {
    case fetch(FetchID, ByteRange, Urgency)
    case cancel(FetchID)
    /// Somebody has come to wait for this one.
    case hasten(FetchID)
    case resume(WaitID)
    case fail(WaitID, StreamError)
    /// The address may have expired: ask the feed for a new one and tell `renewed`.
    case renew
    /// Another version was seen at the origin: this one gets no new bytes.
    case superseded
    /// The store is to know that answers which broke off brought these, and were not compared.
    case suspect([ByteRange])
    /// The store is to forget these, which are wrong; of them `read` was given to readers.
    case forget(Range<BlockIndex>, read: [ByteRange])
    /// A reader has read on for as long as `wholeAfter` says.
    case played
  }

  struct Fetch: Sendable {
    /// What was asked for, or all there is when the origin answers with the whole.
    var bytes: ByteRange
    /// Up to where bytes have arrived.
    var position: Int
    /// New bytes that it brought.
    var brought = 0
    /// Where these begin.
    var fresh: Int?
    /// Bytes that agreed with what a broken answer had brought.
    var settled = 0
    /// It only compares.
    var isCheck = false
    var urgency: Urgency
    let asked: Duration
    /// When the head of its answer came.
    var begun: Duration?

    var began: Bool { begun != nil }

    var rest: ByteRange { position..<max(position, bytes.upperBound) }
  }

  struct Wait: Sendable {
    /// Nil: waits for the proof of the length.
    var bytes: ByteRange?
    var deadline: Duration
    /// Bytes of a fetch that starts for it, more where the read is longer.
    var extent = 0
    /// Whether the reader has read on before.
    var readsOn = false
  }

  package let rules: FillRules
  package internal(set) var layout: BlockLayout?
  package internal(set) var held: BlockSet
  package internal(set) var isSuperseded = false
  package internal(set) var line: Line
  /// The origin answers with the whole body: one fetch fills from byte 0, and readers wait for it.
  package internal(set) var originLacksRanges = false
  /// The store has let go of blocks for new ones.
  var storeIsSmall = false
  var partial: [BlockIndex: Int] = [:]
  var fetches: [FetchID: Fetch] = [:]
  var suspects: [Suspect] = []
  /// Where what came ends, of answers that were given up, or whose end is not known.
  var openEnds: Set<Int> = []
  /// Some was wrong and is to be fetched again, after a pause.
  var isWrong = false
  /// The blocks that were given to readers.
  var given = BlockSet()
  var waiting: [WaitID: Wait] = [:]
  var windows: [HandleID: PrefetchWindow] = [:]
  var lanes = Lanes()
  /// How fast bytes come, of all fetches.
  var throughput = Throughput()
  /// Two fetches ran at once, so there are two connections.
  var hasHadTwo = false
  /// Something is asked for when the only fetch has ended, or looked at again at the end of this time.
  var putOff: Range<Duration>?
  /// For how long things were put off before, all together.
  var waitedForFirst: Duration = .zero
  /// For how long the file plays, where that is known.
  package var duration: Duration?
  /// What the container's index takes up, where that is known and not all of it was there.
  var index: ByteRange?
  var isIndexAsked = false
  /// What is fetched though nobody reads it.
  var preload: [Part] = []
  /// The store did not keep what was fetched of that.
  var isPreloadAtRest = false
  /// Whether `played` was told.
  var hasPlayed = false
  var scanners: Set<HandleID> = []
  /// Whose reads are not seen here, and from when on they count as playing.
  var unseen: [HandleID: Duration] = [:]
  var isPlayedUnseen = false
  /// Whether the last who read on had got to the end when he left.
  package internal(set) var isPlayedToEnd = false
  var trouble: FetchTrouble?
  var failures: [(bytes: ByteRange, until: Duration)] = []
  var isRenewing = false
  var wasRenewed = false
  var hasEnded = false
  var jitter: Jitter
  private var lastHandle = 0
  private var lastWait = 0
  var lastFetch = 0

  /// `layout` and `held` are what is known from an earlier time; `seed` is for the jitter of waits.
  package init(
    layout: BlockLayout? = nil, held: BlockSet = BlockSet(), suspects: [ByteRange] = [],
    rules: FillRules = FillRules(), line: Line = .open, seed: UInt64
  ) {
    self.line = line
    self.layout = layout
    self.held = held
    self.rules = rules
    jitter = Jitter(seed: seed)
    restore(suspects)
  }

  // MARK: Questions

  /// Whether every byte of `range` can be read now. Allocates nothing.
  package func holds(_ range: ByteRange) -> Bool {
    isThere(range) && !isWithheld(range)
  }

  /// Whether every byte of `range` has come, be it suspect or not.
  func isThere(_ range: ByteRange) -> Bool {
    guard let layout else { return false }
    let range = range.clamped(to: 0..<layout.length)
    var blocks = layout.blocks(touching: range)
    while let missing = held.firstMissing(in: blocks) {
      let start = missing.value * layout.blockSize
      let needed = min(range.upperBound - start, layout.blockSize)
      guard partial[missing, default: 0] >= needed else { return false }
      blocks = missing.advanced(by: 1)..<blocks.upperBound
    }
    return true
  }

  package var isComplete: Bool {
    layout.map { held.contains(all: $0.all) } ?? false
  }

  /// Bytes a second at which the file plays, where that is known.
  var playRate: Int? {
    guard let layout, let duration, duration >= .seconds(1) else { return nil }
    return Int(Double(layout.length) / (duration / .seconds(1)))
  }

  package var isFetching: Bool { !fetches.isEmpty }
  package var waitingCount: Int { waiting.count }
  package var hasHandles: Bool { !windows.isEmpty }
  package var isOpen: Bool { hasHandles || !unseen.isEmpty || !scanners.isEmpty }

  /// Whether an answer to `fetch` is still wanted.
  package func accepts(_ fetch: FetchID) -> Bool {
    fetches[fetch] != nil
  }

  /// When `tick` should be called next; nil: it need not be.
  package func nextWake(after now: Duration) -> Duration? {
    let play = unseen.values.filter { $0 > now }.min()
    let retry = trouble.map(\.notBefore).flatMap { $0 > now ? $0 : nil }
    let check = isWrong || !suspects.isEmpty && isOpen ? retry : nil
    guard let deadline = waiting.values.map(\.deadline).min() else {
      return [play, check].compactMap(\.self).min()
    }
    let again = (putOff?.upperBound).flatMap { $0 > now ? $0 : nil }
    return [deadline, retry, play, again, endOfWithholding].compactMap(\.self).min()
  }

  // MARK: Readers

  /// A reader opened the file; for a scanner nothing is fetched ahead, and only the head at all.
  package mutating func opened(isScanner: Bool = false) -> HandleID {
    lastHandle += 1
    withholdAgain()
    if isScanner {
      scanners.insert(lastHandle)
    } else {
      windows[lastHandle] = PrefetchWindow(rules: rules)
    }
    return lastHandle
  }

  /// A reader opened the file whose reads others answer: who has it open for long plays it.
  package mutating func openedUnseen(at now: Duration) -> HandleID {
    lastHandle += 1
    unseen[lastHandle] = now + rules.unseenPlay
    return lastHandle
  }

  /// The reader of `handle` left.
  package mutating func closed(_ handle: HandleID) -> [Action] {
    if let window = windows[handle], let layout, window.isOpen {
      isPlayedToEnd = window.hasReachedEnd(of: layout.length)
    }
    windows[handle] = nil
    unseen[handle] = nil
    isPlayedUnseen = isPlayedUnseen && !unseen.isEmpty
    scanners.remove(handle)
    return dropUnwanted(sparingNear: true)
  }

  /// A read was made: what follows for what is fetched ahead.
  package mutating func noted(
    _ range: ByteRange, by handle: HandleID, at now: Duration
  ) -> [Action] {
    gave(range)
    let actions = moved(to: range, by: handle, at: now) + fetchAhead(by: handle, at: now)
    return suspects.isEmpty ? actions : actions + checkSuspects(at: now)
  }

  /// A name for a wait, not used before.
  package mutating func newWait() -> WaitID {
    lastWait += 1
    return lastWait
  }

  /// The read `wait`, which was made at `start`, waits until all of `range` is held.
  package mutating func wants(
    _ range: ByteRange, by handle: HandleID, as wait: WaitID, since start: Duration,
    at now: Duration
  ) -> [Action] {
    waiting[wait] = Wait(bytes: range, deadline: deadline(since: start))
    failures.removeAll { $0.until <= now }
    if hasEnded { return end(wait, .ended) }
    withhold(range, at: now)
    if !isThere(range) {
      if isSuperseded { return end(wait, .changed) }
      if line == .offline { return end(wait, .offline) }
      if failures.contains(where: { $0.bytes.overlaps(range) }) { return end(wait, .unreachable) }
      if scanners.contains(handle), range.upperBound > rules.scannedHead {
        return end(wait, .withheld)
      }
    }
    let dropped = moved(to: range, by: handle, at: now)
    waiting[wait]?.extent = windows[handle]?.demand ?? rules.firstFetch
    waiting[wait]?.readsOn = windows[handle]?.isOpen ?? false
    return dropped + resumeReady() + demand(at: now) + fetchAhead(by: handle, at: now)
      + checkSuspects(at: now)
  }

  /// The open `wait` waits for the proof of the length.
  package mutating func wantsProof(as wait: WaitID, at now: Duration) -> [Action] {
    waiting[wait] = Wait(bytes: nil, deadline: deadline(since: now))
    if hasEnded { return end(wait, .ended) }
    if isSuperseded { return end(wait, .changed) }
    if layout == nil, line == .offline { return end(wait, .offline) }
    return resumeReady() + demand(at: now)
  }

  /// The reader of `wait` went away.
  package mutating func abandoned(_ wait: WaitID) -> [Action] {
    guard waiting[wait] != nil else { return [] }
    return end(wait, .interrupted) + dropUnwanted()
  }

  /// Nothing is fetched or waited for any more.
  package mutating func ended() -> [Action] {
    hasEnded = true
    let failed = waiting.keys.sorted().flatMap { end($0, .ended) }
    return failed + dropAll()
  }

  // MARK: Shared

  mutating func end(_ wait: WaitID, _ error: StreamError) -> [Action] {
    waiting.removeValue(forKey: wait) == nil ? [] : [.fail(wait, error)]
  }

  /// Those who have what they wait for go on.
  mutating func resumeReady() -> [Action] {
    guard !waiting.isEmpty, layout != nil else { return [] }
    let ready = waiting.filter { $0.value.bytes.map(holds) ?? true }.keys.sorted()
    for wait in ready {
      if let bytes = waiting[wait]?.bytes { gave(bytes) }
      waiting[wait] = nil
    }
    return ready.map { .resume($0) }
  }
}
