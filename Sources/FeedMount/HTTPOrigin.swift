import Blocks
import HTTP
import NIOConcurrencyHelpers
import Streaming

/// The origin of one version of one entry, asked over HTTP.
///
/// Safe from any thread.
final class HTTPOrigin: Origin {
  private struct State {
    /// The newest that the feed gave.
    var url: String
    /// What every answer must belong to; nil until the first one has proved it.
    var expected: Representation?
    var transfers: [FetchID: TransferID] = [:]
    /// Fetches that ended before their transfer's name was known here.
    var endedEarly: Set<FetchID> = []
  }

  private let client: HTTPClient
  private let state: NIOLockedValueBox<State>
  /// Called on the client's thread with each answer that passed the check.
  private let answered: @Sendable (AcceptedAnswer) -> Void

  init(
    _ client: HTTPClient, url: String, expected: Representation?,
    answered: @escaping @Sendable (AcceptedAnswer) -> Void
  ) {
    self.client = client
    self.answered = answered
    state = NIOLockedValueBox(State(url: url, expected: expected))
  }

  var url: String {
    state.withLockedValue { $0.url }
  }

  /// The feed has a new address for the same entry.
  func moved(to url: String) {
    state.withLockedValue { $0.url = url }
  }

  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink) {
    let (url, expected) = state.withLockedValue { ($0.url, $0.expected) }
    let request = RangeRequest(
      url: url, range: .bytes(bytes), expected: expected,
      priority: urgency == .demand ? .demand : .ahead)
    let transfer = client.start(request, sink: FetchTransfer(fetch, of: self, for: sink))
    state.withLockedValue { state in
      guard state.endedEarly.remove(fetch) == nil else { return }
      state.transfers[fetch] = transfer
    }
  }

  func cancel(_ fetch: FetchID) {
    let transfer = state.withLockedValue { $0.transfers[fetch] }
    if let transfer { client.cancel(transfer) }
  }

  fileprivate func accepted(_ answer: AcceptedAnswer) {
    state.withLockedValue { $0.expected = $0.expected ?? answer.representation }
    answered(answer)
  }

  fileprivate func ended(_ fetch: FetchID) {
    state.withLockedValue { state in
      guard state.transfers.removeValue(forKey: fetch) == nil else { return }
      state.endedEarly.insert(fetch)
    }
  }
}

/// Translates one transfer's events for the heart.
private final class FetchTransfer: RangeSink {
  private let fetch: FetchID
  private let origin: HTTPOrigin
  private let sink: any FetchSink

  init(_ fetch: FetchID, of origin: HTTPOrigin, for sink: any FetchSink) {
    self.fetch = fetch
    self.origin = origin
    self.sink = sink
  }

  func accepted(_ answer: AcceptedAnswer) {
    origin.accepted(answer)
    sink.began(fetch, answer.representation, bytes: answer.bytes, whole: answer.isWhole)
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    sink.received(bytes, at: offset, in: fetch)
  }

  func ended(_ end: TransferEnd) {
    origin.ended(fetch)
    sink.ended(fetch, FetchEnd(end))
  }
}

extension FetchEnd {
  init(_ end: TransferEnd) {
    switch end {
    case .complete: self = .complete
    case .unanswered, .cancelled: self = .unanswered
    case .broken, .serverError, .refused, .notModified: self = .failed
    case .busy(let delay): self = .busy(after: delay)
    case .gone: self = .gone
    case .changed: self = .changed
    case .unsatisfiable(let length): self = .unsatisfiable(length: length)
    case .blocked: self = .blocked
    }
  }
}
