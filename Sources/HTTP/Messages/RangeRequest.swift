package import Blocks

/// Which bytes of a representation are asked for (RFC 9110 §14.1.2).
package enum RequestedRange: Hashable, Sendable {
  case bytes(ByteRange)
  /// The last so many bytes.
  case suffix(Int)

  /// The range-set of the Range header.
  var field: String {
    switch self {
    case .bytes(let bytes): "bytes=\(bytes.lowerBound)-\(bytes.upperBound - 1)"
    case .suffix(let count): "bytes=-\(count)"
    }
  }

  /// What a right answer brings when the whole has `length` bytes; nil if nothing is in reach.
  func bytes(of length: Int) -> ByteRange? {
    switch self {
    case .bytes(let bytes):
      bytes.lowerBound < length ? bytes.lowerBound..<min(bytes.upperBound, length) : nil
    case .suffix(let count):
      length > 0 ? length - min(count, length)..<length : nil
    }
  }
}

/// One question to an origin: bytes of a representation, or whether it is still the same.
package struct RangeRequest: Hashable, Sendable {
  /// What goes first is less.
  package enum Priority: Int, Comparable, Sendable {
    /// A reader waits for it.
    case demand
    /// Nobody waits yet; it starts when no demand of its origin waits for a place.
    case ahead
    /// Perhaps nobody ever will: two at most, and no new connection beside others at work.
    case background

    package static func < (left: Self, right: Self) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  package let url: String
  package let range: RequestedRange
  /// What the bytes must belong to; nil: the answer is the first proof of length and validator.
  package let expected: Representation?
  /// The entry is video or audio: an HTML or XML answer is a captive portal's or an error's.
  package let media: Bool
  package let priority: Priority
  /// Asks only whether `expected` is still what the URL serves: the answer is `.notModified`,
  /// `.changed` or a failure, never bytes.
  package let isCheck: Bool
  /// The URL that the user typed for the feed that this is for: its host, user name and password count
  /// as typed here; nil: those of all that he typed.
  package var feed: WebURL?

  package init(
    url: String, range: RequestedRange, expected: Representation?, media: Bool = true,
    priority: Priority = .demand
  ) {
    switch range {
    case .bytes(let bytes): precondition(!bytes.isEmpty && bytes.lowerBound >= 0)
    case .suffix(let count): precondition(count > 0)
    }
    self.url = url
    self.range = range
    self.expected = expected
    self.media = media
    self.priority = priority
    isCheck = false
  }

  /// A conditional request for one byte: is `expected` still what `url` serves?
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

  /// The header lines that make the question.
  var fields: [String] {
    var fields = ["Accept-Encoding: identity", "Range: \(range.field)"]
    switch expected?.validator {
    case .entityTag(let tag)? where EntityTag.isStrong(tag):
      fields.append(isCheck ? "If-None-Match: \(tag)" : "If-Range: \(tag)")
    case .lastModified(let date)? where HTTPDate.isValid(date):
      fields.append(isCheck ? "If-Modified-Since: \(date)" : "If-Range: \(date)")
    case .entityTag?, .lastModified?, .some(.none), nil: break
    }
    return fields
  }
}
