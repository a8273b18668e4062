/// The end of a transfer. No text in it contains a secret.
package enum TransferEnd: Hashable, Sendable {
  /// All announced bytes came.
  case complete
  /// The answer to a freshness check: the origin still serves the expected version.
  case notModified(freshFor: Duration?)
  /// The URL serves another version than the expected one.
  case changed
  /// The answer has another tag than the expected version, but the same length, and no strong date
  /// that differs. Only the bytes can show whether it is another version.
  case doubted
  /// 416. `length` is the length of the whole; nil if the answer does not state it.
  case unsatisfiable(length: Int?)
  /// 429 or 503. If `status` is nil, the origin was not asked, because the pause that it asked for
  /// earlier is not over. If `retryAfter` is given, nothing is sent to the origin for that time, 5
  /// min at most.
  case busy(status: Int? = nil, retryAfter: Duration?)
  /// 401, 403, 404 or 410: the URL has perhaps expired. `wants` names the schemes by which a 401
  /// asks for a password; nil if there are none.
  case gone(status: Int, wants: String? = nil)
  case serverError(status: Int)
  /// The answer failed the response check.
  case refused(ResponseFault)
  /// No byte of an answer came. A range request ends like this only if it `failsFast`, or if the
  /// origin answers other requests. Otherwise it waits.
  case unanswered(Silence)
  /// The answer broke off after its head. The received bytes stay valid.
  case broken(reason: String)
  /// A rule of feedfs forbids the request, because of its scheme, its address or the number of
  /// redirects.
  case blocked(reason: String)
  case cancelled
}

extension TransferEnd {
  /// The reason of a failure, as text for the status of the mount; nil if the end is no failure.
  package var trouble: String? {
    switch self {
    case .complete, .notModified, .changed, .doubted, .unsatisfiable, .cancelled: nil
    case .busy(nil, _): "the origin was busy"
    case .gone(let status, let wants?): "status \(status), the origin wants a password (\(wants))"
    case .busy(let status?, _), .gone(let status, nil), .serverError(let status): "status \(status)"
    case .refused(let fault): "the answer cannot be used: \(fault)"
    case .unanswered(let silence): silence.words
    case .broken(let reason), .blocked(let reason): reason
    }
  }

  /// The end of a transfer that has already brought bytes. If its next request got no answer, the
  /// transfer counts as broken off.
  var afterBytes: TransferEnd {
    if case .unanswered(let silence) = self { .broken(reason: silence.words) } else { self }
  }

  /// Whether the connection can be used again.
  var keepsConnection: Bool {
    switch self {
    case .complete, .notModified: true
    case .changed, .doubted, .unsatisfiable, .busy, .gone, .serverError, .refused, .unanswered,
      .broken, .blocked, .cancelled:
      false
    }
  }

  /// Whether the same request could succeed at another URL of the resource.
  var mayDependOnURL: Bool {
    switch self {
    case .complete, .notModified, .busy, .cancelled: false
    case .changed, .doubted, .unsatisfiable, .gone, .serverError, .refused, .unanswered, .broken,
      .blocked:
      true
    }
  }

  /// Whether the URL has perhaps expired, though the status does not say so: the origin refuses the
  /// request (400, 406, 419 …), or sends a page in place of the resource.
  package var mayBeGone: Bool {
    if case .refused(let fault) = self { fault.mayBeGone } else { false }
  }
}
