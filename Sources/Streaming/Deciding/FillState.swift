package import Blocks

/// Decides what to fetch, what to cancel and which reads go on, for one version.
///
/// Pure: no clock, no I/O, no lock; `now` is time since an arbitrary start. Complete blocks are in
/// `held`; `partial` counts the bytes of blocks that a fetch has begun. So a read goes on as soon
/// as its own bytes are there, and only the rest of a broken answer is asked for. Until the first
/// answer has proved the length there is no layout, and only one fetch runs.
package struct FillState: Sendable {
  /// The name of a read, or an open, that waits; unique within one version.
  package typealias WaitID = Identifier<WaitKind>
  /// The name of an open handle, unique within one version.
  package typealias HandleID = Identifier<HandleKind>

  /// Marks the numbers of waits.
  package enum WaitKind {}
  /// Marks the numbers of handles.
  package enum HandleKind {}

  package enum Action: Hashable, Sendable {
    case fetch(FetchID, ByteRange, Urgency)
    case cancel(FetchID)
    /// A read has begun to wait for this fetch.
    case promote(FetchID)
    case resume(WaitID)
    case fail(WaitID, StreamError)
    /// The address may have expired: ask the feed for a new one, then call `renewed`.
    case renew
    /// The origin serves another version: this one gets no new bytes.
    case becameStale
    /// The store must note that broken answers brought these ranges, which were not compared.
    case suspect([ByteRange])
    /// The store must forget these blocks, which are wrong; readers got `read` of them.
    case forget(Range<BlockIndex>, read: [ByteRange])
    /// A reader has read on for `wholeAfter`.
    case played
  }

  struct Fetch: Sendable {
    /// The range asked for, or the range of the answer once that has begun.
    var bytes: ByteRange
    /// The offset up to which bytes have come.
    var position: Int
    /// The number of new bytes that came.
    var brought = 0
    /// The offset of the first new byte.
    var fresh: Int?
    /// Bytes that agreed with those of a broken answer.
    var settled = 0
    /// The fetch only compares.
    var isCheck = false
    var urgency: Urgency
    let asked: Duration
    /// The time at which the head of the answer came.
    var begun: Duration?

    var began: Bool { begun != nil }

    var rest: ByteRange { position..<max(position, bytes.upperBound) }
  }

  struct Wait: Sendable {
    /// Nil: waits for the proof of the length.
    var bytes: ByteRange?
    var deadline: Duration
    /// Bytes of the fetch that starts for this wait; more if the read is longer.
    var extent = 0
    /// Whether the reader has read on before.
    var readsOn = false
  }

  package let rules: FillRules
  package internal(set) var layout: BlockLayout?
  package internal(set) var held: BlockSet
  package internal(set) var isStale = false
  package internal(set) var mode: NetworkMode
  /// The origin sends only whole bodies: one fetch fills from byte 0, and readers wait for it.
  package internal(set) var originLacksRanges = false
  /// The store has evicted blocks for new ones.
  var storeIsSmall = false
  var partial: [BlockIndex: Int] = [:]
  var fetches: [FetchID: Fetch] = [:]
  var suspects: [Suspect] = []
  /// Offsets at which cancelled fetches stopped, or which may be the ends of broken answers.
  var openEnds: Set<Int> = []
  /// Some bytes were wrong, and will be fetched again after a backoff.
  var isWrong = false
  /// The blocks that readers got.
  var given = BlockSet()
  var waiting: [WaitID: Wait] = [:]
  var windows: [HandleID: PrefetchWindow] = [:]
  var lanes = Lanes()
  /// The rate at which bytes come from all fetches.
  var throughput = Throughput()
  /// Two fetches ran at once, so there are two connections.
  var hasHadTwo = false
  /// The delay of put-off fetches: until the only fetch ends, at most until the end of this range.
  var putOff: Range<Duration>?
  /// The sum of all earlier delays.
  var waitedForFirst: Duration = .zero
  /// How long the file plays, if known.
  package var duration: Duration?
  /// The bytes of the container's index, up to `indexLength`, if they are known and not in front.
  var index: ByteRange?
  var isIndexAsked = false
  /// The parts to preload.
  var preload: [Part] = []
  /// The store has evicted blocks, so preloading rests.
  var isPreloadAtRest = false
  /// Whether `played` was reported.
  var hasPlayed = false
  var scanners: Set<HandleID> = []
  /// Readers whose reads are not seen here, each with the time from which it counts as playing.
  var unseen: [HandleID: Duration] = [:]
  var isPlayedUnseen = false
  /// Whether the last reader that read on had reached the end when it closed.
  package internal(set) var isPlayedToEnd = false
  var trouble: FetchTrouble?
  var failures: [(bytes: ByteRange, until: Duration)] = []
  var isRenewing = false
  var wasRenewed = false
  var hasEnded = false
  var jitter: Jitter
  private var lastHandle = HandleID.none
  private var lastWait = WaitID.none
  var lastFetch = FetchID.none

  /// `layout` and `held` are known from an earlier time; `seed` is for the jitter of backoffs.
  package init(
    layout: BlockLayout? = nil, held: BlockSet = BlockSet(), suspects: [ByteRange] = [],
    rules: FillRules = FillRules(), mode: NetworkMode = .online, seed: UInt64
  ) {
    self.mode = mode
    self.layout = layout
    self.held = held
    self.rules = rules
    jitter = Jitter(seed: seed)
    restore(suspects)
  }

  // MARK: Readers

  /// Adds a reader that opened the file. A scanner gets no read-ahead, and nothing but the head.
  package mutating func opened(isScanner: Bool = false) -> HandleID {
    lastHandle = lastHandle.next
    withholdAgain()
    if isScanner {
      scanners.insert(lastHandle)
    } else {
      windows[lastHandle] = PrefetchWindow(rules: rules)
    }
    return lastHandle
  }

  /// Adds a reader whose reads are answered elsewhere: it counts as playing after `unseenPlay`.
  package mutating func openedUnseen(at now: Duration) -> HandleID {
    lastHandle = lastHandle.next
    unseen[lastHandle] = now + rules.unseenPlay
    return lastHandle
  }

  /// Removes the reader of `handle`.
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

  /// Notes a read that was answered, and reads ahead.
  package mutating func noted(
    _ range: ByteRange, by handle: HandleID, at now: Duration
  ) -> [Action] {
    gave(range)
    let actions = moved(to: range, by: handle, at: now) + fetchAhead(by: handle, at: now)
    return suspects.isEmpty ? actions : actions + checkSuspects(at: now)
  }

  /// Returns a new name for a wait.
  package mutating func newWait() -> WaitID {
    lastWait = lastWait.next
    return lastWait
  }

  /// Lets the read `wait`, which was made at `start`, wait until all of `range` is cached.
  package mutating func wants(
    _ range: ByteRange, by handle: HandleID, as wait: WaitID, since start: Duration,
    at now: Duration
  ) -> [Action] {
    waiting[wait] = Wait(bytes: range, deadline: deadline(since: start))
    failures.removeAll { $0.until <= now }
    if hasEnded { return end(wait, .ended) }
    withhold(range, at: now)
    if !isThere(range) {
      if isStale { return end(wait, .changed) }
      if mode == .offline { return end(wait, .offline) }
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

  /// Lets `wait`, an open of the file, wait for the proof of the length.
  package mutating func wantsProof(as wait: WaitID, at now: Duration) -> [Action] {
    waiting[wait] = Wait(bytes: nil, deadline: deadline(since: now))
    if hasEnded { return end(wait, .ended) }
    if isStale { return end(wait, .changed) }
    if layout == nil, mode == .offline { return end(wait, .offline) }
    return resumeReady() + demand(at: now)
  }

  /// Ends `wait`: its reader went away.
  package mutating func abandoned(_ wait: WaitID) -> [Action] {
    guard waiting[wait] != nil else { return [] }
    return end(wait, .interrupted) + dropUnwanted()
  }

  /// Ends all waits and fetches for good.
  package mutating func ended() -> [Action] {
    hasEnded = true
    let failed = waiting.keys.sorted().flatMap { end($0, .ended) }
    return failed + dropAll()
  }

  // MARK: Shared

  mutating func end(_ wait: WaitID, _ error: StreamError) -> [Action] {
    waiting.removeValue(forKey: wait) == nil ? [] : [.fail(wait, error)]
  }

  /// Resumes the waits that have what they need.
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
