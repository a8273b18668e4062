import Addresses

/// Types that `Transfer` and `TransferLoop` share.
extension Transfer {
  /// The end of one hop, which is one request of a transfer and its answer.
  enum HopEnd {
    case redirect(WebAddress, isPermanent: Bool)
    case end(TransferEnd)
    /// The request was not sent: libcurl chose a connection that must not be used.
    case untrusted
    /// The request was not sent: no authority in the system's CA file has signed the certificate.
    /// The folder of CAs was not tried yet.
    case unvouched
    /// The origin wants the password by another scheme.
    case challenged(AuthScheme)
    /// The exchange sends another question to the same URL. `keepsConnection` is true if the whole
    /// answer was read, so that the connection is free.
    case again(keepsConnection: Bool)
  }

  /// The role of a transfer. Several transfers can send the same request at once. The first answer
  /// is used.
  enum Role {
    /// The first transfer for a request, which the client's caller started.
    case first
    /// A second ask: the same request to the same URL, over a new connection.
    case second
    /// The same request to the same URL, at an address that no other transfer tries.
    case racer
    /// A transfer that starts again at the first URL, because the redirect there can lead to
    /// another target now.
    case walker
  }

  /// The reply of a transfer to libcurl, which has passed a piece of a body to it.
  enum Taking {
    case taken
    /// The rate limit allows no bytes now. libcurl has to pass the piece again later.
    case later
    /// The hop ends.
    case over
  }
}
