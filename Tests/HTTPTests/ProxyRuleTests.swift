import Addresses
import Testing

@testable import HTTP

/// The proxy of a request follows from its address, as with curl.
struct ProxyRuleTests {
  private func place(_ url: String, _ environment: [String: String]) throws -> String? {
    let rule = try ProxyRule(environment: environment)
    return rule.proxy(for: try WebAddress(parsing: url)).map { "\($0.place) \($0.source)" }
  }

  @Test(
    arguments: [
      ("http://a.org/", ["http_proxy": "http://p:1"], "p:1 http_proxy"),
      ("http://a.org/", ["HTTP_PROXY": "http://p:1"], nil),
      ("https://a.org/", ["http_proxy": "http://p:1"], nil),
      ("https://a.org/", ["HTTPS_PROXY": "p:1"], "p:1 HTTPS_PROXY"),
      ("https://a.org/", ["HTTPS_PROXY": "p:1", "https_proxy": "q:1"], "q:1 https_proxy"),
      ("https://a.org/", ["https_proxy": "", "ALL_PROXY": "socks5h://p:1"], "p:1 ALL_PROXY"),
      ("http://a.org/", ["all_proxy": "p", "http_proxy": "u:s@q:2/"], "q:2 http_proxy"),
      ("http://a.org/", ["http_proxy": "p:1", "no_proxy": "*"], nil),
      ("http://a.org/", ["http_proxy": "p:1", "no_proxy": "a.org"], nil),
      ("http://b.a.org/", ["http_proxy": "p:1", "NO_PROXY": "x, .A.org."], nil),
      ("http://ba.org/", ["http_proxy": "p:1", "no_proxy": "a.org"], "p:1 http_proxy"),
      ("http://a.org/", ["http_proxy": "p:1", "no_proxy": "b.a.org,*"], "p:1 http_proxy"),
      ("http://10.1.2.3/", ["http_proxy": "p:1", "no_proxy": "10.0.0.0/8"], nil),
      ("http://10.1.2.3/", ["http_proxy": "p:1", "no_proxy": "10.1.2.3"], nil),
      ("http://10.1.2.3/", ["http_proxy": "p:1", "no_proxy": "2.3"], "p:1 http_proxy"),
      ("http://[fd00::1]/", ["http_proxy": "p:1", "no_proxy": "fd00::/8"], nil),
      ("http://localhost/", ["http_proxy": "p:1"], nil),
      ("http://a.localhost/", ["http_proxy": "p:1"], nil),
      ("http://127.9.9.9/", ["http_proxy": "p:1"], nil),
      ("http://[::1]/", ["all_proxy": "p:1"], nil),
      ("http://localhost.org/", ["http_proxy": "[::1]:1"], "[::1]:1 http_proxy"),
    ] as [(String, [String: String], String?)])
  func theProxyFollowsFromTheAddressAndTheVariables(
    url: String, environment: [String: String], place: String?
  ) throws {
    #expect(try self.place(url, environment) == place)
  }

  @Test func theUsersOwnProxyIsForEveryAddress() throws {
    let rule = ProxyRule(try Proxy(parsing: "p:1", source: "--proxy"))
    for url in ["http://a.org/", "https://a.org/", "http://localhost/", "http://10.0.0.1/"] {
      #expect(rule.proxy(for: try WebAddress(parsing: url))?.place == "p:1")
    }
    #expect(ProxyRule().isEmpty && !rule.isEmpty && rule.all.count == 1)
  }

  @Test(
    arguments: [
      "", "http://", "ftp://p:1", "://p", "p:", "p:0", "p:65536", "p:1x", ":1", "[::1", "[p]:1",
      "p q",
      "p\n", "http://u@", "pé",
    ])
  func whatIsNoProxyIsRefusedWithoutItsPassword(text: String) throws {
    let error = try #require(throws: HTTPError.self) { try Proxy(parsing: text, source: "x_proxy") }
    #expect(error == .badProxy(source: "x_proxy"))
  }

  /// A name that is always this computer would be the proxy's computer.
  @Test func hostsThatAreThisComputerAreNotAskedOfAProxy() {
    let rule = AddressRule(typedHosts: ["typed.localhost"], allowed: [])
    #expect(!rule.allows(host: "localhost", isProxied: true))
    #expect(rule.allows(host: "localhost", isProxied: false))
    #expect(rule.allows(host: "typed.localhost", isProxied: true))
    #expect(rule.allows(host: "a.org", isProxied: true))
    #expect(!rule.allows(host: "10.0.0.1", isProxied: true))
    #expect(!rule.allows(host: "10.0.0.1", isProxied: false))
  }
}
