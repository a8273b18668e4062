import CCurl
import Glibc

/// Puts into words why libcurl gave up. No text of libcurl that could hold a secret is used.
enum Failure {
  static func words(for code: CURLcode, systemError: Int) -> String {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: "the host's name does not resolve"
    case CURLE_COULDNT_RESOLVE_PROXY: "the proxy's name does not resolve"
    case CURLE_COULDNT_CONNECT: connecting(systemError)
    case CURLE_OPERATION_TIMEDOUT: "no connection came about in time"
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR: "the connection was closed"
    case CURLE_PARTIAL_FILE: "the body ended early"
    case CURLE_PEER_FAILED_VERIFICATION: "its certificate is not to be trusted"
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: "its public key is not the one that is pinned"
    case CURLE_SSL_CACERT_BADFILE: "the file of --cacert cannot be read"
    case CURLE_SSL_CONNECT_ERROR: "TLS does not come about"
    default: String(cString: ccurl_easy_strerror(code)).lowercased()
    }
  }

  /// Whether the server answered with something that libcurl could not read as HTTP.
  static func isNoHTTP(_ code: CURLcode) -> Bool {
    [CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL].contains(code)
  }

  private static func connecting(_ systemError: Int) -> String {
    switch Int32(truncatingIfNeeded: systemError) {
    case ECONNREFUSED: "connection refused"
    case ENETUNREACH: "network unreachable"
    case EHOSTUNREACH: "no route to the host"
    case ETIMEDOUT: "no connection came about in time"
    default: "no connection comes about"
    }
  }
}
