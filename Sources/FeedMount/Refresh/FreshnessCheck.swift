import Addresses
import Blocks
import HTTP
import Locks
import Storage
import World

/// Asks the origin once, in the background, whether it still serves a version.
///
/// If the version has a validator, this is a conditional request. Otherwise the first block is
/// fetched again and compared, because nothing else identifies the version. An empty version has no
/// block to compare, so any answer decides.
final class FreshnessCheck: RangeSink {
  enum Result: Sendable {
    case same(freshFor: Duration?)
    case changed
    /// The origin sends another entity tag for the version. Only the bytes can show whether the
    /// version is another one.
    case doubted
    /// No answer has shown whether the version is the same.
    case unknown
  }

  private struct State {
    var checksum = CRC32C()
    /// The number of bytes of the first block that have not arrived.
    var missing: Int
    var freshFor: Duration?
    var transfer: TransferID?
    var isOver = false
  }

  private let firstBlock: UInt32?
  private let client: any RangeClient
  private let done: @Sendable (Result) -> Void
  private let state: Locked<State>

  /// - Parameters:
  ///   - firstBlock: the checksum of the first block; nil if a validator decides.
  ///   - bytes: the length of that block.
  private init(
    firstBlock: UInt32?, bytes: Int, by client: any RangeClient,
    done: @escaping @Sendable (Result) -> Void
  ) {
    self.firstBlock = firstBlock
    self.client = client
    self.done = done
    state = Locked(State(missing: bytes))
  }

  /// Starts a check. Calls `done` once, on the client's thread. If the check needs the first
  /// block's checksum and has none, it calls `done` at once, with `unknown`.
  static func start(
    _ representation: Representation, at url: String, firstBlock: UInt32?,
    marks: VersionMarks = VersionMarks(), for feed: TypedAddress?,
    by client: any RangeClient, done: @escaping @Sendable (Result) -> Void
  ) {
    let hasTag = representation.validator != .none && !marks.ignoresTags(at: url)
    if !hasTag, representation.length > 0 {
      let block = BlockLayout(length: representation.length).bytes(of: BlockIndex(0))
      guard let firstBlock, !block.isEmpty else { return done(.unknown) }
      var request = RangeRequest(
        url: url, range: .bytes(block), expected: representation, priority: .ahead)
      request.feed = feed
      marks.mark(&request)
      FreshnessCheck(firstBlock: firstBlock, bytes: block.count, by: client, done: done)
        .start(request)
    } else {
      var request = RangeRequest(checking: representation, at: url)
      request.feed = feed
      marks.mark(&request)
      FreshnessCheck(firstBlock: nil, bytes: 0, by: client, done: done).start(request)
    }
  }

  private func start(_ request: RangeRequest) {
    let transfer = client.start(request, sink: self)
    let isOver = state.withLock { state in
      state.transfer = transfer
      return state.isOver
    }
    if isOver { client.cancel(transfer) }
  }

  func accepted(_ answer: AcceptedAnswer) {
    state.withLock { $0.freshFor = answer.freshFor }
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    let isEnough = state.withLock { state in
      let count = min(bytes.byteCount, state.missing)
      state.checksum.update(bytes.extracting(0..<count))
      state.missing -= count
      guard !state.isOver else { return false }
      state.isOver = count < bytes.byteCount
      return state.isOver
    }
    guard isEnough else { return }
    // The rest of the body is cancelled, because an origin without ranges sends the whole file.
    done(comparison)
    if let transfer = state.withLock({ $0.transfer }) { client.cancel(transfer) }
  }

  func ended(_ end: TransferEnd) {
    guard !state.withLock({ $0.isOver }) else { return }
    switch end {
    case .notModified(let freshFor): done(.same(freshFor: freshFor))
    case .changed: done(.changed)
    case .doubted: done(.doubted)
    case .complete: done(comparison)
    case .unsatisfiable, .busy, .gone, .serverError, .refused, .unanswered, .broken, .blocked,
      .cancelled:
      done(.unknown)
    }
  }

  private var comparison: Result {
    let (checksum, freshFor) = state.withLock { ($0.checksum.value, $0.freshFor) }
    return checksum == firstBlock ? .same(freshFor: freshFor) : .changed
  }
}
