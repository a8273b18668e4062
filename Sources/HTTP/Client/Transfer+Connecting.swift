import Addresses
import CCurl
import Glibc

extension Transfer {
  /// The choices of `TransferLoop` for one hop (`HopEnd`): how its request gets to the origin.
  struct Way {
    /// True if libcurl must open a new connection.
    var isAnew: Bool
    /// The time for which libcurl is allowed to use a resolved name.
    var names: Duration
    /// The head start of the first kind of address (IPv6 or IPv4) before the other is tried too.
    var headStart: Duration
    var mayUseHTTP3: Bool
    /// True if libcurl also reads the system's folder of CA certificates, not only the system's
    /// file of them.
    var asksFolder: Bool
    /// The scheme by which a password is sent.
    var scheme: AuthScheme
    /// The addresses that are not tried.
    var avoided: Set<IPAddress>
  }

  /// A socket that was opened for a hop, and the number that `Sockets` gave it.
  struct Attempt {
    let address: IPAddress
    let at: ContinuousClock.Instant
    let socket: curl_socket_t
    let number: Int
  }

  /// The sockets of one hop, and the connection that its request went over.
  struct Connecting {
    var gate: SocketGate?
    var sockets: Sockets?
    /// The reason why an address of the host was refused; nil if none was refused.
    var refusedAddress: String?
    /// The addresses that are not tried.
    var avoided: Set<IPAddress> = []
    /// The avoided addresses that libcurl wanted to try.
    var skipped: Set<IPAddress> = []
    /// The sockets that were opened.
    var attempts: [Attempt] = []
    /// The time when libcurl last wanted to try an address.
    var cameToOneAt: ContinuousClock.Instant?
    /// True if the host's name has no further address to try.
    var hasNoOther = false
    /// The kind of address that was tried first; nil if no socket was opened.
    var first: IPAddress.Family?
    /// The kind of connection that the request went over; nil if it has none yet.
    var use: Connections.Use?
    /// The kind of address of the connection that the request went over; nil if it has none yet.
    var winner: IPAddress.Family?
    /// The time when the request went over a connection; nil before that.
    var askedAt: ContinuousClock.Instant?
    var isNews = false
  }

  /// The kind of connection that the request went over; nil if it has none yet.
  var use: Connections.Use? { connecting.use }

  /// The time when the request went over a connection; nil before that.
  var askedAt: ContinuousClock.Instant? { connecting.askedAt }

  /// Returns the facts about the connection at the first call after the request went over it; nil
  /// at any other call.
  func takeConnection() -> Connecting? {
    defer { connecting.isNews = false }
    return connecting.isNews ? connecting : nil
  }

  /// Returns the time until the last byte of the body comes, at the rate so far; nil before the
  /// first byte, or if the number of missing bytes is not known.
  func timeLeft(at now: ContinuousClock.Instant) -> Duration? {
    guard let begun = bodyBegan, bodyBytes > 0, let missing = exchange.bytesMissing else {
      return nil
    }
    return (now - begun) * (Double(missing) / Double(bodyBytes))
  }

  /// The attempts whose sockets are open, but not connected yet.
  var silentAttempts: [Attempt] {
    connecting.attempts.filter { connecting.sockets?.isConnected($0.socket, $0.number) == false }
  }

  /// Whether one of the attempts has a TCP connection. Its TLS handshake is perhaps not done yet.
  private var isConnected: Bool {
    connecting.attempts.contains {
      connecting.sockets?.isConnected($0.socket, $0.number) == true
    }
  }

  /// If the last address that libcurl wanted to try was refused, left out or has failed, the time
  /// of that attempt; otherwise nil.
  var isBetweenAddressesSince: ContinuousClock.Instant? {
    guard isAsking, use == nil, let came = connecting.cameToOneAt else { return nil }
    let isTrying = connecting.attempts.last.map {
      $0.at >= came && connecting.sockets?.isConnected($0.socket, $0.number) != nil
    }
    return isTrying ?? false ? nil : came
  }

  /// Whether no attempt has a usable connection: each is silent, or in the TLS handshake. Another
  /// address can then be tried beside them.
  var isWithoutConnection: Bool {
    isAsking && use == nil && !connecting.hasNoOther
      && (isInTLS || !isConnected && !silentAttempts.isEmpty)
  }

  /// Whether an attempt has a TCP connection to the host itself, and its TLS handshake is not done.
  var isInTLS: Bool {
    isAsking && use == nil && url.origin.scheme == "https" && connecting.gate?.proxy == nil
      && isConnected
  }

  // MARK: libcurl's callbacks

  /// Opens a socket for the address. Returns `ccurl_no_socket` if the address is avoided or
  /// refused, or if no socket can be opened.
  func openSocket(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
    let ip = IPAddress(ccurl_address(address), byteCount: Int(address.pointee.addrlen))
    connecting.cameToOneAt = .now
    if let ip, connecting.avoided.contains(ip) {
      connecting.skipped.insert(ip)
      return ccurl_no_socket
    }
    switch connecting.gate?.open(address) {
    case .socket(let descriptor):
      let isV6 = address.pointee.family == AF_INET6
      let isStream = address.pointee.socktype == Int32(SOCK_STREAM.rawValue)
      if let number = connecting.sockets?.opened(descriptor, for: url.origin), let ip, isStream {
        connecting.attempts.append(
          Attempt(address: ip, at: .now, socket: descriptor, number: number))
      }
      connecting.first = connecting.first ?? (isV6 ? .v6 : .v4)
      return descriptor
    case .refused(let reason):
      connecting.refusedAddress = reason
      return ccurl_no_socket
    case .failed, nil: return ccurl_no_socket
    }
  }

  /// Notes the connection that libcurl has chosen, and returns whether the request is allowed to go
  /// over it.
  func mayGo(over ends: Sockets.Ends) -> Bool {
    connecting.use = connecting.sockets?.uses(ends, by: id, of: url.origin)
    connecting.winner = ends.remote.family
    connecting.isNews = true
    connecting.askedAt = .now
    return use != .refused
  }
}
