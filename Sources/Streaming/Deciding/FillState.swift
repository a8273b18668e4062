package import Blocks

/// Decides the fetches, the cancels and the answers to reads for one version.
///
/// Pure: no clock, no I/O, no lock; `now` is time since an arbitrary start. `held` has the complete
/// blocks, and `partial` counts the bytes of begun blocks. So a read ends as soon as its own bytes
/// have come. After a broken answer only its rest is asked for. The first answer proves the length.
/// Before the first answer there is no layout, and only one fetch runs.
package struct FillState: Sendable {
  /// The name of a waiting read or open; unique within one version.
  package typealias WaitID = Identifier<WaitKind>
  /// The name of an open handle, unique within one version.
  package typealias HandleID = Identifier<HandleKind>

  /// Marks the numbers of waits.
  package enum WaitKind {}
  /// Marks the numbers of handles.
  package enum HandleKind {}

  /// A step that the caller must perform.
  package enum Action: Hashable, Sendable {
    case fetch(FetchID, ByteRange, Urgency)
    /// Asks for so many bytes of the end, though the length is not proved.
    case fetchTail(FetchID, Int)
    case cancel(FetchID)
    /// Raises the urgency of this fetch, because a read has begun to wait for it.
    case promote(FetchID)
    case resume(WaitID)
    case fail(WaitID, StreamError)
    /// Asks the feed for a new address, because this one may have expired. `renewed` must follow.
    case renew
    /// Tells the mount that the origin serves another version. This version gets no new bytes.
    case becameStale
    /// Tells the store all suspect ranges: broken answers brought them, and they were not compared.
    case suspect([ByteRange])
    /// Makes the store forget these wrong blocks. Readers got the ranges `read` of them.
    case forget(Range<BlockIndex>, read: [ByteRange])
    /// Tells the mount that a reader has read on for `wholeAfter`.
    case played
    /// Asks for all bytes of a growing body from this offset on.
    case follow(FetchID, from: Int)
    /// The body has ended after so many bytes: makes them a version whose length is proved.
    case prove(Int)
    /// Tells the mount that a body without length has more bytes than are read.
    case tooLong
    /// Tells the mount that nothing is fetched, and nobody has the file open.
    case quiet
    /// Compares these cached bytes with the origin's, whatever tag it names. `compared` must follow.
    case compare(FetchID, [ByteRange])
    /// Tells the origin that its tags do not count for this file.
    case ignoreTags
  }

  package let rules: FillRules
  /// The division of the version into blocks; nil before the length is proved.
  package internal(set) var layout: BlockLayout?
  /// The complete blocks that the store has.
  package internal(set) var held: BlockSet
  package internal(set) var isStale = false
  package internal(set) var mode: NetworkMode
  /// True if the read-ahead is short, because the line is metered or limited.
  package var isSparing = false
  /// True if the origin sends only whole bodies. Then one fetch begins at byte 0, and all readers
  /// wait for it.
  package internal(set) var originLacksRanges = false
  /// True if the store has evicted blocks for new ones.
  var storeIsSmall = false
  /// The number of bytes that have come of each begun block.
  var partial: [BlockIndex: Int] = [:]
  var fetches: [FetchID: Fetch] = [:]
  var suspects: [Suspect] = []
  /// Offsets at which cancelled fetches stopped, or at which broken answers may have ended.
  var openEnds: Set<Int> = []
  /// True if some bytes were wrong, and will be fetched again after a backoff.
  var isWrong = false
  /// The blocks that readers got bytes from.
  var given = BlockSet()
  var waiting: [WaitID: Wait] = [:]
  /// The read-ahead window of each reader. Scanners have none.
  var windows: [HandleID: PrefetchWindow] = [:]
  var lanes: Lanes
  /// The rate at which bytes come from all fetches.
  var throughput = Throughput()
  /// The most fetches that have run at once. There are as many connections.
  var mostFetches = 0
  /// True if there are two connections, because two fetches have run at once or because earlier
  /// files left them.
  var hasHadTwo: Bool { mostFetches > 1 || rules.hasSpareConnection }
  /// The time range in which new fetches are put off. They wait for the end of the only fetch, but
  /// not longer than until the end of this range.
  var putOff: Range<Duration>?
  /// The fetch that opened the second connection, while another fetch was put off.
  var second: FetchID?
  /// A read after a seek that nothing is fetched for yet.
  var hold: Hold?
  /// The time at which bytes came last while a reader that reads on waited.
  var waitedAt: Duration?
  /// The sum of all earlier delays of put-off fetches.
  var waitedForFirst: Duration = .zero
  /// The end of the grace of a reader that has only just gone past its first fetch and waits; nil
  /// if none waits.
  var graceEnd: Duration?
  /// True if the origin has begun an answer while it sent another one.
  var hasServedTwo = false
  /// The time of the last look whether a fetch is too slow for the film.
  var lookedAt: Duration = .zero
  /// The playing time of the file, if known.
  package var duration: Duration?
  /// The bytes of the container's index, cut to `indexLength`. Nil if its place is not known, or if
  /// it is in front.
  var index: ByteRange?
  var isIndexAsked = false
  /// The fetch of the end that was asked for beside the head; nil if none was.
  var tail: Tail?
  /// The parts to preload.
  var preload: [Part] = []
  /// True if preloading rests, because the store has evicted blocks.
  var isPreloadAtRest = false
  /// True if `played` was reported.
  var hasPlayed = false
  var scanners: Set<HandleID> = []
  /// Readers whose reads the daemon does not see. The value is the time from which each counts as
  /// playing.
  var unseen: [HandleID: Duration] = [:]
  /// True if any reader in `unseen` counts as playing.
  var isPlayedUnseen = false
  /// The time until which fetches of the head go on, though the last reader has closed the file,
  /// because it only looked. Nil if none does.
  var reopeningEnd: Duration?
  /// True if the last reader that read on had reached the end when it closed.
  package internal(set) var isPlayedToEnd = false
  /// The part that the origin fails to send; nil if there is none.
  var trouble: FetchTrouble?
  /// The ranges of failed reads. Until the given time, a read that overlaps one fails at once.
  var failures: [(bytes: ByteRange, until: Duration)] = []
  /// True if the feed is being asked for a new address.
  var isRenewing = false
  /// True if the feed is being asked, but the origin too meanwhile, because the address may be good.
  var isAsking = false
  var tags = TagDoubt()
  /// True if the feed was asked for a new address. False again when a fetch has brought bytes, or
  /// when the waiting reads have failed.
  var wasRenewed = false
  /// True while `GrowthState` decides, because the origin does not tell the length.
  package internal(set) var isGrowing = false
  var hasEnded = false
  var jitter: Jitter
  private var lastHandle = HandleID.none
  private var lastWait = WaitID.none
  package internal(set) var lastFetch = FetchID.none

  /// Creates the state with the `layout`, `held` blocks and `suspects` that an earlier use has
  /// left. `seed` is for the jitter of backoffs.
  package init(
    layout: BlockLayout? = nil, held: BlockSet = BlockSet(), suspects: [ByteRange] = [],
    rules: FillRules = FillRules(), mode: NetworkMode = .online, seed: UInt64
  ) {
    self.mode = mode
    self.layout = layout
    self.held = held
    self.rules = rules
    lanes = Lanes(line: rules.line)
    jitter = Jitter(seed: seed)
    restore(suspects)
  }

  // MARK: Readers

  /// Adds a reader that opened the file. A scanner gets no read-ahead, and nothing but the head. A
  /// looker gets read-ahead late.
  package mutating func opened(isScanner: Bool = false, isLooker: Bool = false) -> HandleID {
    lastHandle = lastHandle.next
    withholdAgain()
    if isScanner {
      scanners.insert(lastHandle)
    } else {
      windows[lastHandle] = PrefetchWindow(rules: rules, isLooker: isLooker)
    }
    return lastHandle
  }

  /// Adds a reader whose reads the daemon does not see. It counts as playing after `unseenPlay`.
  package mutating func openedUnseen(at now: Duration) -> HandleID {
    lastHandle = lastHandle.next
    unseen[lastHandle] = now + rules.unseenPlay
    return lastHandle
  }

  /// Returns what the reader of `handle` has read in a row; nil if it is a scanner, or has read nothing.
  package func run(of handle: HandleID, at now: Duration) -> ReadRun? {
    if let end = unseen[handle] {
      let time = now - (end - rules.unseenPlay)
      return ReadRun(
        time: time, bytes: nil, reachesEnd: false, isBegun: time >= rules.unseenPlay)
    }
    guard let window = windows[handle], window.hasRead, !scanners.contains(handle), let layout
    else {
      return nil
    }
    return window.run(at: now, of: layout.length)
  }

  /// Removes the reader of `handle`.
  package mutating func closed(_ handle: HandleID, at now: Duration) -> [Action] {
    if let window = windows[handle], let layout, window.isOpen {
      isPlayedToEnd = window.hasReachedEnd(of: layout.length)
    }
    let wasLook = windows[handle]?.isLook ?? false
    windows[handle] = nil
    unseen[handle] = nil
    isPlayedUnseen = isPlayedUnseen && !unseen.isEmpty
    scanners.remove(handle)
    reopeningEnd = wasLook && !isOpen ? now + rules.reopening : nil
    if !isOpen, reopeningEnd == nil { tail?.isWanted = false }
    return dropUnwanted(sparingNear: true)
  }

  /// Notes a read that was answered, and reads ahead.
  package mutating func noted(
    _ range: ByteRange, by handle: HandleID, at now: Duration
  ) -> [Action] {
    gave(range)
    let begun = moved(to: range, by: handle, at: now)
    let ahead = fetchAhead(by: handle, at: now)
    let actions = begun.isEmpty ? ahead : begun + ahead
    return suspects.isEmpty ? actions : actions + checkSuspects(at: now)
  }

  /// Returns a new name for a wait.
  package mutating func newWait() -> WaitID {
    lastWait = lastWait.next
    return lastWait
  }

  /// Makes the read `wait` wait until all of `range` is cached. The read was made at `start`.
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
    waiting[wait]?.isSeek = windows[handle]?.isSeek(to: range) ?? false
    let dropped = moved(to: range, by: handle, at: now)
    let extent = extent(of: range, by: handle, at: now)
    waiting[wait]?.extent = extent
    waiting[wait]?.readsOn = windows[handle]?.isOpen ?? false
    waiting[wait]?.reader = handle
    let isAtHead = range.lowerBound == 0 && !scanners.contains(handle)
    return dropped + resumeReady() + demand(range, by: handle, as: wait, at: now)
      + (isAtHead ? fetchTail(at: now) : [])
      + fetchAhead(by: handle, at: now) + checkSuspects(at: now)
  }

  /// Makes `wait`, an open of the file, wait for the proof of the length.
  ///
  /// - Parameters:
  ///   - isLooker: whether the program is known to look at the film, and not to play it.
  ///   - isScanner: whether it is known to look at the type of the file alone.
  package mutating func wantsProof(
    as wait: WaitID, isLooker: Bool = false, isScanner: Bool = false, at now: Duration
  ) -> [Action] {
    waiting[wait] = Wait(
      bytes: nil, deadline: deadline(since: now), extent: isLooker ? rules.lookedFetch : 0)
    if hasEnded { return end(wait, .ended) }
    if isStale { return end(wait, .changed) }
    if layout == nil, mode == .offline { return end(wait, .offline) }
    return resumeReady() + demand(at: now) + (isScanner ? [] : fetchTail(at: now))
  }

  /// Ends `wait`, because its reader went away.
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

  /// Ends `wait` with `error`, if it is still waiting.
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
