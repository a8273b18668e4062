import Blocks
import HTTP
import NIOConcurrencyHelpers
import Streaming

/// Translates the events of one transfer into those of a fetch.
final class FetchTransfer: RangeSink {
  private let fetch: FetchID
  private let origin: HTTPOrigin
  private let url: String
  private let sink: any FetchSink
  /// Starts the same fetch again, at the origin's current address.
  private let again: @Sendable () -> Void
  private let isDeclined = NIOLockedValueBox(false)

  init(
    _ fetch: FetchID, of origin: HTTPOrigin, at url: String, for sink: any FetchSink,
    again: @escaping @Sendable () -> Void
  ) {
    self.fetch = fetch
    self.origin = origin
    self.url = url
    self.sink = sink
    self.again = again
  }

  func accepted(_ answer: AcceptedAnswer) {
    guard !origin.declines(answer) else {
      isDeclined.withLockedValue { $0 = true }
      return origin.stop(fetch)
    }
    origin.accepted(answer)
    sink.began(fetch, answer.representation, bytes: answer.bytes, whole: answer.isWhole)
  }

  func grows(_ body: GrowingBody, _ answer: AnswerFacts) {
    guard !origin.declinesGrowing() else {
      isDeclined.withLockedValue { $0 = true }
      return origin.stop(fetch)
    }
    origin.grows(answer)
    sink.grows(fetch, body)
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    guard !isDeclined.withLockedValue({ $0 }) else { return }
    sink.received(bytes, at: offset, in: fetch)
  }

  func rested() {
    sink.rested(fetch)
  }

  func ended(_ end: TransferEnd) {
    let isDeclined = isDeclined.withLockedValue { $0 }
    guard let end = origin.ended(fetch, end, at: url, isDeclined: isDeclined) else {
      return again()
    }
    sink.ended(fetch, end)
  }
}

extension RangeRequest.Priority {
  init(_ urgency: Urgency) {
    switch urgency {
    case .demand: self = .demand
    case .ahead: self = .ahead
    case .background: self = .background
    }
  }
}

extension FetchEnd {
  /// The longest `Retry-After` that is obeyed. It is limited because a reader waits for the bytes.
  private static let longestPause: Duration = .seconds(300)

  init(_ end: TransferEnd) {
    switch end {
    case .complete: self = .complete
    case .unanswered, .cancelled: self = .unanswered
    case .broken, .serverError, .refused, .notModified: self = .failed
    case .busy(_, let delay): self = .busy(after: delay.map { min($0, Self.longestPause) })
    case .gone: self = .gone
    case .changed: self = .changed
    case .unsatisfiable(let length): self = .unsatisfiable(length: length)
    case .blocked: self = .blocked
    }
  }
}

extension TransferEnd {
  /// True if nothing is at the address, or if it has expired.
  var isGone: Bool {
    if case .gone = self { true } else { false }
  }

  /// True if this end shows that an address that never worked can never be used.
  var isVerdict: Bool {
    switch self {
    case .refused(let fault): fault.isVerdict
    case .blocked: true
    case .complete, .notModified, .changed, .unsatisfiable, .busy, .gone, .serverError, .unanswered,
      .broken, .cancelled:
      false
    }
  }
}
