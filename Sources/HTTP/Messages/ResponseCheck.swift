package import Blocks
import Glibc

/// The response check. It decides whether the bytes after a head belong to the requested
/// representation, and to the requested place in it.
///
/// The check has no effects and no state. Each answer to a range request must pass the check before
/// its bytes reach a sink.
package enum ResponseCheck {
  package enum Verdict: Hashable {
    /// Exactly these bytes of this representation follow. The first wanted byte is among them. The
    /// bytes can end before or behind the last wanted byte.
    case take(Representation, ByteRange, isWhole: Bool)
    /// Bytes of this body follow. Its length can be unknown.
    case grow(GrowingBody)
    case end(TransferEnd)
  }

  /// - Parameter now: seconds since 1970. A Retry-After that is a date needs it.
  package static func verdict(
    of head: ResponseHead, for request: RangeRequest, now: Int = time(nil)
  ) -> Verdict {
    switch head.status {
    case 206 where isWhole(head, request): asked(checked(head, request, part), request, head)
    case 206 where request.continued != nil: checked(head, request, rest)
    case 206: asked(checked(head, request, partial), request, head)
    case 200 where hasPart(head): asked(checked(head, request, part), request, head)
    case 200: asked(checked(head, request, whole), request, head)
    case 304 where request.isCheck: .end(notModified(head, request))
    case 412: .end(.changed)
    case 416 where request.isCheck: .end(emptiness(head, request))
    case 416: .end(.unsatisfiable(length: unsatisfiedLength(head)))
    default: .end(failure(of: head, now: now))
    }
  }

  /// Returns the end for a status that brings no bytes, whatever the request is.
  static func failure(of head: ResponseHead, now: Int) -> TransferEnd {
    switch head.status {
    case 429, 503:
      .busy(status: head.status, retryAfter: Freshness.retryAfter(of: head, now: now))
    case 401, 403, 404, 410: .gone(status: head.status)
    case 408, 425, 500..<600: .serverError(status: head.status)  // 408, 425: ask again, as 5xx
    default: .refused(.unexpectedStatus(head.status))
    }
  }

  /// If the request is a freshness check, turns a verdict that takes bytes into the end
  /// `notModified`, because a check needs no bytes. Otherwise returns the verdict as it is.
  private static func asked(
    _ verdict: Verdict, _ request: RangeRequest, _ head: ResponseHead
  ) -> Verdict {
    guard request.isCheck, case .take = verdict else { return verdict }
    return .end(.notModified(freshFor: Freshness.remaining(of: head)))
  }

  /// Checks the fields that answers with 200 and 206 share. Then `place` checks the place of the
  /// bytes.
  private static func checked(
    _ head: ResponseHead, _ request: RangeRequest,
    _ place: (ResponseHead, RangeRequest, _ contentLength: Int?) -> Verdict
  ) -> Verdict {
    if let coding = ContentCoding.real(in: head) {
      return .end(.refused(.contentCoding(coding.tamed)))
    }
    let lengths = Set(head.values("content-length"))
    let length = lengths.first.flatMap { Decimal.parse($0) }
    guard lengths.isEmpty || (lengths.count == 1 && length != nil) else {
      return .end(.refused(.contentLength))
    }
    return place(head, request, length)
  }

  /// The limit of a representation's length, in bytes. No media file is that long, and no file or
  /// index of the cache has room for more.
  static let maxBytes = 4 << 40

  /// The limit of bytes that are skipped in front of the wanted ones. Some servers send only whole
  /// blocks of their own, so an answer can begin too early.
  static let maxSkipped = 1 << 20

  private static func partial(
    _ head: ResponseHead, _ request: RangeRequest, _ contentLength: Int?
  ) -> Verdict {
    if head.mediaType == "multipart/byteranges" { return .end(.refused(.multipart)) }
    guard let value = head.values("content-range").first else {
      return .end(
        .refused(.contentRange("it is a part of a file, but has no Content-Range that says which")))
    }
    if request.expected == nil, request.continued == nil, case .open? = head.contentRange {
      return .end(
        .refused(.contentRange("it does not say how long the whole file is: \(value.tamed)")))
    }
    guard let (bytes, length) = place(head.contentRange, request) else {
      return .end(.refused(.contentRange("its Content-Range is garbled: \(value.tamed)")))
    }
    guard length <= maxBytes else { return .end(.refused(.contentLength)) }
    let wanted = request.range.bytes(of: length)
    guard let wanted, holds(bytes, wanted, isExact: request.continued != nil) else {
      let words = "feedfs asked for \(request.range.field), but it has \(value.tamed)"
      return .end(.refused(.contentRange(words)))
    }
    guard contentLength == nil || contentLength == bytes.count else {
      let words = "its Content-Range (\(value.tamed)) contradicts its Content-Length"
      return .end(.refused(bytes == wanted ? .contentLength : .contentRange(words)))
    }
    if let end = difference(of: head, length: length, request) { return .end(end) }
    let found = representation(of: head, length: length, expected: request.expected)
    return .take(found, bytes, isWhole: false)
  }

  /// Returns the bytes that a Content-Range names, and the length of the whole; nil if the field
  /// does not give both. If the expected version has a validator, the field is allowed to leave out
  /// the length, which is then that of the expected version.
  private static func place(
    _ field: ContentRange?, _ request: RangeRequest
  ) -> (ByteRange, Int)? {
    switch field {
    case .bytes(let bytes, let length)?: return (bytes, length)
    case .open(let bytes)?:
      guard let expected = request.expected, expected.validator != .none,
        bytes.upperBound <= expected.length
      else { return nil }
      return (bytes, expected.length)
    case .unsatisfied?, nil: return nil
    }
  }

  /// Whether an answer with `bytes` is accepted if `wanted` was asked for (RFC 9110 §15.3.7). The
  /// answer is allowed to be shorter or longer, or to begin up to `maxSkipped` bytes earlier.
  ///
  /// - Parameter isExact: true if the answer must begin with the first wanted byte, and must not be
  ///   longer.
  private static func holds(_ bytes: ByteRange, _ wanted: ByteRange, isExact: Bool) -> Bool {
    // The rest of a body of unknown length must begin exactly where the body broke off.
    guard !isExact else {
      return bytes.lowerBound == wanted.lowerBound && bytes.upperBound <= wanted.upperBound
    }
    return bytes.contains(wanted.lowerBound)
      && wanted.lowerBound - bytes.lowerBound <= maxSkipped
  }

  /// Whether an answer with status 206 has the whole, with more than `maxSkipped` bytes in front of
  /// the wanted ones. Such an answer is judged like one with status 200.
  private static func isWhole(_ head: ResponseHead, _ request: RangeRequest) -> Bool {
    guard case .bytes(let bytes, let length)? = head.contentRange, bytes == 0..<length,
      let wanted = request.range.bytes(of: length)
    else { return false }
    return wanted.lowerBound > maxSkipped
  }

  /// Whether an answer with status 200 claims to be a part. RFC 9110 §14.4 gives Content-Range no
  /// meaning there, but a part must never be taken for the whole. A value without any digit is only
  /// a misnamed Accept-Ranges.
  static func hasPart(_ head: ResponseHead) -> Bool {
    head.values("content-range").contains { $0.utf8.contains { (0x30...0x39).contains($0) } }
  }

  /// Judges an answer with status 200 that has a Content-Range.
  private static func part(
    _ head: ResponseHead, _ request: RangeRequest, _ contentLength: Int?
  ) -> Verdict {
    switch head.contentRange {
    case .bytes(let bytes, let length)? where bytes == 0..<length:
      guard contentLength == nil || contentLength == length else {
        let words = "its Content-Range contradicts its Content-Length"
        return .end(.refused(.contentRange(words)))
      }
      return whole(head, request, length)
    case .unsatisfied(let length)? where contentLength == length:
      return whole(head, request, length)
    case .bytes?, .open?, .unsatisfied?, nil:
      return request.continued == nil
        ? partial(head, request, contentLength) : rest(head, request, contentLength)
    }
  }

  private static func whole(
    _ head: ResponseHead, _ request: RangeRequest, _ contentLength: Int?
  ) -> Verdict {
    if let contentLength, let end = difference(of: head, length: contentLength, request) {
      return .end(end)
    }
    // Without a length, only the validator identifies the version.
    let known =
      contentLength == nil && !request.ignoresTags ? request.expected?.validator : nil
    guard agrees(head, with: known ?? request.continued ?? .none) else { return .end(.changed) }
    guard let contentLength else { return withoutLength(head, request) }
    guard contentLength <= maxBytes else { return .end(.refused(.contentLength)) }
    guard request.continued == nil else {
      return .grow(growing(head, request, from: 0, of: contentLength))
    }
    let found = representation(of: head, length: contentLength, expected: request.expected)
    return .take(found, 0..<contentLength, isWhole: true)
  }

  private static func withoutLength(_ head: ResponseHead, _ request: RangeRequest) -> Verdict {
    if let expected = request.expected {
      // Without a validator, nothing would distinguish this body from the body of another version.
      return expected.validator == .none || request.ignoresTags
        ? .end(.refused(.noLength)) : .take(expected, 0..<expected.length, isWhole: true)
    }
    if request.media, let sign = LiveStream.sign(in: head) { return .end(.refused(.live(sign))) }
    return request.mayGrow
      ? .grow(growing(head, request, from: 0, of: nil)) : .end(.refused(.noLength))
  }

  /// Judges the answer to a request for the rest of a body of unknown length.
  private static func rest(
    _ head: ResponseHead, _ request: RangeRequest, _ contentLength: Int?
  ) -> Verdict {
    switch partial(head, request, contentLength) {
    case .take(let found, let bytes, _):
      guard agrees(head, with: request.continued ?? .none) else { return .end(.changed) }
      return .grow(growing(head, request, from: bytes.lowerBound, of: found.length))
    case .grow(let body): return .grow(body)
    case .end(let end): return .end(end)
    }
  }

  private static func growing(
    _ head: ResponseHead, _ request: RangeRequest, from start: Int, of length: Int?
  ) -> GrowingBody {
    GrowingBody(
      validator: request.continued ?? validator(of: head), start: start, length: length,
      isFramed: length != nil || head.framesItsBody)
  }

  /// Returns the expected representation, or else the representation that a head describes.
  private static func representation(
    of head: ResponseHead, length: Int, expected: Representation?
  ) -> Representation {
    expected ?? Representation(length: length, validator: validator(of: head))
  }

  /// Returns the validator that a head states. A weak tag (RFC 9110 §8.8.1) and a weak date are
  /// ignored.
  static func validator(of head: ResponseHead) -> Validator {
    if let tag = head.strongTag { return .entityTag(tag) }
    if let date = StatedDate(head), !date.isWeak { return .lastModified(date.text) }
    return .none
  }

  /// Whether a head states `validator`, by the strong comparison of RFC 9110 §8.8.3.2. If
  /// `validator` is `none`, every head agrees, and only the length can differ.
  private static func agrees(_ head: ResponseHead, with validator: Validator) -> Bool {
    switch validator {
    case .entityTag(let tag): head.strongTag == tag
    case .lastModified(let date): head.lastModified == date
    case .none: true
    }
  }

  /// Judges a 304. If the head has the tag of another version, it contradicts itself, and the tag
  /// decides.
  private static func notModified(_ head: ResponseHead, _ request: RangeRequest) -> TransferEnd {
    if case .entityTag(let tag)? = request.expected?.validator, let named = head.strongTag,
      named != tag
    {
      return .changed
    }
    return .notModified(freshFor: Freshness.remaining(of: head))
  }

  /// Judges a 416 to a freshness check, which asks for the first byte. A 416 means that the
  /// representation is empty now. If it was empty before, it has not changed.
  private static func emptiness(_ head: ResponseHead, _ request: RangeRequest) -> TransferEnd {
    guard let length = unsatisfiedLength(head) else { return .unsatisfiable(length: nil) }
    return length == request.expected?.length
      ? .notModified(freshFor: Freshness.remaining(of: head)) : .changed
  }

  private static func unsatisfiedLength(_ head: ResponseHead) -> Int? {
    guard case .unsatisfied(let length)? = head.contentRange else { return nil }
    return length
  }
}
