/// Scheme, host and port: what limits, backoff and credentials are bound to (RFC 6454 §4).
package struct OriginName: Hashable, Sendable, CustomStringConvertible {
  package let scheme: String
  /// In lower case, an IPv6 address in brackets.
  package let host: String
  package let port: Int

  package var description: String { "\(scheme)://\(host):\(port)" }
}
