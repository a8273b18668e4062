/// Scheme, host and port: the unit of limits, backoff and credentials (RFC 6454 §4).
package struct OriginName: Hashable, Sendable, CustomStringConvertible {
  package let scheme: String
  /// The host in lower case, an IPv6 address in brackets.
  package let host: String
  package let port: Int

  package init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// The host, followed by the port unless that is the default port of the scheme.
  package var authority: String {
    port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
  }

  package var description: String { "\(scheme)://\(host):\(port)" }
}
