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
