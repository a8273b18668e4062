import CCurl
import Glibc

/// Explains why libcurl gave up. It uses no text of libcurl that could contain a secret.
enum Failure {
  /// - Parameters:
  ///   - proxy: the proxy that the request did not get past; nil if there is none.
  ///   - tunnelStatus: the status of the proxy's answer to CONNECT, or 0.
  static func silence(
    for code: CURLcode, systemError: Int, proxy: Proxy?, tunnelStatus: Int
  ) -> Silence {
    let words = words(for: code, systemError: systemError)
    let own = Silence(words, cause: isClosed(code) ? .closed : .other)
    guard let proxy else { return own }
    if tunnelStatus >= 300 { return proxy.blamed(for: "answered with status \(tunnelStatus)") }
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY: return proxy.blamed(for: "has a name that does not resolve")
    case CURLE_PROXY: return proxy.blamed(for: "refuses the connection")
    // Perhaps the proxy has answered, and the origin causes this fault. So the proxy is not blamed.
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_CONNECT_ERROR:
      return own
    default: return proxy.blamed(for: "does not answer: \(words)")
    }
  }

  private static func words(for code: CURLcode, systemError: Int) -> String {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: "the host's name does not resolve"
    case CURLE_COULDNT_CONNECT: connecting(systemError)
    case CURLE_OPERATION_TIMEDOUT: "no connection was made in time"
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR: "the connection was closed"
    case CURLE_PARTIAL_FILE: "the answer ended too early"
    case CURLE_PEER_FAILED_VERIFICATION: "its certificate is not trusted (see --cacert)"
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: "its public key is not the one of `pins` in config.toml"
    case CURLE_SSL_CACERT_BADFILE: "the file of --cacert cannot be read"
    case CURLE_SSL_CONNECT_ERROR: "the TLS handshake failed"
    default: String(cString: ccurl_easy_strerror(code)).lowercased()
    }
  }

  /// Whether the server answered with something that libcurl could not read as HTTP.
  static func isNoHTTP(_ code: CURLcode) -> Bool {
    [CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL].contains(code)
  }

  private static func isClosed(_ code: CURLcode) -> Bool {
    [CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR].contains(code)
  }

  private static func connecting(_ systemError: Int) -> String {
    switch Int32(truncatingIfNeeded: systemError) {
    case ECONNREFUSED: "connection refused"
    case ENETUNREACH: "network unreachable"
    case EHOSTUNREACH: "no route to the host"
    case ETIMEDOUT: "no connection was made in time"
    default: "no connection could be made"
    }
  }
}
