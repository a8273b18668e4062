package import Addresses

/// The reason why a request failed or a setting is refused. No case contains a secret: URLs are in
/// the form of `WebAddress.shown(_:)`.
package enum HTTPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// libcurl, or a thread for it, is not available.
  case unavailable(reason: String)
  case badURL(reason: String)
  case badAddressBlock(String)
  case badHeader(String)
  case badPin(String)
  /// An option, key or variable names no proxy.
  case badProxy(source: String)
  /// A rule of feedfs forbids the request, because of its scheme, its address or the number of
  /// redirects.
  case blocked(url: String, reason: String)
  /// No answer came.
  case unanswered(url: String, Silence)
  /// An answer began to come, but broke off.
  case broken(url: String, reason: String)
  /// - Parameter wants: the schemes by which a 401 asks for a password; nil if the answer names
  ///   none.
  case status(url: String, Int, wants: String? = nil)
  /// The origin answered 429 or 503, now or earlier, and the pause that it asked for is not over.
  /// `retryAfter` is nil if the origin gave no time.
  case busy(url: String, retryAfter: Duration?)
  case refused(url: String, ResponseFault)
  case cancelled

  package init(_ error: AddressError) {
    self = .badURL(reason: error.description)
  }

  package var description: String {
    switch self {
    case .unavailable(let reason): "libcurl cannot be used: \(reason)"
    case .badURL(let reason): reason
    case .badAddressBlock(let text):
      "\"\(text)\" is not a block of addresses; write it as 10.0.0.0/8 or fd00::/8"
    case .badHeader(let reason), .badPin(let reason): reason
    case .badProxy(let source):
      "\(source) is not the address of a proxy; write http://HOST:PORT or socks5h://HOST:PORT, or `--proxy none` for no proxy"
    case .blocked(let url, let reason): "\(url) was not asked: \(reason)"
    case .unanswered(let url, let silence):
      "\(url) \(silence.cause == .proxy ? "was not asked" : "does not answer"): \(silence.words)"
    case .broken(let url, let reason): "the answer of \(url) broke off: \(reason)"
    case .status(let url, let status, let wants):
      "\(url) answered with status \(status)\(Self.hint(for: status, wants))"
    case .busy(let url, let wait?): "\(url) wants no request for \(wait.inWords); try again then"
    case .busy(let url, nil): "\(url) is busy; try again later"
    case .refused(let url, let fault): "the answer of \(url) cannot be used: \(fault)"
    case .cancelled: "the request was cancelled"
    }
  }

  private static func hint(for status: Int, _ wants: String?) -> String {
    switch status {
    case 401 where wants != nil:
      "; it may want a password (\(wants ?? "")), see .netrc and headers in config.toml"
    case 401, 403: "; it may want a password, see .netrc and headers in config.toml"
    case 407: "; the proxy wants a password: give it as http://USER:PASSWORD@HOST:PORT"
    case 404, 410: "; see whether the address is right"
    default: ""
    }
  }
}
