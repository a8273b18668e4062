import Testing

@testable import HTTP

/// A client that is closed for a while, or has a rate limit.
@Suite(.timeLimit(.minutes(1)))
struct SteeringTests {
  private let client: HTTPClient

  init() throws {
    client = try HTTPClient(HTTPConfiguration(typedHosts: ["127.0.0.1"]))
  }

  @Test func whatIsUnderWayEndsWhenItIsClosedAndNothingIsAsked() async throws {
    try await ScriptedServer.run([[.request, .send(RangeTests.part + "cd"), .request]]) { server in
      let (pieces, piece) = AsyncStream.makeStream(of: Void.self)
      let sink = RecordingSink { piece.yield() }
      _ = client.start(request(server.url), sink: sink)
      for await _ in pieces.prefix(1) {}
      await client.turn(isOpen: false)
      #expect(sink.ends == [.cancelled] && sink.bytes == Array("cd".utf8))

      let other = RecordingSink()
      _ = client.start(request(server.url), sink: other)
      #expect(await other.end() == .cancelled)
      await #expect(throws: HTTPError.cancelled) {
        _ = try await client.get(DocumentRequest(url: server.url, limit: 10))
      }
      client.shutDown()
    }
  }

  @Test func whenItIsOpenAgainItAsks() async throws {
    try await ScriptedServer.run([[.request, .send(RangeTests.part + "cdef")]]) { server in
      await client.turn(isOpen: false)
      await client.turn(isOpen: true)
      let sink = RecordingSink()
      _ = client.start(request(server.url), sink: sink)

      #expect(await sink.end() == .complete)
      client.shutDown()
    }
  }

  @Test func whatMayNotBeTakenYetIsTakenLater() async throws {
    let length = 200_000
    let head = """
      HTTP/1.1 206 Partial Content\r
      Content-Range: bytes 0-\(length - 1)/\(length)\r
      Content-Length: \(length)\r
      ETag: "v1"\r
      Content-Type: video/mp4\r
      \r

      """
    let body = String(repeating: "x", count: length)
    try await ScriptedServer.run([[.request, .send(head + body)]]) { server in
      await client.limit(to: 400_000)
      let start = ContinuousClock.now
      let sink = RecordingSink()
      _ = client.start(
        RangeRequest(url: server.url, range: .bytes(0..<length), expected: nil), sink: sink)

      #expect(await sink.end() == .complete)
      #expect(sink.bytes.count == length)
      // No machine is too slow for this: a slow one only takes longer.
      #expect(ContinuousClock.now - start >= .milliseconds(300))
      client.shutDown()
    }
  }

  @Test func aLimitThatIsTakenAwayHoldsNobodyUp() async throws {
    try await ScriptedServer.run([[.request, .send(RangeTests.part + "cd"), .send("ef")]]) {
      server in
      // The second piece would have to wait for hours.
      await client.limit(to: 1)
      let (pieces, piece) = AsyncStream.makeStream(of: Void.self)
      let sink = RecordingSink { piece.yield() }
      _ = client.start(request(server.url), sink: sink)
      for await _ in pieces.prefix(1) {}
      await client.limit(to: nil)

      #expect(await sink.end() == .complete)
      client.shutDown()
    }
  }

  private func request(_ url: String) -> RangeRequest {
    RangeRequest(url: url + "/v", range: .bytes(2..<6), expected: nil)
  }
}
