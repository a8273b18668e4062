import Addresses
import Testing

@testable import HTTP

/// The schemes by which origins ask for a password.
@Suite(.timeLimit(.minutes(1)))
struct DigestTests {
  private typealias Step = ScriptedServer.Step

  private static func challenge(_ schemes: String..., body: String = "no") -> Step {
    let fields = schemes.map { "WWW-Authenticate: \($0)\r\n" }.joined()
    return .send(
      "HTTP/1.1 401 x\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }
  private static let digest = #"Digest realm="r, Basic x", qop="auth", nonce="n1", algorithm=MD5"#
  /// The first request to an origin by Digest, up to the answer to its challenge.
  private static let challenged: [Step] = [
    .request, challenge(digest), .request, challenge(digest),
  ]

  private static let answer: [Step] = [.request, .send(RangeTests.part + "cdef")]

  // MARK: Values

  @Test(arguments: [
    (["Basic realm=\"a\""], ["Basic"]),
    (["Basic"], ["Basic"]),
    (["Digest realm=\"a, Basic b\", nonce=\"x\", qop=\"auth,auth-int\""], ["Digest"]),
    (["Digest realm=\"a\\\", NTLM \", nonce = \"x\", Basic realm=\"b\""], ["Digest", "Basic"]),
    (["Negotiate", "NTLM"], ["Negotiate", "NTLM"]),
    (["Bearer error=\"x\", , Basic realm=\"b\""], ["Bearer", "Basic"]),
    (["", ",,,", "\"", "\u{1b}[31m x=y", "realm=\"Basic\""], []),
    ([String(repeating: "a", count: 100) + " x=y"], []),
  ])
  func theSchemesOfAnAnswerAreFound(values: [String], names: [String]) {
    #expect(AuthScheme.names(in: values) == names)
  }

  @Test(
    arguments: [
      (AuthScheme.basic, ["Digest"], AuthScheme.digest), (.basic, ["digest", "Basic"], .digest),
      (.basic, ["Basic"], nil), (.basic, ["NTLM", "Bearer"], nil), (.basic, [], nil),
      (.digest, ["Digest"], nil), (.digest, ["Basic"], .basic),
      (.digest, ["Basic", "Digest"], nil),
    ] as [(AuthScheme, [String], AuthScheme?)])
  func theNextSchemeIsTheOneThatIsAskedFor(
    used: AuthScheme, names: [String], next: AuthScheme?
  ) {
    #expect(AuthScheme.next(after: used, asked: names) == next)
  }

  @Test func anyNumberOfOriginsCostsLittleMemory() {
    var schemes = AuthSchemes()
    for port in 1...10_000 {
      schemes.asked(.init(scheme: "http", host: "a.org", port: port), for: .digest)
    }
    let digests = (1...10_000).count {
      schemes.scheme(at: .init(scheme: "http", host: "a.org", port: $0)) == .digest
    }
    #expect((1...256).contains(digests))
  }

  // MARK: On the wire

  @Test func afterTheFirstChallengeItGoesByDigest() async throws {
    let script = Self.challenged + Self.answer + Self.answer + Self.answer
    try await ScriptedServer.run([script]) { server in
      let client = try client()
      for _ in 0..<3 {
        let (end, sink) = await fetch(server, client)
        #expect(end == .complete)
        #expect(sink.bytes == Array("cdef".utf8))
      }
      let sent = server.requests.map(authorization)
      #expect(
        sent.map { $0?.split(separator: " ").first }
          == ["Basic", nil, "Digest", "Digest", "Digest"])
      #expect(sent[2]?.contains("username=\"me\"") == true)
      // Each use of a nonce is counted (RFC 7616 §3.4).
      for (number, field) in sent.dropFirst(2).enumerated() {
        #expect(field?.contains("nonce=\"n1\"") == true)
        #expect(field?.contains("nc=0000000\(number + 1)") == true)
      }
      #expect(server.requests.allSatisfy { $0.contains("Range: bytes=2-5\r\n") })
      #expect(!server.requests.joined().contains("secret"))
    }
  }

  @Test(arguments: [
    // A server says that a nonce is too old; or it forgets its nonces, and says nothing of it.
    #"Digest realm="r", qop="auth", nonce="n2", stale=true"#,
    #"Digest realm="r", qop="auth", nonce="n2""#,
  ])
  func aLaterRequestTakesTheNextNonce(challenge: String) async throws {
    let isStale = challenge.contains("stale")
    // Without the word, only a request without a password brings a challenge that counts.
    let next: [Step] =
      [.request, Self.challenge(challenge)]
      + (isStale ? [] : [.request, Self.challenge(challenge)])
    let script = Self.challenged + Self.answer + next + Self.answer + Self.answer
    try await ScriptedServer.run([script]) { server in
      let client = try client()
      for _ in 0..<3 { #expect(await fetch(server, client).0 == .complete) }
      let sent = server.requests.map(authorization)
      #expect(sent.last??.contains("nonce=\"n2\"") == true)
      #expect(sent.last??.contains("nc=00000002") == true)
      #expect(sent.count == (isStale ? 6 : 7))
    }
  }

  @Test func aPasswordThatIsWrongLaterEndsAfterOneMoreChallenge() async throws {
    let refusal: [Step] = [.request, Self.challenge(Self.digest)]
    let script = Self.challenged + Self.answer + refusal + refusal + refusal + refusal
    try await ScriptedServer.run([script]) { server in
      let client = try client()
      #expect(await fetch(server, client).0 == .complete)
      #expect(await fetch(server, client).0 == .gone(status: 401, wants: "Digest"))
      #expect(server.requests.count <= 7)
    }
  }

  @Test func aHandleTakesNothingOfItsLastRequestAlong() async throws {
    let script = Self.challenged + Self.answer + Self.answer
    try await ScriptedServer.run([script]) { server in
      let client = try client()
      let jar = CookieJar()
      let line = try #require(
        Cookie(line: "127.0.0.1\tFALSE\t/\tFALSE\t0\tsecret\tcookie"))
      let url = try WebAddress(parsing: server.url)
      jar.take([line], given: [], from: url, mayNameDomains: true)
      #expect(await fetch(server, client) { $0.cookies = jar }.0 == .complete)
      #expect(await fetch(server, client, "you:other").0 == .complete)
      #expect(server.requests[2].contains("Cookie: secret=cookie\r\n"))
      let last = try #require(server.requests.last)
      #expect(!last.contains("cookie"))
      #expect(authorization(last)?.contains("username=\"you\"") == true)
      #expect(last.components(of: "Range: ") == 1 && last.components(of: "Host: ") == 1)
    }
  }

  @Test func aNonceThatIsStaleIsReplaced() async throws {
    let stale = #"Digest realm="r", qop="auth", nonce="n2", stale=true"#
    let script =
      [.request, Self.challenge(Self.digest), .request, Self.challenge(Self.digest), .request]
      + [Self.challenge(stale)] + Self.answer
    try await ScriptedServer.run([script]) { server in
      let (end, _) = await fetch(server, try client())
      #expect(end == .complete)
      #expect(authorization(server.requests.last ?? "")?.contains("nonce=\"n2\"") == true)
    }
  }

  @Test(arguments: [
    "Digest realm=\"r\", nonce=\"n\"", "Digest realm=\"r\", nonce=\"n\", stale=true",
  ])
  func aPasswordThatIsWrongIsToldAndNotTriedWithoutEnd(challenge: String) async throws {
    let round: [Step] = [.request, Self.challenge(challenge)]
    try await ScriptedServer.run([Array(repeating: round, count: 30).flatMap(\.self)]) { server in
      let (end, _) = await fetch(server, try client())
      #expect(end == .gone(status: 401, wants: "Digest"))
      #expect(server.requests.count <= 6)
    }
  }

  @Test func anErrorNamesTheScheme() async throws {
    let refusal: [Step] = [.request, Self.challenge("Negotiate", "Bearer realm=\"x\"")]
    try await ScriptedServer.run([refusal + refusal]) { server in
      let client = try client()
      let end = await fetch(server, client).0
      #expect(end?.trouble == "status 401, the origin wants a password (Negotiate or Bearer)")
      let error = await #expect(throws: HTTPError.self) {
        try await client.get(DocumentRequest(url: "http://me:secret@127.0.0.1:\(server.port)/"))
      }
      #expect(error?.description.contains("a password (Negotiate or Bearer)") == true)
      #expect(server.requests.count == 2)
    }
  }

  @Test func withoutAPasswordNothingIsTriedAgain() async throws {
    try await ScriptedServer.run([[.request, Self.challenge(Self.digest)]]) { server in
      let sink = RecordingSink()
      let client = try client()
      _ = client.start(
        RangeRequest(url: server.url + "/v", range: .bytes(2..<6), expected: nil), sink: sink)
      #expect(await sink.end() == .gone(status: 401, wants: "Digest"))
      #expect(server.requests.count == 1)
    }
  }

  private func client() throws -> HTTPClient {
    try HTTPClient(HTTPConfiguration(typedHosts: ["127.0.0.1"]))
  }

  private func fetch(
    _ server: ScriptedServer, _ client: HTTPClient, _ user: String = "me:secret",
    _ change: (inout RangeRequest) -> Void = { _ in }
  ) async -> (TransferEnd?, RecordingSink) {
    let sink = RecordingSink()
    let url = "http://\(user)@127.0.0.1:\(server.port)/v"
    var request = RangeRequest(url: url, range: .bytes(2..<6), expected: nil)
    change(&request)
    _ = client.start(request, sink: sink)
    return (await sink.end(), sink)
  }

  private func authorization(_ request: String) -> String? {
    request.split(separator: "\r\n").first { $0.hasPrefix("Authorization: ") }
      .map { String($0.dropFirst("Authorization: ".count)) }
  }
}

extension String {
  /// The number of places where `word` occurs.
  fileprivate func components(of word: String) -> Int {
    indices.count { self[$0...].hasPrefix(word) }
  }
}
