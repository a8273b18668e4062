import Blocks

/// A range request and the sink of its bytes.
final class RangeExchange: Exchange {
  private let request: RangeRequest
  private let sink: any RangeSink
  /// What has not arrived yet of the bytes that the head announced.
  private var missing: ByteRange = 0..<0

  init(_ request: RangeRequest, _ sink: any RangeSink) {
    self.request = request
    self.sink = sink
  }

  var url: String { request.url }
  var priority: RangeRequest.Priority { request.priority }
  var feed: WebURL? { request.feed }
  var isImpatient: Bool { false }
  /// A check has to see where the URL leads today.
  var maySkipRedirects: Bool { !request.isCheck }
  var longest: Duration? { nil }
  var codings: String? { nil }
  var fields: [String] { request.fields }

  func judge(_ head: ResponseHead, at place: AnswerPlace) -> TransferEnd? {
    switch ResponseCheck.verdict(of: head, for: request) {
    case .end(let end): return end
    case .take(let representation, let bytes, let isWhole):
      missing = bytes
      sink.accepted(
        AcceptedAnswer(
          representation: representation, bytes: bytes, isWhole: isWhole,
          contentType: head.single("content-type"), freshFor: Freshness.remaining(of: head),
          finalURL: place.url.text))
      return nil
    }
  }

  func take(_ bytes: RawSpan) -> TransferEnd? {
    guard bytes.byteCount <= missing.count else { return .refused(.tooManyBytes) }
    let offset = missing.lowerBound
    missing = offset + bytes.byteCount..<missing.upperBound
    sink.received(bytes, at: offset)
    return nil
  }

  func bodyEnded() -> TransferEnd {
    missing.isEmpty ? .complete : .broken(reason: "the body ended \(missing.count) bytes early")
  }

  func ended(_ end: TransferEnd) {
    sink.ended(end)
  }
}
