import Addresses
import CCurl
import Glibc

extension Transfer {
  /// The choices of the loop for one hop: how the request gets to its origin.
  struct Way {
    /// True if libcurl must open a connection.
    var isAnew: Bool
    /// For how long libcurl may use a resolved name.
    var names: Duration
    /// The time that the first kind of address has before the other is tried too.
    var headStart: Duration
    var mayUseHTTP3: Bool
    /// True if libcurl asks the system's folder of authorities too, not only the file.
    var asksFolder: Bool
    /// The scheme by which a password goes along.
    var scheme: AuthScheme
  }

  /// The sockets of one hop, and the connection that its request went over.
  struct Connecting {
    var gate: SocketGate?
    var sockets: Sockets?
    /// The address that must not be reached, in words.
    var refusedAddress: String?
    /// The kind of address that was tried first; nil if no socket was opened.
    var first: IPAddress.Family?
    /// The kind of connection that the request went over; nil if it has none yet.
    var use: Connections.Use?
    /// The kind of address of that connection.
    var winner: IPAddress.Family?
    var isNews = false
  }

  /// The kind of connection that the request went over; nil if it has none yet.
  var use: Connections.Use? { connecting.use }

  /// Returns the connection once, after the request went over it.
  func takeConnection() -> Connecting? {
    defer { connecting.isNews = false }
    return connecting.isNews ? connecting : nil
  }

  /// The time until the last byte at the present rate; nil before the first byte.
  func timeLeft(at now: ContinuousClock.Instant) -> Duration? {
    guard let begun = bodyBegan, bodyBytes > 0, let missing = exchange.bytesMissing else {
      return nil
    }
    return (now - begun) * (Double(missing) / Double(bodyBytes))
  }

    /// The time when the request went over it.
    var askedAt: ContinuousClock.Instant?
  // MARK: libcurl's callbacks

  /// Opens a socket for the address. Returns no socket if the address may not be reached.
  func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    switch connecting.gate?.open(address) {
    case .socket(let descriptor):
  /// The time when the request went over a connection.
  var askedAt: ContinuousClock.Instant? { connecting.askedAt }

      connecting.sockets?.opened(descriptor, for: url.origin)
      let isV6 = address.pointee.family == AF_INET6
      connecting.first = connecting.first ?? (isV6 ? .v6 : .v4)
      return descriptor
    case .refused(let reason):
      connecting.refusedAddress = reason
      return ccurl_no_socket
    case .failed, nil: return ccurl_no_socket
    }
  }

  /// Whether the request may go over the connection between `ends`.
  func mayGo(over ends: Sockets.Ends) -> Bool {
    connecting.use = connecting.sockets?.uses(ends, by: id, of: url.origin)
    connecting.winner = ends.remote.family
    connecting.isNews = true
    return use != .refused
  }
}
    connecting.askedAt = .now
