package import Blocks

/// Names one transfer of a client.
package struct TransferID: Hashable, Sendable {
  let number: Int
}

/// Where the bytes of a range request go.
///
/// All calls come from the client's thread, in order: `accepted` at most once, then `received` any
/// number of times, then `ended`, exactly once in every case. A sink must not block, and may call
/// its client.
package protocol RangeSink: AnyObject, Sendable {
  /// The head of the answer passed the check; what follows are the bytes it announced.
  func accepted(_ answer: AcceptedAnswer)
  /// Bytes that passed, valid during the call; `offset` counts from the representation's begin.
  func received(_ bytes: RawSpan, at offset: Int)
  func ended(_ end: TransferEnd)
}

/// What the head of an answer proved.
package struct AcceptedAnswer: Hashable, Sendable {
  package let representation: Representation
  /// The bytes that follow.
  package let bytes: ByteRange
  /// The origin has no ranges: the whole body follows, from 0.
  package let isWhole: Bool
  package let contentType: String?
  /// How long the answer says that it holds; nil: it does not say.
  package let freshFor: Duration?
  /// Where the bytes come from after redirects, without userinfo; its query may hold secrets.
  package let finalURL: String
}

/// How a range request ended. No text in it holds a secret.
package enum TransferEnd: Hashable, Sendable {
  /// Every byte that was announced has been received.
  case complete
  /// The check's answer: the representation is still the one expected.
  case notModified(freshFor: Duration?)
  /// The URL serves another version than the one expected.
  case changed
  /// 416; `length` is the whole's, if the answer says it.
  case unsatisfiable(length: Int?)
  /// 429 or 503; no `status`: it was not asked, since it said so earlier. With a `retryAfter` nothing
  /// is sent to the origin before, for 5 min at most.
  case busy(status: Int? = nil, retryAfter: Duration?)
  /// 401, 403, 404 or 410: the URL may have expired.
  case gone(status: Int)
  case serverError(status: Int)
  /// The answer failed the check.
  case refused(ResponseFault)
  /// Not one byte of an answer came, though the origin answers others.
  case unanswered(reason: String)
  /// The answer broke off after its head; what was received stays good.
  case broken(reason: String)
  /// Our own rules forbid it: scheme, address, number of redirects.
  case blocked(reason: String)
  case cancelled
}

extension TransferEnd {
  /// What was wrong, for the status; nil where the origin did what it should.
  package var trouble: String? {
    switch self {
    case .complete, .notModified, .changed, .unsatisfiable, .cancelled: nil
    case .busy(nil, _): "it was busy"
    case .busy(let status?, _), .gone(let status), .serverError(let status): "status \(status)"
    case .refused(let fault): "the answer cannot be used: \(fault)"
    case .unanswered(let reason), .broken(let reason), .blocked(let reason): reason
    }
  }

  /// Whether the connection can be used again.
  var keepsConnection: Bool {
    switch self {
    case .complete, .notModified: true
    case .changed, .unsatisfiable, .busy, .gone, .serverError, .refused, .unanswered, .broken,
      .blocked, .cancelled:
      false
    }
  }

  /// Whether another way to the same resource could end better than this one did.
  var mayDependOnURL: Bool {
    switch self {
    case .complete, .notModified, .busy, .cancelled: false
    case .changed, .unsatisfiable, .gone, .serverError, .refused, .unanswered, .broken, .blocked:
      true
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
