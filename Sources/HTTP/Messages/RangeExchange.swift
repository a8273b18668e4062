import Addresses
import Blocks

/// A range request and the sink of its bytes.
final class RangeExchange: Exchange {
  private let request: RangeRequest
  private let sink: any RangeSink
  /// The announced bytes that have not arrived yet.
  private var missing: ByteRange = 0..<0
  /// The answer that should prove the version, and the first bytes of its body. The sink gets both
  /// only after the bytes have shown that the body may be a film.
  private var unproved: (answer: AcceptedAnswer, beginning: [UInt8])?

  init(_ request: RangeRequest, _ sink: any RangeSink) {
    self.request = request
    self.sink = sink
  }

  var url: String { request.url }
  var priority: RangeRequest.Priority { request.priority }
  var feed: TypedAddress? { request.feed }
  var failsFast: Bool { false }
  /// A freshness check never skips redirects, because it has to see where the URL leads now.
  var maySkipRedirects: Bool { !request.isCheck }
  var longest: Duration? { nil }
  var codings: String? { nil }
  var fields: [String] { request.fields }
  var headers: [HeaderField] { request.headers }
  var bytesMissing: Int? { missing.count }

  func judge(_ head: ResponseHead, at place: AnswerPlace) -> TransferEnd? {
    switch ResponseCheck.verdict(of: head, for: request) {
    case .end(let end): return end
    case .take(let representation, let bytes, let isWhole):
      missing = bytes
      let answer = AcceptedAnswer(
        representation: representation, bytes: bytes, isWhole: isWhole,
        contentType: head.single("content-type"), freshFor: Freshness.remaining(of: head),
        finalURL: place.url.text)
      if request.expected == nil, request.media, bytes.lowerBound == 0, !bytes.isEmpty {
        unproved = (answer, [])
      } else {
        sink.accepted(answer)
      }
      return nil
    }
  }

  func take(_ bytes: RawSpan) -> TransferEnd? {
    guard bytes.byteCount <= missing.count else { return .refused(.tooManyBytes) }
    let offset = missing.lowerBound
    missing = offset + bytes.byteCount..<missing.upperBound
    guard unproved != nil else {
      sink.received(bytes, at: offset)
      return nil
    }
    bytes.withUnsafeBytes { unproved?.beginning.append(contentsOf: $0) }
    return (unproved?.beginning.count ?? 0) < BodyKind.head ? nil : prove()
  }

  /// Gives the answer to the sink if its first bytes may be those of a film. Otherwise returns the
  /// refusal.
  private func prove() -> TransferEnd? {
    guard let (answer, beginning) = unproved else { return nil }
    unproved = nil
    if let fault = BodyKind.refusal(ofBeginning: beginning) { return .refused(fault) }
    sink.accepted(answer)
    if !beginning.isEmpty { sink.received(beginning.span.bytes, at: 0) }
    return nil
  }

  func rest() { sink.rested() }

  func bodyEnded() -> TransferEnd {
    // A body may be shorter than `BodyKind.head`.
    if let end = prove() { return end }
    return missing.isEmpty
      ? .complete : .broken(reason: "the body ended \(missing.count) bytes early")
  }

  func ended(_ end: TransferEnd) {
    if case .broken = end, let fault = prove() { return sink.ended(fault) }
    sink.ended(end)
  }
}
