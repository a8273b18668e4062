package import Addresses

/// A proxy that the user named. feedfs trusts it, so it can have a private address.
package struct Proxy: Hashable, Codable, Sendable {
  /// The URL for libcurl. It can contain a password.
  let url: String
  /// Host and port, without a password: "proxy.example.org:3128".
  package let place: String
  /// The option, key or variable that names the proxy: "--proxy", "https_proxy".
  package let source: String

  /// Parses a URL, or a host with or without a port. A proxy without a scheme is an HTTP proxy.
  ///
  /// - Throws: `badProxy` for a text without a host, or with a scheme that libcurl does not know.
  package init(parsing text: String, source: String) throws(HTTPError) {
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    let scheme = parts.count > 1 ? parts[0].lowercased() : "http"
    let rest = (parts.last ?? "").prefix { !"/?#".contains($0) }
    let place = rest[(rest.lastIndex(of: "@").map(rest.index(after:)) ?? rest.startIndex)...]
    guard Self.schemes.contains(scheme), Self.isPlace(place),
      text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { throw .badProxy(source: source) }
    url = parts.count > 1 ? text : "http://\(text)"
    self.place = String(place)
    self.source = source
  }

  /// Returns the reason why a request did not get past the proxy. `words` say what the proxy did,
  /// and follow the proxy's name in the text.
  func blamed(for words: String) -> Silence {
    Silence("the proxy \(place) (\(source)) \(words)", cause: .proxy)
  }

  private static let schemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// Whether `text` is a host, or a host and a port.
  private static func isPlace(_ text: Substring) -> Bool {
    let isBracketed = text.first == "["
    let hostEnd =
      isBracketed
      ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":") ?? text.endIndex
    guard let hostEnd, hostEnd != text.startIndex else { return false }
    let host = text[..<hostEnd]
    let port = text[hostEnd...]
    guard !isBracketed || IPAddress(parsing: String(host)) != nil else { return false }
    return port.isEmpty
      || port.first == ":" && Decimal.parse(port.dropFirst()).map { 1...65_535 ~= $0 } ?? false
  }
}

/// Decides which proxy a request uses, as the user has set it.
package struct ProxyRule: Hashable, Codable, Sendable {
  /// The proxy of requests to http addresses; nil if they use none.
  private var http: Proxy?
  private var https: Proxy?
  /// The hosts that are asked without a proxy, written as in `no_proxy` of curl(1).
  private var exceptions: [String] = []
  /// True if this computer itself is asked without a proxy.
  private var sparesLoopback = false

  /// Creates a rule by which no request uses a proxy.
  package init() {}

  /// Creates a rule by which all requests use one proxy.
  package init(_ proxy: Proxy) {
    http = proxy
    https = proxy
  }

  /// Reads the variables of curl(1): `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in
  /// lower or upper case. `HTTP_PROXY` does not count, because a web server (CGI) fills it from a
  /// header field of a stranger's request. An empty variable counts as missing.
  ///
  /// - Throws: `badProxy` for a variable that names no proxy.
  package init(environment: [String: String]) throws(HTTPError) {
    func value(_ names: [String]) -> (name: String, text: String)? {
      names.lazy.compactMap { name in
        environment[name].flatMap { $0.isEmpty ? nil : (name, $0) }
      }.first
    }
    let all = ["all_proxy", "ALL_PROXY"]
    if let (name, text) = value(["http_proxy"] + all) {
      http = try Proxy(parsing: text, source: name)
    }
    if let (name, text) = value(["https_proxy", "HTTPS_PROXY"] + all) {
      https = try Proxy(parsing: text, source: name)
    }
    let spared = value(["no_proxy", "NO_PROXY"])?.text ?? ""
    exceptions = spared.split { ", \t".contains($0) }.map { $0.lowercased() }
    sparesLoopback = true
  }

  /// Whether no request goes through a proxy.
  var isEmpty: Bool { http == nil && https == nil }

  /// The proxies of all requests, without duplicates.
  package var all: [Proxy] {
    [http, https].compactMap(\.self).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Returns the proxy for a request to `url`; nil if the request goes to the origin itself.
  package func proxy(for url: WebAddress) -> Proxy? {
    guard let proxy = url.origin.scheme == "https" ? https : http, !isSpared(url.host) else {
      return nil
    }
    return proxy
  }

  private func isSpared(_ host: String) -> Bool {
    if exceptions == ["*"] || sparesLoopback && LocalNames.contain(host) { return true }
    let name = Self.bare(host.lowercased())
    if let address = IPAddress(parsing: name) {
      return exceptions.contains {
        (try? AddressBlock(parsing: Self.bare($0)))?.contains(address) ?? false
      }
    }
    return exceptions.map(Self.bare).contains { name == $0 || name.hasSuffix("." + $0) }
  }

  /// Returns `name` without a dot at its beginning and at its end. These dots do not change which
  /// host is meant.
  private static func bare(_ name: String) -> String {
    let name = name.first == "." ? name.dropFirst() : Substring(name)
    return String(name.last == "." ? name.dropLast() : name)
  }
}

/// The hosts that are always this computer (RFC 6761 §6.3, RFC 1122 §3.2.1.3).
enum LocalNames {
  static func contain(_ host: String) -> Bool {
    if let address = IPAddress(parsing: host) { return loopback.contains { $0.contains(address) } }
    let name = host.last == "." ? host.dropLast() : Substring(host)
    return name == "localhost" || name.hasSuffix(".localhost")
  }

  /// The address that local names usually have: 127.0.0.1.
  static let usual = IPAddress(v4: 0x7f00_0001)

  private static let loopback = ["127.0.0.0/8", "::1/128"].compactMap {
    try? AddressBlock(parsing: $0)
  }
}
