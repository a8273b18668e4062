/// The reason why the bytes of an answer are refused.
package enum ResponseFault: Hashable, Sendable, CustomStringConvertible {
  case notHTTP
  case headTooLarge
  case unexpectedStatus(Int)
  /// The Content-Range is missing, repeated or garbled, or it is not the requested range.
  case contentRange(String)
  case contentLength
  case contentCoding(String)
  case multipart
  /// A page, a picture, a document or an archive where video or audio was expected. `contentType`
  /// is its media type, or words that say what its first bytes show.
  case notMedia(contentType: String)
  /// A list, such as a playlist or a torrent, instead of video or audio.
  case list(ListKind)
  /// A live stream, which has no end. `sign` says how it was recognized.
  case live(_ sign: String)
  /// The answer is a whole body, and does not say how long it is.
  case noLength
  case tooManyBytes
  /// A document that is longer than the limit of its request, in bytes.
  case longerThan(Int)
  case badRedirect

  package var description: String {
    switch self {
    case .notHTTP: "it is not HTTP"
    case .headTooLarge: "its head is too large"
    case .unexpectedStatus(let status): "status \(status)"
    case .contentRange(let words): words
    case .contentLength:
      "its Content-Length contradicts its Content-Range, is no number, or is longer than any film"
    case .contentCoding(let coding): "it is encoded (\(coding)), which feedfs did not ask for"
    case .multipart: "it has several parts, but feedfs asked for one"
    case .notMedia(let type):
      "it is \(type.hasPrefix("text/") ? "a page (\(type))" : type) instead of video or audio"
    case .list(let kind) where kind.mayBeStream: "it is \(kind.words) instead of video or audio"
    case .list(let kind): "it is \(kind.words), which feedfs cannot read, instead of video or audio"
    case .live(let sign): "it is a live stream, which never ends, and cannot be a file: \(sign)"
    case .noLength: "it does not say how long the file is"
    case .tooManyBytes: "more bytes came than it announced"
    case .longerThan(let bytes):
      "it is longer than \(bytes < 1 << 20 ? "\(bytes) bytes" : "\(bytes >> 20) MiB")"
    case .badRedirect: "it is a redirect without an address that can be used"
    }
  }
}

extension ResponseFault {
  /// Whether an origin can answer like this because the address has expired.
  package var mayBeGone: Bool {
    switch self {
    case .unexpectedStatus(let status): (400..<500).contains(status)
    case .notMedia: true
    case .notHTTP, .headTooLarge, .contentRange, .contentLength, .contentCoding, .multipart, .list,
      .live, .noLength, .tooManyBytes, .longerThan, .badRedirect:
      false
    }
  }

  /// True if the address itself causes the fault, so that the next request would meet it again.
  /// False if the connection can be the cause.
  package var isVerdict: Bool {
    switch self {
    case .notHTTP, .headTooLarge, .contentLength, .tooManyBytes: false
    case .unexpectedStatus, .contentRange, .contentCoding, .multipart, .notMedia, .list, .live,
      .noLength, .longerThan, .badRedirect:
      true
    }
  }
}
