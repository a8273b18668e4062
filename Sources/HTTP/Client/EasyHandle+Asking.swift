import Addresses
import CCurl

extension EasyHandle {
  /// Sets the options that both range requests and document requests need.
  ///
  /// - Parameter way: how the request gets to its origin.
  func ask(
    _ url: WebAddress, _ configuration: HTTPConfiguration, _ way: Transfer.Way
  ) throws(HTTPError) {
    try set(CURLOPT_URL, url.text)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_NOSIGNAL, 1)
    try set(
      CURLOPT_HTTP_VERSION, way.mayUseHTTP3 ? CURL_HTTP_VERSION_3 : CURL_HTTP_VERSION_2TLS)
    // feedfs handles redirects, credentials and proxies. libcurl must not follow a redirect, or
    // look for credentials or a proxy, by itself.
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_NETRC, 0)
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try believe(configuration.trust, at: url.host, asksFolder: way.asksFolder)
    try set(CURLOPT_PROXY, configuration.proxies.proxy(for: url)?.url ?? "")
    try set(CURLOPT_NOPROXY, "")
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_USERAGENT, configuration.userAgent)
    try set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
    try set(CURLOPT_TCP_NODELAY, 1)
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    try set(CURLOPT_BUFFERSIZE, Self.receiveBuffer)
    // Old radio servers begin their answers like this. Without this option, libcurl would not take
    // such an answer for HTTP.
    try takeAsOK("ICY 200 OK")
    try set(CURLOPT_FRESH_CONNECT, way.isAnew ? 1 : 0)
    try set(CURLOPT_DNS_CACHE_TIMEOUT, Int(way.names.components.seconds))
    try set(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, way.headStart.milliseconds)
  }

  /// Sets the weight by which the request shares a connection with others, if the server respects
  /// weights (RFC 7540 §5.3).
  func weigh(_ priority: RangeRequest.Priority) throws(HTTPError) {
    try set(CURLOPT_STREAM_WEIGHT, priority.weight)
  }

  /// Requires TLS 1.2 or later, and a verified certificate. The system's settings for OpenSSL
  /// cannot weaken these requirements.
  private func believe(
    _ trust: Trust, at host: String, asksFolder: Bool
  ) throws(HTTPError) {
    for version in [CURLOPT_SSLVERSION, CURLOPT_PROXY_SSLVERSION] {
      try set(version, ccurl_tls_1_2)
    }
    for peer in [CURLOPT_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYPEER] { try set(peer, 1) }
    for name in [CURLOPT_SSL_VERIFYHOST, CURLOPT_PROXY_SSL_VERIFYHOST] { try set(name, 2) }
    if let authorities = trust.authorities {
      for file in [CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO] { try set(file, authorities) }
      for folder in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] { try clear(folder) }
    }
    if !asksFolder {
      try keepAuthorities(for: Self.authoritiesHold, hasFolder: trust.authorities == nil)
    }
    if let pin = trust.pin(of: host) { try set(CURLOPT_PINNEDPUBLICKEY, pin) }
  }

  /// Makes libcurl call `transfer`, which must live until the handle has left its multi handle.
  func report(to transfer: Transfer) throws(HTTPError) {
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    try set(CURLOPT_HEADERDATA, context)
    try set(CURLOPT_HEADERFUNCTION) { bytes, _, count, context in
      guard let transfer = Transfer.from(context) else { return 0 }
      return transfer.takeLine(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }
    try set(CURLOPT_WRITEDATA, context)
    try set(CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
      guard let transfer = Transfer.from(context) else { return 0 }
      switch transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) {
      case .taken: return count
      case .later: return ccurl_pause_writing
      case .over: return 0
      }
    }
    try setOpenSocket(
      { context, purpose, address in
        guard purpose == CURLSOCKTYPE_IPCXN, let address, let transfer = Transfer.from(context)
        else { return ccurl_no_socket }
        return transfer.openSocket(address)
      }, context)
    try setBeforeRequest(
      { context, remote, local, remotePort, localPort in
        guard let transfer = Transfer.from(context), let remote, let local,
          let remote = IPAddress(parsing: String(cString: remote)),
          let local = IPAddress(parsing: String(cString: local))
        else { return CURL_PREREQFUNC_OK }
        let ends = Sockets.Ends(
          local: local, localPort: Int(localPort), remote: remote, remotePort: Int(remotePort))
        return transfer.mayGo(over: ends) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      }, context)
  }

  /// Makes libcurl call `sockets` to close the sockets of this handle's connections.
  func close(with sockets: Sockets) throws(HTTPError) {
    try setCloseSocket(
      { context, socket in
        guard let context else { return 1 }
        Unmanaged<Sockets>.fromOpaque(context).takeUnretainedValue().closed(socket)
        return 0
      }, Unmanaged.passUnretained(sockets).toOpaque())
  }

  /// The size of the receive buffer. libcurl passes on pieces of 16 KiB, and one recv fills several
  /// of them.
  private static let receiveBuffer = 128 << 10  // bytes
  /// The time for which libcurl keeps the CA certificates that it has read. A change of their file
  /// is noticed only after this time.
  private static let authoritiesHold = Duration.seconds(600)
}

extension RangeRequest.Priority {
  /// The weight of an HTTP/2 stream, 1 to 256.
  fileprivate var weight: Int {
    switch self {
    case .demand: 256
    case .ahead: 64
    case .background: 1
    }
  }
}

extension Transfer {
  fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }
}
