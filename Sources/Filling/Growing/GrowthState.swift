package import Blocks

/// Decides about a file of unknown length: its fetches, when reads get an answer, and when its end
/// is proved.
///
/// Pure like `FillState`: it has no clock, no I/O and no lock, and returns the same actions. One
/// fetch brings the bytes from byte 0 on, and the file is as long as the bytes that have come. A
/// read learns of the end of the file only after this end is proved:
///
/// - A framed body (by chunks, HTTP/2, or a length that the origin sends later) shows its own end.
/// - The end of any other body is proved by a second fetch, which must bring exactly the same
///   bytes.
///
/// If a fetch breaks off, the next one asks for the missing bytes. If the origin begins at byte 0
/// instead, its bytes are compared with the earlier ones. If they differ, the origin serves another
/// version.
package struct GrowthState: Sendable {
  package typealias Action = FillState.Action
  typealias WaitID = FillState.WaitID
  typealias HandleID = FillState.HandleID

  /// The fetch that is under way.
  struct Fetch: Sendable {
    let id: FetchID
    /// The offset after the last byte that has come.
    var position: Int
    /// The head of the answer; nil until it has come.
    var body: GrowingBody?
    /// True if this fetch has brought a new byte, or if a read got its bytes while this fetch ran.
    var isUseful = false
  }

  /// A read, or an open, that waits.
  struct Wait: Sendable {
    /// The bytes that the read waits for; nil if it is an open that waits until the length is
    /// proved.
    let bytes: ByteRange?
    var deadline: Duration
  }

  let rules: FillRules
  /// The validator that all answers of this version have.
  package let validator: Validator
  /// The blocks of the longest body that feedfs reads, which has `FillRules.Growth.maxGrowth`
  /// bytes.
  package let layout: BlockLayout
  var cached: CachedBytes
  var access: Access
  /// The offset after the last byte that ever came, even if that byte is no longer cached.
  package internal(set) var reached: Int
  /// The time at which the last bytes came, even if they were cached before; nil if no bytes came.
  var lastBytes: Duration?
  var fetch: Fetch?
  /// The identifier of the latest fetch of this version.
  package var lastFetch: FetchID
  var waiting: [WaitID: Wait] = [:]
  /// The open handles. The value is true for a scanner, which reads only the type of the file.
  var handles: [HandleID: Bool] = [:]
  /// True if all of the file is wanted, even without a reader.
  var isPinned = false
  /// The time at which the fetch is cancelled because no reader has the file open. Nil if a reader
  /// has it open, or if all of the file is wanted.
  var lingerEnd: Duration?
  /// The length at which a body that is not framed has ended, so that a second fetch must prove it.
  /// Nil if no such body has ended.
  var endSeen: Int?
  /// True if the next fetch begins at byte 0, because the origin has refused to continue the body.
  var beginsAnew = false
  /// True if the body is longer than `layout`. Nothing more is fetched then.
  package internal(set) var isTooLong = false
  var trouble: Trouble
  var throughput = Throughput()

  /// - Parameters:
  ///   - cachedBlocks: the complete blocks that the store has from an earlier use.
  ///   - lastFetch: the identifier of the latest fetch of this version.
  package init(
    _ validator: Validator, cachedBlocks: BlockSet = BlockSet(), rules: FillRules,
    mode: NetworkMode,
    lastFetch: FetchID = .none, seed: UInt64
  ) {
    self.validator = validator
    self.rules = rules
    cached = CachedBytes(whole: cachedBlocks)
    access = Access(mode: mode)
    self.lastFetch = lastFetch
    layout = BlockLayout(length: rules.growth.maxGrowth)
    trouble = Trouble(seed: seed)
    reached =
      cachedBlocks.runs(in: layout.all).last.map { [layout] in layout.bytes(of: $0).upperBound }
      ?? 0
  }

  // MARK: Readers

  /// Adds the reader of `handle`.
  package mutating func opened(_ handle: FillState.HandleID, isScanner: Bool) {
    handles[handle] = isScanner
    lingerEnd = nil
  }

  /// Removes the reader of `handle`. After the last close, the fetch goes on for a while, because
  /// programs often open a file several times. For a second fetch, the origin might have to produce
  /// the body again.
  package mutating func closed(_ handle: FillState.HandleID, at now: Duration) {
    handles[handle] = nil
    linger(from: now)
  }

  /// Sets whether all of the file is wanted, even without a reader.
  package mutating func pins(_ isPinned: Bool, at now: Duration) -> [Action] {
    self.isPinned = isPinned
    linger(from: now)
    return follow(at: now)
  }

  /// Cancels the fetch at once, and no longer wants all of the file. If the file has a reader,
  /// changes nothing, and returns no action.
  package mutating func givenUp() -> [Action] {
    guard handles.isEmpty, waiting.isEmpty else { return [] }
    isPinned = false
    return cancel() + [.quiet]
  }

  /// Registers the read `wait`, which waits until all of `range` has come, or until the length is
  /// proved. Its deadline counts from `start`.
  package mutating func wants(
    _ range: ByteRange, by handle: FillState.HandleID, as wait: FillState.WaitID,
    since start: Duration, at now: Duration
  ) -> [Action] {
    waiting[wait] = Wait(bytes: range, deadline: access.deadline(since: start, rules))
    if access.hasEnded { return end(wait, .ended) }
    guard !holds(range) else { return resumeReady() }
    if let refusal = access.refusal { return end(wait, refusal) }
    if isTooLong, range.upperBound > reached { return end(wait, .unreachable) }
    if handles[handle] ?? false, range.upperBound > rules.heads.scannedHead {
      return end(wait, .withheld)
    }
    return follow(at: now)
  }

  /// Registers `wait`, an open that waits until the length is proved. Its deadline moves on as long
  /// as bytes come.
  package mutating func wantsProof(as wait: FillState.WaitID, at now: Duration) -> [Action] {
    waiting[wait] = Wait(bytes: nil, deadline: access.deadline(since: now, rules))
    return followForOpen(wait, at: now)
  }

  /// Registers `wait`, an open that waits until the file can be read as it grows. Its deadline
  /// counts from `start`.
  package mutating func wantsBeginning(
    as wait: FillState.WaitID, since start: Duration, at now: Duration
  ) -> [Action] {
    guard !hasBegun else { return [.resume(wait)] }
    waiting[wait] = Wait(
      bytes: 0..<rules.growth.firstOfGrowth, deadline: access.deadline(since: start, rules))
    return followForOpen(wait, at: now)
  }

  private mutating func followForOpen(_ wait: FillState.WaitID, at now: Duration) -> [Action] {
    if access.hasEnded { return end(wait, .ended) }
    if let refusal = access.refusal { return end(wait, refusal) }
    if isTooLong { return end(wait, .unreachable) }
    return follow(at: now)
  }

  /// Ends `wait`, because its reader went away.
  package mutating func abandoned(_ wait: FillState.WaitID) -> [Action] {
    end(wait, .interrupted)
  }

  /// Ends all waits and the fetch for good.
  package mutating func ended() -> [Action] {
    access.hasEnded = true
    return endAll(.ended) + cancel()
  }

  // MARK: Facts

  /// Returns whether every byte of `range` is cached.
  func holds(_ range: ByteRange) -> Bool {
    guard range.upperBound <= layout.length else { return false }
    return firstMissing(in: range) == nil
  }

  /// Returns the offset of the first byte of `range` that has not come or is lost; nil if all bytes
  /// of `range` are cached.
  func firstMissing(in range: ByteRange) -> Int? {
    cached.firstMissing(in: range, of: layout)
  }

  package var isStale: Bool { access.isStale }

  /// The size in bytes that programs are told while the file grows; 0 before it can be opened.
  ///
  /// It is a multiple of the kernel's page size, and less than `reached`. So the page with the
  /// file's last byte always lies beyond this size, whatever the length will be. The kernel locks
  /// pages before this size while a read fills them. It never locks the page of the last byte, so
  /// it can be told the length at any time.
  package var toldSize: Int {
    max(0, reached - 1) / rules.growth.kernelPage * rules.growth.kernelPage
  }

  /// True if enough bytes have come for the file to be opened.
  var hasBegun: Bool { reached >= rules.growth.firstOfGrowth }

  package var isFetching: Bool { fetch != nil }
  /// All waits, oldest first.
  package var waits: [FillState.WaitID] { waiting.keys.sorted() }

  /// Returns whether `fetch` has neither ended nor been cancelled.
  package func accepts(_ fetch: FetchID) -> Bool { self.fetch?.id == fetch }

  /// The buffering state of the file.
  package var bufferState: BufferState {
    !waiting.isEmpty || fetch != nil && !handles.isEmpty ? .starved : .idle
  }

  /// The number of bytes in complete blocks.
  package var cachedByteCount: Int { cached.whole.count * layout.blockSize }

  /// Returns the cached extents, `limit` of them at most.
  package func extents(atMost limit: Int) -> [ByteRange] {
    cached.whole.extents(in: layout, atMost: limit)
  }

  /// Returns the time of the next call of `tick`; nil if none is needed.
  package func nextWake(after now: Duration) -> Duration? {
    let retry = isWanted ? trouble.retry(after: now) : nil
    // If an open waits until the length is proved, the fetch goes on although no handle is open.
    let cancel = fetch != nil && waiting.isEmpty ? lingerEnd : nil
    return [waiting.values.map(deadline(of:)).min(), retry, cancel].compactMap(\.self).min()
  }

  /// Returns the report for the status.
  package func report(at now: Duration) -> FillReport {
    var report = FillReport()
    report.fetches =
      fetch.map {
        [
          FillReport.Fetch(
            bytes: ($0.body?.start ?? $0.position)..<max($0.position, $0.body?.length ?? 0),
            position: $0.position, hasBegun: $0.body != nil)
        ]
      } ?? []
    report.speed = throughput.rate(at: now)
    report.waiting = waiting.count
    report.retryIn = trouble.wait(at: now)
    report.isStale = isStale
    report.lacksRanges = true
    return report
  }

  // MARK: Shared

  /// Returns the deadline of `wait`. If it waits until the length is proved, its deadline moves on
  /// as long as bytes come.
  func deadline(of wait: Wait) -> Duration {
    guard wait.bytes == nil, let lastBytes else { return wait.deadline }
    return max(wait.deadline, lastBytes + rules.waits.readTimeout)
  }

  /// True if a wait needs a fetch, or all of the file is wanted.
  var isWanted: Bool {
    isPinned || waiting.values.contains { $0.bytes.map { !holds($0) } ?? true }
  }

  /// Sets the time at which the fetch is cancelled. Clears it if the file has a reader, or if all
  /// of the file is wanted.
  mutating func linger(from now: Duration) {
    lingerEnd = handles.isEmpty && !isPinned ? now + rules.growth.linger : nil
  }

  mutating func end(_ wait: FillState.WaitID, _ error: ReadError) -> [Action] {
    waiting.removeValue(forKey: wait) == nil ? [] : [.fail(wait, error)]
  }

  mutating func endAll(_ error: ReadError) -> [Action] {
    waiting.keys.sorted().flatMap { end($0, error) }
  }

  mutating func resumeReady() -> [Action] {
    guard !waiting.isEmpty else { return [] }
    let ready = waiting.filter { $0.value.bytes.map(holds) ?? false }.keys.sorted()
    for wait in ready { waiting[wait] = nil }
    if !ready.isEmpty { fetch?.isUseful = true }
    return ready.map { .resume($0) }
  }

  mutating func cancel() -> [Action] {
    guard let gone = fetch else { return [] }
    fetch = nil
    return [.cancel(gone.id)]
  }
}
