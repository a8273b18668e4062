import Addresses

/// Words that a transfer and its loop share.
extension Transfer {
  enum HopEnd {
    case redirect(WebAddress, isPermanent: Bool)
    case end(TransferEnd)
    /// The request was not sent: libcurl chose a connection that must not be used.
    case untrusted
  }

  /// The part of a transfer among those that ask the same.
  enum Role {
    /// The client's own transfer.
    case first
    /// A second ask: the same place once more, over a new connection.
    case second
    /// A transfer that asks the redirector again.
    case walker
  }

  /// The fate of a piece of a body.
  enum Taking {
    case taken
    /// The rate limit is used up: libcurl has to pass the piece again.
    case later
    /// The hop ends.
    case over
  }
}
