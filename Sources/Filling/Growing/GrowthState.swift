package import Blocks

/// Decides about a file of unknown length: its fetches, when reads get an answer, and when its end
/// is proved.
///
/// Pure, as `FillState` is, and returns the same actions. One fetch brings the bytes, from the
/// beginning on, and the file is as long as the bytes that have come. No read is told that the file
/// ends before its end is proved:
///
/// - If the body has a frame (chunks, HTTP/2, a length that the origin sends later), the end of the
///   frame proves it.
/// - Otherwise a second fetch proves it, which brings the same bytes, and as many.
///
/// If a fetch breaks off, the next one asks for the missing bytes. If the origin starts at byte 0
/// instead, its bytes are compared with those that came before. If they differ, it serves another
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
    /// True if it has brought a new byte, or a read got its bytes meanwhile.
    var isUseful = false
  }

  /// A read, or an open, that waits.
  struct Wait: Sendable {
    /// The bytes to wait for; nil if it waits until the length is proved.
    let bytes: ByteRange?
    var deadline: Duration
  }

  let rules: FillRules
  /// The validator that all answers of this version have.
  package let validator: Validator
  /// The blocks of a body of `FillRules.Growth.maxGrowth` bytes, the longest that is read.
  package let layout: BlockLayout
  var cached: CachedBytes
  var access: Access
  /// The offset after the last byte that ever came, even if that byte is no longer cached.
  package internal(set) var reached: Int
  /// The last time at which bytes came, new ones or others; nil if none came.
  var lastBytes: Duration?
  var fetch: Fetch?
  /// The last name of a fetch of this version.
  package var lastFetch: FetchID
  var waiting: [WaitID: Wait] = [:]
  /// The open handles, and whether each is that of a scanner.
  var handles: [HandleID: Bool] = [:]
  /// True if all of the file is wanted, even without a reader.
  var isPinned = false
  /// The time at which the fetch is cancelled, because no reader has the file open; nil if one has,
  /// or all of the file is wanted.
  var lingerEnd: Duration?
  /// The length at which a body without a frame has ended, so that a second fetch must prove it;
  /// nil if none has.
  var endSeen: Int?
  /// True if the next fetch begins at byte 0, because the origin has refused to continue the body.
  var beginsAnew = false
  /// True if the body is longer than `layout`. Nothing more is fetched then.
  package internal(set) var isTooLong = false
  var trouble: Trouble
  var throughput = Throughput()

  /// - Parameters:
  ///   - cachedBlocks: the complete blocks that the store has from an earlier use.
  ///   - lastFetch: the last name of a fetch of this version.
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

  /// Removes the reader of `handle`. After the last close, the fetch goes on for a while. Programs
  /// often open a file several times, and the origin might have to produce the body again for a
  /// second fetch.
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

  /// Gives the fetch up if the file has no reader: cancels it at once, and drops the wish for all
  /// of the file. Otherwise returns no action.
  package mutating func givenUp() -> [Action] {
    guard handles.isEmpty, waiting.isEmpty else { return [] }
    isPinned = false
    return cancel() + [.quiet]
  }

  /// Makes the read `wait` wait until all of `range` has come, or the length is proved. Its
  /// deadline counts from `start`.
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

  /// Makes `wait` wait until the length is proved, for as long as bytes come.
  package mutating func wantsProof(as wait: FillState.WaitID, at now: Duration) -> [Action] {
    waiting[wait] = Wait(bytes: nil, deadline: access.deadline(since: now, rules))
    return followForOpen(wait, at: now)
  }

  /// Makes the open `wait` wait until the file can be read as it grows. Its deadline counts from
  /// `start`.
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

  /// Returns the offset of the first byte of `range` that has not come, or is lost; nil if there is
  /// none.
  func firstMissing(in range: ByteRange) -> Int? {
    cached.firstMissing(in: range, of: layout)
  }

  package var isStale: Bool { access.isStale }

  /// The size in bytes that programs are told while the file grows; 0 before it can be opened.
  ///
  /// It is a number of whole pages, and less than what has come. So the page of the file's last
  /// byte lies behind it, whatever the length will be. The kernel locks pages before this size
  /// while a read fills them. The page of the last byte is never among them, so the kernel can
  /// always be told the length.
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
    // An open may wait for the proof though no handle is open. Then the fetch goes on.
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

  /// Returns the deadline of `wait`. That of a wait for the proof moves on as long as bytes come.
  func deadline(of wait: Wait) -> Duration {
    guard wait.bytes == nil, let lastBytes else { return wait.deadline }
    return max(wait.deadline, lastBytes + rules.waits.readTimeout)
  }

  /// True if a wait needs a fetch, or all of the file is wanted.
  var isWanted: Bool {
    isPinned || waiting.values.contains { $0.bytes.map { !holds($0) } ?? true }
  }

  /// Sets the time at which the fetch is cancelled, or clears it if the file is wanted.
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
