package import Filling
package import HTTP

extension FetchEnd {
  /// The longest `Retry-After` that is obeyed. It is limited because a reader waits for the bytes.
  private static let maxPause: Duration = .seconds(300)

  package init(_ end: TransferEnd) {
    switch end {
    case .complete: self = .complete
    case .unanswered, .cancelled: self = .unanswered
    case .broken, .serverError, .refused, .notModified: self = .failed
    case .busy(_, let delay): self = .busy(after: delay.map { min($0, Self.maxPause) })
    case .gone: self = .gone
    case .changed: self = .changed
    case .doubted: self = .doubted
    case .unsatisfiable(let length): self = .unsatisfiable(length: length)
    case .blocked: self = .blocked
    }
  }
}

extension TransferEnd {
  /// True if nothing is at the address, or if it has expired.
  package var isGone: Bool {
    if case .gone = self { true } else { false }
  }

  /// True if this end shows that an address that never worked can never be used.
  package var isVerdict: Bool {
    switch self {
    case .refused(let fault): fault.isVerdict
    case .blocked: true
    case .complete, .notModified, .changed, .doubted, .unsatisfiable, .busy, .gone, .serverError,
      .unanswered, .broken, .cancelled:
      false
    }
  }
}
