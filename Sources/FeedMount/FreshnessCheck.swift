import Blocks
import HTTP
import NIOConcurrencyHelpers
import Storage

/// Asks the origin once whether it still serves a representation, in the background.
///
/// With a validator that is a conditional request. Without one the first block is fetched again and
/// compared: all that can be known of a resource whose origin names no version. That one is empty is
/// seen by any answer.
final class FreshnessCheck: RangeSink {
  enum Result: Sendable {
    case same(freshFor: Duration?)
    case changed
    /// Nothing was learnt: it did not answer, or not in a way that tells.
    case unknown
  }

  private let firstBlock: UInt32?
  private let done: @Sendable (Result) -> Void
  private let state = NIOLockedValueBox(
    (checksum: CRC32C(), freshFor: Duration?.none))

  /// - Parameter firstBlock: the checksum of the first block, where there is no validator.
  private init(firstBlock: UInt32?, done: @escaping @Sendable (Result) -> Void) {
    self.firstBlock = firstBlock
    self.done = done
  }

  /// `done` is called once, on the client's thread.
  static func start(
    _ representation: Representation, at url: String, firstBlock: UInt32?, for feed: WebURL?,
    by client: any RangeClient, done: @escaping @Sendable (Result) -> Void
  ) {
    if representation.validator == .none, representation.length > 0 {
      let block = BlockLayout(length: representation.length).bytes(of: BlockIndex(0))
      guard let firstBlock, !block.isEmpty else { return done(.unknown) }
      var request = RangeRequest(
        url: url, range: .bytes(block), expected: representation, priority: .ahead)
      request.feed = feed
      _ = client.start(request, sink: FreshnessCheck(firstBlock: firstBlock, done: done))
    } else {
      var request = RangeRequest(checking: representation, at: url)
      request.feed = feed
      _ = client.start(request, sink: FreshnessCheck(firstBlock: nil, done: done))
    }
  }

  func accepted(_ answer: AcceptedAnswer) {
    state.withLockedValue { $0.freshFor = answer.freshFor }
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    state.withLockedValue { $0.checksum.update(bytes) }
  }

  func ended(_ end: TransferEnd) {
    switch end {
    case .notModified(let freshFor): done(.same(freshFor: freshFor))
    case .changed: done(.changed)
    case .complete: done(comparison)
    case .unsatisfiable, .busy, .gone, .serverError, .refused, .unanswered, .broken, .blocked,
      .cancelled:
      done(.unknown)
    }
  }

  private var comparison: Result {
    let (checksum, freshFor) = state.withLockedValue { ($0.checksum.value, $0.freshFor) }
    return checksum == firstBlock ? .same(freshFor: freshFor) : .changed
  }
}
