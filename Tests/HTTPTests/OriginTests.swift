import Blocks
import Testing

@testable import HTTP

/// Redirects, addresses, credentials, and origins that do not answer, on the wire.
@Suite(.timeLimit(.minutes(1)))
struct OriginTests {
  private static func redirect(_ location: String, _ status: Int = 302) -> ScriptedServer.Step {
    .send("HTTP/1.1 \(status) x\r\nLocation: \(location)\r\nContent-Length: 3\r\n\r\nbye")
  }

  private func client(
    typed: Set<String> = ["127.0.0.1"], stallTimeout: Duration = .seconds(10)
  ) throws -> HTTPClient {
    try HTTPClient(HTTPConfiguration(typedHosts: typed, stallTimeout: stallTimeout))
  }

  private func fetch(
    _ url: String, _ client: HTTPClient, of expected: Representation? = nil
  ) async -> (TransferEnd?, RecordingSink) {
    let sink = RecordingSink()
    let request = RangeRequest(url: url, range: .bytes(2..<6), expected: expected)
    _ = client.start(request, sink: sink)
    return (await sink.end(), sink)
  }

  private func paths(_ server: ScriptedServer) -> [String] {
    server.requests.map { String($0.split(separator: " ")[1]) }
  }

  // MARK: Redirects

  @Test func redirectsAreFollowedOnceAndThenSkipped() async throws {
    let answer: [ScriptedServer.Step] = [.request, .send(RangeTests.part + "cdef")]
    let script =
      [.request, Self.redirect("/b"), .request, Self.redirect("c?t=1")] + answer + answer
    try await ScriptedServer.run([script]) { server in
      let client = try client()
      let (first, sink) = await fetch(server.url + "/a", client)
      let (second, _) = await fetch(server.url + "/a", client)

      #expect([first, second] == [.complete, .complete])
      #expect(sink.answer?.finalURL == server.url + "/c?t=1")
      #expect(paths(server) == ["/a", "/b", "/c?t=1", "/c?t=1"])
      #expect(server.connections == 1)
    }
  }

  @Test func aFinalURLThatFailsIsForgotten() async throws {
    let answer: [ScriptedServer.Step] = [.request, .send(RangeTests.part + "cdef")]
    let expired: [ScriptedServer.Step] = [
      .request, .send("HTTP/1.1 403 x\r\nContent-Length: 0\r\n\r\n"),
    ]
    let script =
      [.request, Self.redirect("/old")] + answer + expired + [.request, Self.redirect("/new")]
      + answer
    try await ScriptedServer.run([script]) { server in
      let client = try client()
      let (first, _) = await fetch(server.url + "/a", client)
      let (second, _) = await fetch(server.url + "/a", client)

      #expect([first, second] == [.complete, .complete])
      #expect(paths(server) == ["/a", "/old", "/old", "/a", "/new"])
    }
  }

  /// Only the bytes of such an answer tell that it is not the film.
  @Test func aFinalURLThatServesSomethingElseIsForgotten() async throws {
    let other = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 40\r\n\r\n"
    let answer: [ScriptedServer.Step] = [.request, .send(RangeTests.part + "cdef")]
    let script =
      [.request, Self.redirect("/old")] + answer
      + [.request, .send(other + String(repeating: "x", count: 40))]
      + [.request, Self.redirect("/new")] + answer
    try await ScriptedServer.run([script, Array(script.suffix(4))]) { server in
      let client = try client()
      let (first, sink) = await fetch(server.url + "/a", client)
      let (second, later) = await fetch(
        server.url + "/a", client, of: sink.answer?.representation)

      #expect([first, second] == [.complete, .complete])
      #expect(later.bytes == Array("cdef".utf8))
      #expect(paths(server) == ["/a", "/old", "/old", "/a", "/new"])
    }
  }

  @Test func aCircleOfRedirectsEnds() async throws {
    let round: [ScriptedServer.Step] = [.request, Self.redirect("/a")]
    try await ScriptedServer.run([Array(repeating: round, count: 30).flatMap(\.self)]) { server in
      let (end, _) = await fetch(server.url + "/a", try client())

      #expect(end == .blocked(reason: "it leads through more than 20 redirects"))
      #expect(server.requests.count == 21)
    }
  }

  @Test func credentialsStayWithTheirOrigin() async throws {
    try await ScriptedServer.run([[.request, .send(RangeTests.part + "cdef")]]) { other in
      try await ScriptedServer.run([[.request, Self.redirect(other.url + "/b")]]) { server in
        let client = try client()
        let url = "http://me:secret@127.0.0.1:\(server.port)/a"
        let (end, sink) = await fetch(url, client)

        #expect(end == .complete)
        #expect(server.requests.first?.contains("Authorization: Basic bWU6c2VjcmV0\r\n") == true)
        #expect(other.requests.first?.contains("uthorization") == false)
        #expect(sink.answer?.finalURL.contains("secret") == false)
        #expect(!"\(client.origins())".contains("secret"))
      }
    }
  }

  // MARK: Addresses

  @Test(arguments: [
    "http://127.0.0.1:1/", "http://localhost:1/", "http://[::1]:1/", "http://0.0.0.0:1/",
    "http://2130706433:1/", "http://[::ffff:127.0.0.1]:1/", "ftp://127.0.0.1/", "nonsense",
  ])
  func whatTheUserDidNotNameIsNotAsked(url: String) async throws {
    let (end, _) = await fetch(url, try client(typed: ["feed.example"]))

    guard case .blocked? = end else {
      Issue.record("\(String(describing: end))")
      return
    }
  }

  @Test(arguments: ["127.0.0.2", "localhost", "[::1]"])
  func aRedirectLeadsToNoOtherPrivateAddress(host: String) async throws {
    try await ScriptedServer.run([[.request, Self.redirect("http://\(host):1/")]]) { server in
      let (end, _) = await fetch(server.url, try client())

      guard case .blocked? = end else {
        Issue.record("\(String(describing: end))")
        return
      }
    }
  }

  // MARK: Origins in trouble

  @Test func aTransferOutlivesAnOriginThatIsAway() async throws {
    let away: [ScriptedServer.Step] = [.request]
    let back: [ScriptedServer.Step] = [.request, .send(RangeTests.part + "cdef")]
    try await ScriptedServer.run([away, away, back]) { server in
      let (end, sink) = await fetch(server.url, try client())

      #expect(end == .complete)
      #expect(sink.bytes == Array("cdef".utf8))
      #expect(server.connections == 3)
    }
  }

  @Test func aSilentProbeIsFollowedByAnother() async throws {
    let back: [ScriptedServer.Step] = [.request, .send(RangeTests.part + "cdef")]
    try await ScriptedServer.run([[.request, .hold], back]) { server in
      let (end, _) = await fetch(server.url, try client(stallTimeout: .milliseconds(500)))

      #expect(end == .complete)
    }
  }

  @Test func aSilentProxyIsBlamedInASentence() async throws {
    try await ScriptedServer.run([[.request, .hold], [.request, .hold]]) { server in
      let proxy = try Proxy(parsing: server.url, source: "https_proxy")
      let client = try HTTPClient(
        HTTPConfiguration(
          typedHosts: ["192.0.2.1"], proxies: ProxyRule(proxy), stallTimeout: .milliseconds(500)))
      let error = await #expect(throws: HTTPError.self) {
        try await client.get(DocumentRequest(url: "https://192.0.2.1/feed"))
      }
      let words =
        "the proxy \(proxy.place) (https_proxy) does not answer: the server sent nothing for "
      #expect(error?.description.contains(words) == true)
    }
  }

  @Test func whoWaitsForADeadOriginCanLeave() async throws {
    let client = try client()
    let url = "http://127.0.0.1:\(try ScriptedServer.deadPort())/"
    let sink = RecordingSink()
    let request = RangeRequest(url: url, range: .suffix(1), expected: nil)
    let id = client.start(request, sink: sink)

    await #expect(throws: HTTPError.unanswered(url: url, Silence("connection refused"))) {
      try await client.get(DocumentRequest(url: url))
    }
    let report = try #require(client.origins().first)
    #expect(report.condition == .unreachable)
    #expect(report.words.hasPrefix("unreachable: connection refused"))
    #expect(report.lastError == "connection refused")
    #expect(sink.ends == [])
    client.cancel(id)
    #expect(await sink.end() == .cancelled)
  }

  @Test func aBusyOriginIsNotAskedAgain() async throws {
    let busy = "HTTP/1.1 429 x\r\nRetry-After: 200\r\nContent-Length: 0\r\n\r\n"
    try await ScriptedServer.run([[.request, .send(busy), .request]]) { server in
      let client = try client()
      let (end, _) = await fetch(server.url, client)
      #expect(end == .busy(status: 429, retryAfter: .seconds(200)))

      let sink = RecordingSink()
      _ = client.start(
        RangeRequest(url: server.url, range: .suffix(1), expected: nil), sink: sink)
      await #expect {
        try await client.get(DocumentRequest(url: server.url))
      } throws: { error in
        if case .busy(_, .some)? = error as? HTTPError { true } else { false }
      }
      client.shutDown()
      #expect(sink.ends == [.cancelled])
      #expect(server.requests.count == 1)
    }
  }

  @Test func theEndOfTheClientEndsEverything() async throws {
    try await ScriptedServer.run(Array(repeating: [.request, .hold], count: 40)) { server in
      let client = try client()
      let sinks = (0..<40).map { _ in RecordingSink() }
      for sink in sinks {
        _ = client.start(
          RangeRequest(url: server.url, range: .suffix(1), expected: nil), sink: sink)
      }
      client.shutDown()
      client.shutDown()
      #expect(sinks.allSatisfy { $0.ends == [.cancelled] })

      let (late, _) = await fetch(server.url, client)
      #expect(late == .cancelled)
      await #expect(throws: HTTPError.cancelled) {
        try await client.get(DocumentRequest(url: server.url))
      }
    }
  }
}
