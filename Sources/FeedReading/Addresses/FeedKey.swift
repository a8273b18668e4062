package import Addresses
import Markup

/// The permanent identity of a feed. It is the URL as typed, without userinfo and fragment.
///
/// The key stays the same when the feed redirects or announces a move. So a feed cannot get the key
/// of another feed. The query of `value` can hold a secret. `shown` and `displayHost` hold no
/// secret.
package struct FeedKey: Hashable, Sendable, CustomStringConvertible {
  /// The URL in a uniform spelling. Scheme and host are in lower case, and the default port is left
  /// out.
  package let value: String
  /// The URL without userinfo, query and fragment, for status and logs.
  package let shown: String
  /// The host, and the port unless it is the default port. For a feed that is a file, the file's
  /// name.
  package let displayHost: String
  /// The absolute path of a feed that is a file; nil for a feed on the web.
  package let path: String?

  /// - Parameter typed: the user's input. Only the user is allowed to name a file, as `/path` or
  ///   `file:///path`.
  package init(_ typed: String) throws(AddressError) {
    path = try Self.path(typed)
    if let path {
      displayHost = String(path.split(separator: "/").last ?? "/")
      shown = path
      value = "file://\(path)"
      return
    }
    let address = try WebAddress.Parts(Self.spelledOut(typed))
    displayHost = address.authority
    shown = "\(address.scheme)://\(address.authority)\(address.path)"
    value = "\(address.scheme)://\(address.authority)\(address.target)"
  }

  package var description: String { shown }

  /// A 64-bit fingerprint of the key.
  package var number: UInt64 { value.fingerprint }

  /// Returns the address to request. It keeps the typed userinfo, so it can hold a secret.
  ///
  /// Also accepts `feed:`, `itpc:` and `pcast:` addresses. Such a scheme is dropped if a whole http
  /// or https address follows it. Otherwise the scheme means `http:`.
  package static func validate(_ typed: String) throws(AddressError) -> String {
    if let path = try path(typed) { return "file://\(path)" }
    return try WebAddress.Parts(spelledOut(typed)).text
  }

  /// Whether the typed address names a file.
  package static func isFile(_ typed: String) -> Bool {
    ((try? path(typed)) ?? nil) != nil
  }

  private static func path(_ typed: String) throws(AddressError) -> String? {
    var path = typed[...]
    if typed.lowercased().hasPrefix("file:") {
      path = typed.dropFirst("file:".count)
      // RFC 8089 §2: the authority of a `file:` address is empty, or names this host.
      for host in ["//localhost/", "///"] where path.hasPrefix(host) {
        path = path.dropFirst(host.count - 1)
      }
    }
    guard path.hasPrefix("/"), !path.hasPrefix("//") else {
      if path.startIndex != typed.startIndex { throw .unsupportedScheme("file") }
      return nil
    }
    return String(path)
  }

  private static func spelledOut(_ typed: String) -> Substring {
    var text = typed[...]
    while text.first?.isWhitespace == true { text = text.dropFirst() }
    while text.last?.isWhitespace == true { text = text.dropLast() }
    let schemes = ["feed:", "itpc:", "pcast:"]
    guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }) else {
      return text
    }
    text = text.dropFirst(scheme.count)
    if text.hasPrefix("//") { text = text.dropFirst(2) }
    let inner = text.lowercased()
    let isWhole = inner.hasPrefix("http://") || inner.hasPrefix("https://")
    return isWhole ? text : "http://" + text
  }
}
