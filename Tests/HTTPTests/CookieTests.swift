import Addresses
import Testing

@testable import HTTP

/// Cookies: which are kept, and where they go.
@Suite(.timeLimit(.minutes(1)))
struct CookieTests {
  private static let now = 1_000

  private func cookie(
    _ name: String, domain: String = "a.org", isHostOnly: Bool = true, path: String = "/",
    isSecure: Bool = false, expires: Int = 0, value: String = "1"
  ) throws -> Cookie {
    let words = [
      domain, isHostOnly ? "FALSE" : "TRUE", path, isSecure ? "TRUE" : "FALSE", "\(expires)", name,
      value,
    ]
    return try #require(Cookie(line: words.joined(separator: "\t")))
  }

  private func jar(
    _ found: [Cookie], from host: String = "a.org", _ scheme: String = "https",
    mayNameDomains: Bool = true
  ) -> Cookies {
    var cookies = Cookies()
    cookies.take(
      found, given: [], from: host, scheme, mayNameDomains: mayNameDomains, now: Self.now)
    return cookies
  }

  private func names(
    _ cookies: Cookies, for host: String, _ scheme: String = "https", now: Int = now
  ) -> [String] {
    cookies.forHost(host, scheme, now: now).map(\.key.name)
  }

  // MARK: The value

  @Test(arguments: [
    "a.org\tFALSE\t/\tFALSE\t0\tn\tv", "#HttpOnly_.a.org\tTRUE\t/p\tTRUE\t99\tn\t",
  ])
  func aLineIsReadAndWrittenAlike(line: String) {
    #expect(Cookie(line: line)?.line == line)
  }

  @Test(arguments: [
    "", "# Netscape", "a.org\tFALSE\t/\tFALSE\t-1\tn\tv", "a\tb\tc",
    ".\tTRUE\t/\tFALSE\t0\tn\tv", "..\tTRUE\t/\tFALSE\t0\tn\tv",
    "b\u{FC}cher.org\tFALSE\t/\tFALSE\t0\tn\tv", ".\u{350}a.org\tTRUE\t/\tFALSE\t0\tn\tv",
  ])
  func whatIsNoLineIsNone(line: String) {
    #expect(Cookie(line: line) == nil)
  }

  @Test func aCookieOfAHostGoesToThatHostAlone() throws {
    let cookies = jar([try cookie("a")])
    #expect(names(cookies, for: "a.org") == ["a"])
    for host in ["b.a.org", "aa.org", "org", "a.org.b.org", "b.org"] {
      #expect(names(cookies, for: host).isEmpty, "\(host)")
    }
  }

  @Test func aCookieOfADomainGoesToItsHosts() throws {
    let cookies = jar([try cookie("a", domain: ".a.org", isHostOnly: false)], from: "b.a.org")
    #expect(names(cookies, for: "b.a.org") == ["a"])
    #expect(names(cookies, for: "a.org") == ["a"])
    #expect(names(cookies, for: "aa.org").isEmpty)
  }

  /// libcurl refuses such cookies too. The jar does not depend on it.
  @Test func aCookieForAnotherHostIsNotKept() throws {
    #expect(jar([try cookie("a", domain: "b.org")]).isEmpty)
    #expect(jar([try cookie("a", domain: "b.a.org", isHostOnly: false)]).isEmpty)
  }

  @Test func withoutPublicSuffixesACookieIsForItsHost() throws {
    let found = [
      try cookie("own", domain: "a.org", isHostOnly: false),
      try cookie("wide", domain: "org", isHostOnly: false),
    ]
    let cookies = jar(found, mayNameDomains: false)
    #expect(names(cookies, for: "a.org") == ["own"])
    #expect(names(cookies, for: "b.a.org").isEmpty)
  }

  @Test func aSecureCookieIsForHTTPSAlone() throws {
    let found = [try cookie("a", isSecure: true)]
    #expect(names(jar(found), for: "a.org", "http").isEmpty)
    #expect(names(jar(found), for: "a.org", "https") == ["a"])
    #expect(jar(found, "http").isEmpty)
  }

  @Test func aCookieEndsWithItsTimeOrWhenItIsTakenBack() throws {
    var cookies = jar([
      try cookie("a", expires: 1_010), try cookie("b"), try cookie("old", expires: 1),
    ])
    #expect(names(cookies, for: "a.org") == ["a", "b"])
    #expect(names(cookies, for: "a.org", now: 1_010) == ["b"])
    let given = cookies.all
    cookies.take(
      [given[0]], given: given, from: "a.org", "https", mayNameDomains: true, now: Self.now)
    #expect(names(cookies, for: "a.org") == ["a"])
  }

  /// Two answers may come at once.
  @Test func whatAnotherAnswerBroughtMeanwhileStays() throws {
    var cookies = jar([try cookie("a")])
    cookies.take(
      [try cookie("b")], given: [], from: "a.org", "https", mayNameDomains: true, now: Self.now)
    #expect(names(cookies, for: "a.org") == ["a", "b"])
    cookies.take(
      [try cookie("a", value: "2")], given: [], from: "a.org", "https", mayNameDomains: true,
      now: Self.now)
    #expect(cookies.all.map(\.line).sorted().map { $0.suffix(3) } == ["a\t2", "b\t1"])
  }

  @Test func anyNumberOfCookiesCostsLittleMemory() throws {
    var cookies = Cookies()
    for number in 0..<5_000 {
      cookies.take(
        [try cookie("n\(number)")], given: [], from: "a.org", "https", mayNameDomains: true,
        now: Self.now)
    }
    #expect(cookies.all.count == Cookies.maxPerDomain)
    #expect(cookies.all.last?.key.name == "n4999")
    for number in 0..<100 {
      let long = try cookie(
        "n", domain: "\(number).org", value: String(repeating: "v", count: 4000))
      cookies.take(
        [long], given: [], from: "\(number).org", "https", mayNameDomains: true, now: Self.now)
    }
    #expect(cookies.all.reduce(0) { $0 + $1.size } <= Cookies.maxTotalBytes)
    #expect(jar([try cookie("a", value: String(repeating: "v", count: 5000))]).isEmpty)
  }

  // MARK: On the wire

  /// A cookie that the answer of one address sets, and another address of the same chain.
  struct Way: Sendable {
    var from = "http://films.a.org/1"
    var to = "http://films.a.org/2"
    let sets: String
    let gets: String?
  }

  @Test(arguments: [
    Way(sets: "a=1", gets: "a=1"),
    Way(sets: "a=1; Path=/; HttpOnly", gets: "a=1"),
    Way(sets: "a=1; Path=/other", gets: nil),
    Way(sets: "a=1; Secure", gets: nil),
    Way(sets: "a=1; Max-Age=0", gets: nil),
    Way(sets: "a=1; Max-Age=100", gets: "a=1"),
    Way(sets: "a=1; Expires=Tue, 15 Nov 1994 12:45:26 GMT", gets: nil),
    Way(sets: "=", gets: nil),
    Way(to: "http://films.a.org:8080/2", sets: "a=1", gets: "a=1"),
    Way(to: "http://b.a.org/2", sets: "a=1", gets: nil),
    Way(to: "http://b.a.org/2", sets: "a=1; Domain=.a.org", gets: "a=1"),
    Way(to: "http://b.a.org/2", sets: "a=1; Domain=a.org", gets: "a=1"),
    Way(to: "http://a.b.org/2", sets: "a=1; Domain=a.org", gets: nil),
    Way(to: "http://b.org/2", sets: "a=1; Domain=org", gets: nil),
    Way(to: "http://b.org/2", sets: "a=1; Domain=b.org", gets: nil),
    Way(from: "http://a.co.uk/", to: "http://b.co.uk/", sets: "a=1; Domain=co.uk", gets: nil),
    Way(from: "http://a.CO.UK/", to: "http://b.co.uk/", sets: "a=1; Domain=.CO.UK", gets: nil),
    Way(from: "http://192.0.2.1/", to: "http://192.0.2.2/", sets: "a=1; Domain=2.1", gets: nil),
    Way(from: "http://192.0.2.1/", to: "http://192.0.2.1/2", sets: "a=1", gets: "a=1"),
    Way(from: "http://[2001:db8::1]/", to: "http://[2001:db8::1]/2", sets: "a=1", gets: "a=1"),
  ])
  func aCookieGoesWhereItMayWithinAChainOfRedirects(way: Way) async throws {
    guard EasyHandle.knowsSuffixes || way.gets == nil || !way.sets.contains("Domain") else {
      return
    }
    let script: [ScriptedServer.Step] = [
      .request,
      .send(
        "HTTP/1.1 302 x\r\nLocation: \(way.to)\r\nSet-Cookie: \(way.sets)\r\nContent-Length: 0\r\n\r\n"
      ), .request, .send(RangeTests.part + "cdef"),
    ]
    try await ScriptedServer.run([script]) { server in
      let sink = RecordingSink()
      let client = try proxied(by: server)
      _ = client.start(RangeRequest(url: way.from, range: .bytes(2..<6), expected: nil), sink: sink)
      #expect(await sink.end() == .complete)
      #expect(server.requests.map(sentCookie) == [nil, way.gets])
    }
  }

  @Test func laterRangesGoToTheTargetWithItsCookies() async throws {
    let answer: [ScriptedServer.Step] = [.request, .send(RangeTests.part + "cdef")]
    let script: [ScriptedServer.Step] =
      [
        .request,
        .send(
          "HTTP/1.1 302 x\r\nLocation: /b\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n"),
      ] + answer + answer + answer
    try await ScriptedServer.run([script, answer]) { server in
      let client = try HTTPClient(HTTPConfiguration(typedHosts: ["127.0.0.1"]))
      var request = RangeRequest(url: server.url + "/a", range: .bytes(2..<6), expected: nil)
      for _ in 0..<2 {
        let sink = RecordingSink()
        _ = client.start(request, sink: sink)
        #expect(await sink.end() == .complete)
      }
      #expect(server.requests.map(sentCookie) == [nil, "a=1", "a=1"])
      // To another feed the cookies are nothing.
      request.feed = TypedAddress(try WebAddress(parsing: server.url + "/feed"))
      let sink = RecordingSink()
      _ = client.start(request, sink: sink)
      #expect(await sink.end() == .complete)
      #expect(server.requests.map(sentCookie).last == .some(nil))
    }
  }

  @Test func theDocumentsAndPiecesOfOneStreamShareThem() async throws {
    let list = "HTTP/1.1 200 x\r\nSet-Cookie: a=1\r\nContent-Length: 4\r\n\r\nlist"
    let answer: [ScriptedServer.Step] = [.request, .send(RangeTests.part + "cdef")]
    let script = [.request, .send(list)] + answer + answer
    try await ScriptedServer.run([script, script]) { server in
      let client = try HTTPClient(HTTPConfiguration(typedHosts: ["127.0.0.1"]))
      let jar = CookieJar()
      var document = DocumentRequest(url: server.url + "/list")
      document.cookies = jar
      _ = try await client.get(document)
      for cookies in [jar, nil] {
        var piece = RangeRequest(url: server.url + "/piece", range: .bytes(2..<6), expected: nil)
        piece.cookies = cookies
        let sink = RecordingSink()
        _ = client.start(piece, sink: sink)
        #expect(await sink.end() == .complete)
      }
      #expect(server.requests.map(sentCookie) == [nil, "a=1", nil])
    }
  }

  @Test func theUsersOwnCookiesComeInTheSameField() async throws {
    let list =
      "HTTP/1.1 200 x\r\nSet-Cookie: a=theirs\r\nSet-Cookie: b=2\r\nContent-Length: 4\r\n\r\nlist"
    try await ScriptedServer.run([[.request, .send(list), .request, .send(list)]]) { server in
      let client = try HTTPClient(HTTPConfiguration(typedHosts: ["127.0.0.1"]))
      var document = DocumentRequest(url: server.url + "/list")
      document.cookies = CookieJar()
      document.headers = [try HeaderField(name: "cookie", value: "a=mine; c=3")]
      for _ in 0..<2 { _ = try await client.get(document) }
      #expect(server.requests.map(sentCookie) == ["a=mine; c=3", "b=2; a=mine; c=3"])
    }
  }

  /// A proxy resolves names, so that each host of a test leads to the server.
  private func proxied(by server: ScriptedServer) throws -> HTTPClient {
    HTTPClient.prepare()
    let proxy = try Proxy(parsing: server.url, source: "--proxy")
    return try HTTPClient(
      HTTPConfiguration(
        typedHosts: ["192.0.2.1", "192.0.2.2", "[2001:db8::1]"], allowedPrivate: [],
        proxies: ProxyRule(proxy)))
  }

  /// The cookies of a request; nil if it has none. Fails if they are in several fields.
  private func sentCookie(_ request: String) -> String? {
    let fields = request.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("cookie:") }
    #expect(fields.count <= 1)
    return fields.first.map { String($0.dropFirst("cookie: ".count)) }
  }
}
