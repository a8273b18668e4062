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
  /// True if nothing is at the address, or if the address has expired.
  package var isGone: Bool {
    if case .gone = self { true } else { false }
  }

  /// True if an address that never worked before will not work later either, as this end shows.
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
