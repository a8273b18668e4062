import Addresses
import Blocks

/// A range request and the sink of its bytes.
final class RangeExchange: Exchange {
  /// The head of an answer that passed the check.
  private enum Head {
    case answer(AcceptedAnswer)
    case growing(GrowingBody, AnswerFacts)
  }

  private let request: RangeRequest
  private let sink: any RangeSink
  /// The announced bytes that have not arrived yet.
  private var missing: ByteRange = 0..<0
  /// False if the answer does not tell its length. Then `missing` reaches to `Int.max`.
  private var hasEnd = true
  /// The answer that should prove the version, and the first bytes of its body. The sink gets both
  /// only after the bytes have shown that the body may be a film.
  private var unproved: (head: Head, beginning: [UInt8])?
  /// An HLS playlist in the place of a film, and the fault that ends the request.
  private var playlist: (fault: ResponseFault, bytes: [UInt8])?

  init(_ request: RangeRequest, _ sink: any RangeSink) {
    self.request = request
    self.sink = sink
  }

  var url: String { request.url }
  var priority: RangeRequest.Priority { request.priority }
  var feed: TypedAddress? { request.feed }
  var failsFast: Bool { request.failsFast }
  /// A freshness check never skips redirects, because it has to see where the URL leads now.
  var maySkipRedirects: Bool { !request.isCheck }
  var longest: Duration? { nil }
  var codings: String? { nil }
  var fields: [String] { request.fields }
  var headers: [HeaderField] { request.headers }
  var cookies: CookieJar? { request.cookies }
  var bytesMissing: Int? { hasEnd ? missing.count : nil }

  func judge(_ head: ResponseHead, at place: AnswerPlace) -> TransferEnd? {
    switch ResponseCheck.verdict(of: head, for: request) {
    case .end(let end): return judge(end, of: head)
    case .grow(let body):
      missing = body.start..<(body.length ?? .max)
      hasEnd = body.length != nil
      let facts = AnswerFacts(
        contentType: head.single("content-type"), freshFor: Freshness.remaining(of: head),
        finalURL: place.url.text)
      return begin(.growing(body, facts), isFirst: request.continued == nil)
    case .take(let representation, let bytes, let isWhole):
      missing = bytes
      var answer = AcceptedAnswer(
        representation: representation, bytes: bytes, isWhole: isWhole,
        contentType: head.single("content-type"), freshFor: Freshness.remaining(of: head),
        finalURL: place.url.text)
      (answer.tag, answer.date) = (head.strongTag, StatedDate(head))
      return begin(.answer(answer), isFirst: request.expected == nil)
    }
  }

  func take(_ bytes: RawSpan) -> TransferEnd? {
    if playlist != nil { return takePlaylist(bytes) }
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

  func rest() { sink.rested() }

  func bodyEnded() -> TransferEnd {
    // A body may be shorter than `BodyKind.head`.
    if playlist == nil, let end = prove() { return end }
    if let end = playlistEnded() { return end }
    return missing.isEmpty || !hasEnd
      ? .complete : .broken(reason: "the body ended \(missing.count) bytes early")
  }

  func ended(_ end: TransferEnd) {
    if case .broken = end {
      if let fault = prove() { return sink.ended(fault) }
      if let fault = playlistEnded() { return sink.ended(fault) }
    }
    sink.ended(end)
  }

  // MARK: The first bytes

  private func begin(_ head: Head, isFirst: Bool) -> TransferEnd? {
    if isFirst, request.media, missing.lowerBound == 0, !missing.isEmpty {
      unproved = (head, [])
    } else {
      tell(head)
    }
    return nil
  }

  private func tell(_ head: Head) {
    switch head {
    case .answer(let answer): sink.accepted(answer)
    case .growing(let body, let facts): sink.grows(body, facts)
    }
  }

  /// Gives the answer to the sink if its first bytes may be those of a film. Otherwise returns the
  /// refusal.
  private func prove() -> TransferEnd? {
    guard let (head, beginning) = unproved else { return nil }
    unproved = nil
    if let fault = BodyKind.refusal(ofBeginning: beginning) {
      guard BodyKind.isPlaylist(fault) else { return .refused(fault) }
      playlist = (fault, beginning)
      return nil
    }
    tell(head)
    if !beginning.isEmpty { sink.received(beginning.span.bytes, at: 0) }
    return nil
  }

  // MARK: Playlists

  /// Returns the end of a request whose head was refused; nil if the body is an HLS playlist. Only
  /// its end tells whether it is one of a live stream.
  private func judge(_ end: TransferEnd, of head: ResponseHead) -> TransferEnd? {
    guard case .refused(let fault) = end, BodyKind.isPlaylist(fault), request.expected == nil,
      [200, 206].contains(head.status)
    else { return end }
    playlist = (fault, [])
    return nil
  }

  private func takePlaylist(_ bytes: RawSpan) -> TransferEnd? {
    bytes.withUnsafeBytes { playlist?.bytes.append(contentsOf: $0) }
    guard let playlist, playlist.bytes.count >= LiveStream.longestPlaylist else { return nil }
    return .refused(playlist.fault)
  }

  private func playlistEnded() -> TransferEnd? {
    guard let (fault, bytes) = playlist else { return nil }
    return .refused(LiveStream.isLive(bytes) ? .live("an HLS playlist without an end") : fault)
  }
}
