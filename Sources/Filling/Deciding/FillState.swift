package import Blocks

/// Decides about one version: which fetches start and which are cancelled, and when reads get an
/// answer.
///
/// Pure: no clock, no I/O, no lock; `now` is the time since an arbitrary start. A read ends as soon
/// as its own bytes have come. After a broken answer, only the missing bytes are requested. The
/// first answer proves the length. Before it, there is no layout, and only one fetch runs, at most
/// with a second one for the last bytes of the file.
package struct FillState: Sendable {
  package typealias WaitID = Filling.WaitID
  package typealias HandleID = Filling.HandleID

  /// A step that the caller must perform.
  package enum Action: Hashable, Sendable {
    /// Requests this range.
    case fetch(FetchID, ByteRange, Urgency)
    /// Requests this many bytes at the end of the version, whose length is not proved yet.
    case fetchTail(FetchID, Int)
    case cancel(FetchID)
    /// Raises the urgency of this fetch to `demand`, because a read has begun to wait for its
    /// bytes.
    case promote(FetchID)
    /// Gives this read or open the bytes or the proved version that it waits for.
    case resume(WaitID)
    /// Ends this read or open with an error.
    case fail(WaitID, ReadError)
    /// Asks the feed for a new address, because this one may have expired. The caller must report
    /// the answer by `renewed`.
    case renew
    /// Tells the mount that the origin serves another version. This version gets no new bytes.
    case becameStale
    /// Tells the store all suspect ranges. They came in answers that broke off, and were not
    /// compared yet.
    case suspect([ByteRange])
    /// Makes the store forget these blocks, because their bytes are wrong. Readers already got the
    /// ranges `read` of them.
    case forget(Range<BlockIndex>, read: [ByteRange])
    /// Tells the mount that a reader has read on past its first fetch, and that its first read was
    /// at least `wholeAfter` ago.
    case played
    /// Requests all bytes of a body of unknown length from this offset on.
    case follow(FetchID, from: Int)
    /// Makes a body of unknown length a version of this length, because its end has come.
    case prove(Int)
    /// Tells the mount that a body of unknown length is longer than `FillRules.Growth.maxGrowth`.
    case tooLong
    /// Tells the mount that nothing is fetched, and that no reader has the file open.
    case quiet
    /// Compares these cached bytes with the origin's bytes, whatever entity tag the origin sends.
    /// The caller must report the outcome by `compared`.
    case compare(FetchID, [ByteRange])
    /// Tells the origin that its entity tags do not count for this file.
    case ignoreTags
  }

  package let rules: FillRules
  /// The division of the version into blocks; nil before the length is proved.
  package internal(set) var layout: BlockLayout?
  var cached: CachedBytes
  var access: Access
  var fetches: IdentifierMap<FetchKind, Fetch> = [:]
  package internal(set) var lastFetch = FetchID.none
  var waiting: IdentifierMap<WaitKind, Wait> = [:]
  var readers = Readers()
  var lanes: Lanes
  /// The rate at which bytes come from all fetches together.
  var throughput = Throughput()
  var ahead = ReadAhead()
  var seeks: Seeks
  var takeover = Takeover()
  var preloading = Preloading()
  var tail = Tail()
  var suspects: Suspects
  var trouble: Trouble
  var tags = TagDoubt()

  /// Creates the state with the `layout`, `cachedBlocks` and `suspects` that an earlier use has
  /// left. `seed` is the seed of the random numbers that vary backoffs.
  package init(
    layout: BlockLayout? = nil, cachedBlocks: BlockSet = BlockSet(), suspects: [ByteRange] = [],
    rules: FillRules = FillRules(), mode: NetworkMode = .online, seed: UInt64
  ) {
    self.layout = layout
    self.rules = rules
    cached = CachedBytes(whole: cachedBlocks)
    access = Access(mode: mode)
    lanes = Lanes(line: rules.line)
    seeks = Seeks(hasSpare: rules.hasSpareConnection)
    self.suspects = Suspects(suspects, cached: cached, in: layout)
    trouble = Trouble(seed: seed)
  }

  // MARK: Readers

  /// Adds a reader that opened the file. A scanner reads only the type of files, so only the head
  /// is fetched for it. A looker inspects media files without playing them, so its read-ahead
  /// begins late.
  package mutating func opened(isScanner: Bool = false, isLooker: Bool = false) -> HandleID {
    withholdAgain()
    return readers.opened(isScanner: isScanner, isLooker: isLooker, rules)
  }

  /// Adds a reader whose reads the kernel answers without the daemon. It counts as playing after
  /// `unseenPlay`.
  package mutating func openedUnseen(at now: Duration) -> HandleID {
    readers.openedUnseen(playingFrom: now + rules.ahead.unseenPlay)
  }

  /// Returns the bytes that the reader of `handle` has read in a row. Returns nil if it has read
  /// nothing, or if it is a scanner, which reads only the type of the file.
  package func run(of handle: HandleID, at now: Duration) -> ReadRun? {
    let unseen = readers.unseenRun(of: handle, at: now, after: rules.ahead.unseenPlay)
    guard unseen == nil, let window = readers.windows[handle], window.hasRead, let layout else {
      return unseen
    }
    return window.run(at: now, of: layout.length)
  }

  /// Removes the reader of `handle`.
  package mutating func closed(_ handle: HandleID, at now: Duration) -> [Action] {
    readers.closed(handle, of: layout?.length, reopening: now + rules.heads.reopening)
    if !isOpen, readers.reopeningEnd == nil { tail.giveUp() }
    return dropUnwanted(sparingNear: true)
  }

  /// Notes a read of cached bytes, and reads ahead.
  package mutating func noted(
    _ range: ByteRange, by handle: HandleID, at now: Duration
  ) -> [Action] {
    gave(range)
    let begun = moved(to: range, by: handle, at: now)
    let ahead = fetchAhead(by: handle, at: now)
    let actions = begun.isEmpty ? ahead : begun + ahead
    return suspects.isEmpty ? actions : actions + checkSuspects(at: now)
  }

  /// Returns a new identifier for a wait.
  package mutating func newWait() -> WaitID {
    readers.newWait()
  }

  /// Registers the read `wait`, which waits until all of `range` is cached. Its deadline counts
  /// from `start`.
  package mutating func wants(
    _ range: ByteRange, by handle: HandleID, as wait: WaitID, since start: Duration,
    at now: Duration
  ) -> [Action] {
    waiting[wait] = Wait(bytes: range, deadline: access.deadline(since: start, rules))
    trouble.forgetFailures(before: now)
    if hasEnded { return end(wait, .ended) }
    withhold(range, at: now)
    if !isThere(range) {
      if let refusal = access.refusal { return end(wait, refusal) }
      if trouble.hasFailed(range) { return end(wait, .unreachable) }
      if readers.isScanner(handle), range.upperBound > rules.heads.scannedHead {
        return end(wait, .withheld)
      }
    }
    waiting[wait]?.isSeek = readers.windows[handle]?.isSeek(to: range) ?? false
    var actions = moved(to: range, by: handle, at: now)
    let extent = extent(of: range, by: handle, at: now)
    if var known = waiting[wait] {
      known.extent = extent
      known.readsOn = readers.windows[handle]?.isOpen ?? false
      known.reader = handle
      waiting[wait] = known
    }
    actions += resumeReady()
    actions += demand(range, by: handle, as: wait, at: now)
    if range.lowerBound == 0, !readers.isScanner(handle) { actions += fetchTail(at: now) }
    actions += fetchAhead(by: handle, at: now)
    return suspects.isEmpty ? actions : actions + checkSuspects(at: now)
  }

  /// Registers `wait`, an open of the file that waits until the length is proved.
  ///
  /// - Parameters:
  ///   - isLooker: whether the program is known to inspect media files without playing them.
  ///   - isScanner: whether the program is known to read only the type of the file.
  package mutating func wantsProof(
    as wait: WaitID, isLooker: Bool = false, isScanner: Bool = false, at now: Duration
  ) -> [Action] {
    waiting[wait] = Wait(
      bytes: nil, deadline: access.deadline(since: now, rules),
      extent: isLooker ? rules.heads.lookedFetch : 0)
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
    access.hasEnded = true
    let failed = waiting.keys.sorted().flatMap { end($0, .ended) }
    return failed + dropAll()
  }

  // MARK: Shared

  /// Ends `wait` with `error`, if it is still waiting.
  mutating func end(_ wait: WaitID, _ error: ReadError) -> [Action] {
    waiting.removeValue(forKey: wait) == nil ? [] : [.fail(wait, error)]
  }

  /// Resumes the waits that have what they need.
  mutating func resumeReady() -> [Action] {
    guard !waiting.isEmpty, layout != nil else { return [] }
    var resumed: [Action] = []
    var place = 0
    while place < waiting.count {
      let (wait, bytes) = (waiting.keys[place], waiting.values[place].bytes)
      guard bytes.map(holds) ?? true else {
        place += 1
        continue
      }
      if let bytes { gave(bytes) }
      waiting[wait] = nil
      resumed.append(.resume(wait))
    }
    return resumed
  }
}
