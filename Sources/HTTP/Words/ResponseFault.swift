/// Why the bytes of an answer are not taken.
package enum ResponseFault: Hashable, Sendable, CustomStringConvertible {
  case notHTTP
  case headTooLarge
  case unexpectedStatus(Int)
  /// Missing, doubled, garbled or not what was asked.
  case contentRange(String)
  case contentLength
  case contentCoding(String)
  case multipart
  /// A page, text of a program or picture where video or audio was expected.
  case notMedia(contentType: String)
  /// A list of where parts of a film are; `what` it is.
  case list(_ what: String)
  /// A whole body whose length nobody knows.
  case noLength
  case tooManyBytes
  case badRedirect

  package var description: String {
    switch self {
    case .notHTTP: "it is not HTTP"
    case .headTooLarge: "its head is too large"
    case .unexpectedStatus(let status): "status \(status)"
    case .contentRange(let words): words
    case .contentLength:
      "its Content-Length contradicts its Content-Range, is no number, or is more than any film has"
    case .contentCoding(let coding): "it is encoded (\(coding)) though that was not asked for"
    case .multipart: "it has several parts though one was asked for"
    case .notMedia(let type): "it is a page (\(type)) instead of video or audio"
    case .list(let what): "it is \(what) instead of video or audio, which feedfs cannot read"
    case .noLength: "it does not say how long it is"
    case .tooManyBytes: "more bytes came than it announced"
    case .badRedirect: "it redirects to nowhere"
    }
  }
}

extension ResponseFault {
  /// Whether it says something of the address, which would be the same at the next request; not of the
  /// connection.
  package var isVerdict: Bool {
    switch self {
    case .notHTTP, .headTooLarge, .contentLength, .tooManyBytes: false
    case .unexpectedStatus, .contentRange, .contentCoding, .multipart, .notMedia, .list, .noLength,
      .badRedirect:
      true
    }
  }
}
