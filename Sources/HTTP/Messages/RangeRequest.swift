package import Blocks

/// The bytes of a representation that a request asks for (RFC 9110 §14.1.2).
package enum RequestedRange: Hashable, Sendable {
  case bytes(ByteRange)
  /// All bytes from this offset on.
  case from(Int)
  /// This number of bytes at the end of the representation.
  case suffix(Int)

  /// The value of the Range header.
  var field: String {
    switch self {
    case .bytes(let bytes): "bytes=\(bytes.lowerBound)-\(bytes.upperBound - 1)"
    case .from(let offset): "bytes=\(offset)-"
    case .suffix(let count): "bytes=-\(count)"
    }
  }

  /// Returns the bytes that a correct answer brings if the whole has `length` bytes; nil if it
  /// brings none.
  func bytes(of length: Int) -> ByteRange? {
    switch self {
    case .bytes(let bytes):
      bytes.lowerBound < length ? bytes.lowerBound..<min(bytes.upperBound, length) : nil
    case .from(let offset): offset < length ? offset..<length : nil
    case .suffix(let count):
      length > 0 ? length - min(count, length)..<length : nil
    }
  }
}

/// A request to an origin. It asks for bytes of a representation, or whether the representation is
/// still the same.
package struct RangeRequest: Hashable, Sendable {
  /// The urgency of a request. A request with a lower value starts first.
  package enum Priority: Int, Comparable, Sendable {
    /// A reader waits for the bytes.
    case demand
    /// No reader waits for the bytes yet. The request starts when no `demand` request to its origin
    /// waits to start.
    case ahead
    /// Perhaps no reader will ever want the bytes. At most two such requests to one origin run at
    /// once. While other requests to the origin run, such a request makes no new connection.
    case background

    package static func < (left: Self, right: Self) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  package let url: String
  package private(set) var range: RequestedRange
  /// The version to which the bytes must belong; nil if no version is known yet. In that case the
  /// answer proves the length and the validator.
  package private(set) var expected: Representation?
  /// True if video or audio is expected. An HTML or XML answer then comes from a captive portal, or
  /// reports an error.
  package let media: Bool
  package let priority: Priority
  /// True for a freshness check, which only asks whether the URL still serves `expected`. It ends
  /// with `.notModified`, `.changed` or a failure, and never brings bytes.
  package let isCheck: Bool
  /// If the request asks for the rest of a body of unknown length, the validator of that body;
  /// otherwise nil. The answer can start again at byte 0, and need not state a length.
  package private(set) var continued: Validator?
  /// True if an answer without a length is accepted.
  package var mayGrow = false
  /// True if the tag of the answer is ignored, because the origin gives the same bytes several
  /// tags. Then length and `date` distinguish the versions.
  package var ignoresTags = false
  /// The strong Last-Modified of the expected version, in addition to its validator; nil if none is
  /// known.
  package var date: String?
  /// True if the request does not wait for an origin that is unreachable or has asked for a pause.
  /// It tries once, and then fails.
  package var failsFast = false
  /// True if the request is sent only once. An answer with other bytes, or with the whole, is
  /// refused at its head, and teaches nothing about the server. If no answer comes, or the origin
  /// turns the request away, it is not sent again either. Only libcurl repeats it, if a reused
  /// connection is closed before an answer.
  package var asksOnce = false
  /// True for a segment of a stream. Its first bytes can be encrypted, or belong to a picture in
  /// front of the segment.
  package var isSegment = false
  /// Whether the request is allowed to name its version in If-Range. It names the version only if a
  /// strong validator is known (`namesVersion`).
  private(set) var hasIfRange = true
  /// Whether the request has a Range. Without one, an answer brings the whole.
  private(set) var hasRange = true
  /// The URL that the user typed for this request's feed. Only the host, user name, password and
  /// header fields of this URL count as typed for this request. If it is nil, those of all typed
  /// URLs count.
  package var feed: TypedAddress?
  /// Further header fields, which are sent only to the origin of `url`. They can contain secrets.
  package var headers: [HeaderField] = []
  /// The cookies that the request shares with other requests; nil if it shares none.
  package var cookies: CookieJar?

  package init(
    url: String, range: RequestedRange, expected: Representation?, media: Bool = true,
    priority: Priority = .demand
  ) {
    switch range {
    case .bytes(let bytes): precondition(!bytes.isEmpty && bytes.lowerBound >= 0)
    case .from(let offset): precondition(offset >= 0)
    case .suffix(let count): precondition(count > 0)
    }
    self.url = url
    self.range = range
    self.expected = expected
    self.media = media
    self.priority = priority
    isCheck = false
  }

  /// Creates a request for the rest of a body whose length is not known, from `offset` on.
  package init(
    continuing validator: Validator, at url: String, from offset: Int, priority: Priority
  ) {
    self.init(url: url, range: .from(offset), expected: nil, priority: priority)
    continued = validator
    mayGrow = true
  }

  /// Creates a freshness check: a conditional request for one byte, which asks whether `url` still
  /// serves `expected`.
  package init(
    checking expected: Representation, at url: String, media: Bool = true,
    priority: Priority = .ahead
  ) {
    self.url = url
    range = .bytes(0..<1)
    self.expected = expected
    self.media = media
    self.priority = priority
    isCheck = true
  }

  /// Returns the same request for `range`, with `expected` as its version.
  func asking(
    for range: RequestedRange, of expected: Representation?, ifRange: Bool
  ) -> RangeRequest {
    var other = self
    (other.range, other.expected, other.hasIfRange) = (range, expected, ifRange)
    return other
  }

  /// Returns the same request without a Range, and so without an If-Range.
  func askingForAll() -> RangeRequest {
    var other = self
    (other.hasRange, other.hasIfRange) = (false, false)
    return other
  }

  /// Whether the request has an If-Range.
  var namesVersion: Bool { fields.contains { $0.hasPrefix("If-Range:") } }

  /// The header lines of the request.
  var fields: [String] {
    var fields = ["Accept-Encoding: identity"]
    if hasRange { fields.append("Range: \(range.field)") }
    guard hasIfRange || isCheck else { return fields }
    switch expected?.validator ?? continued {
    case .entityTag(let tag)? where EntityTag.isStrong(tag) && !ignoresTags:
      fields.append(isCheck ? "If-None-Match: \(tag)" : "If-Range: \(tag)")
    case .lastModified(let date)? where HTTPDate.isValid(date):
      fields.append(isCheck ? "If-Modified-Since: \(date)" : "If-Range: \(date)")
    case .entityTag?, .lastModified?, .some(.none), nil: break
    }
    return fields
  }
}
