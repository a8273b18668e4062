import Blocks
import Testing

@testable import HTTP

/// Range requests on the wire, against exact byte scripts.
@Suite(.timeLimit(.minutes(1)))
struct RangeTests {
  static let part = """
    HTTP/1.1 206 Partial Content\r
    Content-Range: bytes 2-5/10\r
    Content-Length: 4\r
    ETag: "v1"\r
    Content-Type: video/mp4\r
    \r

    """
  static let found = Representation(length: 10, validator: .entityTag("\"v1\""))

  private func client(
    stallTimeout: Duration = .seconds(10), typed: Set<String> = ["127.0.0.1"]
  ) throws -> HTTPClient {
    try HTTPClient(HTTPConfiguration(typedHosts: typed, stallTimeout: stallTimeout))
  }

  private func request(_ url: String, _ expected: Representation? = nil) -> RangeRequest {
    RangeRequest(url: url, range: .bytes(2..<6), expected: expected)
  }

  /// Plays `script` as the only answer and returns the end of the request.
  private func end(
    after script: [ScriptedServer.Step], stallTimeout: Duration = .seconds(10),
    expected: Representation? = nil
  ) async throws -> (TransferEnd?, RecordingSink) {
    try await ScriptedServer.run([[.request] + script]) { server in
      let client = try client(stallTimeout: stallTimeout)
      let sink = RecordingSink()
      _ = client.start(request(server.url + "/v", expected), sink: sink)
      let end = await sink.end()
      client.shutDown()
      #expect(sink.ends.count == 1)
      #expect(!sink.isOutOfOrder)
      return (end, sink)
    }
  }

  @Test func aRangeArrivesAtItsPlace() async throws {
    let (end, sink) = try await end(after: [.send(Self.part + "cd"), .send("ef")])

    #expect(end == .complete)
    #expect(sink.bytes == Array("cdef".utf8))
    #expect(sink.answer?.representation == Self.found)
    #expect(sink.answer?.bytes == 2..<6)
    #expect(sink.answer?.contentType == "video/mp4")
    #expect(sink.answer?.isWhole == false)
  }

  @Test func theQuestionIsWhatItShouldBe() async throws {
    try await ScriptedServer.run([[.request, .send(Self.part + "cdef")]]) { server in
      let client = try client()
      let sink = RecordingSink()
      _ = client.start(request(server.url + "/v?q", Self.found), sink: sink)
      #expect(await sink.end() == .complete)
      let lines = try #require(server.requests.first).split(separator: "\r\n")
      #expect(lines.first == "GET /v?q HTTP/1.1")
      #expect(lines.contains("Range: bytes=2-5"))
      #expect(lines.contains("If-Range: \"v1\""))
      #expect(lines.contains("Accept-Encoding: identity"))
      #expect(lines.contains("User-Agent: feedfs/0.1"))
      #expect(lines.allSatisfy { !$0.hasPrefix("Authorization") && !$0.hasPrefix("Cookie") })
    }
  }

  @Test func aConnectionIsKept() async throws {
    let answer: [ScriptedServer.Step] = [.request, .send(Self.part + "cdef")]
    try await ScriptedServer.run([answer + answer + answer]) { server in
      let client = try client()
      for _ in 0..<3 {
        let sink = RecordingSink()
        _ = client.start(request(server.url), sink: sink)
        #expect(await sink.end() == .complete)
      }
      #expect(server.connections == 1)
      #expect(client.origins().map(\.requests) == [3])
      #expect(client.origins().map(\.condition) == [.reachable])
    }
  }

  @Test func aWholeBodyComesFromItsBegin() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"v1\"\r\n\r\n"
    let answer = ScriptedServer.Step.send(head + "abcdefghij")
    // It may come because of If-Range alone, so it is asked for once more without.
    let (end, sink) = try await end(after: [answer, .request, answer], expected: Self.found)

    #expect(end == .complete)
    #expect(sink.answer?.isWhole == true)
    #expect(sink.bytes == Array("abcdefghij".utf8))
  }

  @Test func aShortBodyKeepsWhatPassed() async throws {
    let (end, sink) = try await end(after: [.send(Self.part + "cd")])

    #expect(end == .broken(reason: "the answer ended too early"))
    #expect(sink.bytes == Array("cd".utf8))
  }

  @Test func aShortBodyWithoutALengthIsShortToo() async throws {
    let head = "HTTP/1.1 206 x\r\nContent-Range: bytes 2-5/10\r\n\r\n"
    let (end, sink) = try await end(after: [.send(head + "cd")])

    #expect(end == .broken(reason: "the answer ended 2 bytes too early"))
    #expect(sink.bytes == Array("cd".utf8))
  }

  @Test func aResetKeepsWhatPassed() async throws {
    try await ScriptedServer.run([[.request, .send(Self.part + "cd"), .hold]]) { server in
      let client = try client()
      let (pieces, piece) = AsyncStream.makeStream(of: Void.self)
      let sink = RecordingSink { piece.yield() }
      _ = client.start(request(server.url), sink: sink)
      for await _ in pieces { break }

      server.reset()

      #expect(await sink.end() == .broken(reason: "the connection was closed"))
      #expect(sink.bytes == Array("cd".utf8))
    }
  }

  @Test func aBodyLongerThanAnnouncedIsRefused() async throws {
    let head = """
      HTTP/1.1 206 x\r
      Content-Range: bytes 2-5/10\r
      Transfer-Encoding: chunked\r
      \r

      """
    let (end, sink) = try await end(after: [.send(head + "6\r\ncdefgh\r\n0\r\n\r\n")])

    #expect(end == .refused(.tooManyBytes))
    #expect(sink.bytes == [])
  }

  @Test(arguments: [
    ("HTTP/1.1 206 x\r\nContent-Range: bytes 3-6/10\r\nContent-Length: 4\r\n\r\nabcd", "range"),
    ("HTTP/1.1 206 x\r\nContent-Length: 4\r\n\r\nabcd", "none"),
    ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<htm", "portal"),
    ("HTTP/1.1 200 OK\r\n\r\nabcdefghij", "length"),
    ("ICY 200 OK\r\n\r\nabcdefghij", "no HTTP"),
    ("HTTP/1.1 302 x\r\nContent-Length: 0\r\n\r\n", "nowhere"),
  ])
  func nothingIsTakenThatDidNotPass(answer: String, kind: String) async throws {
    let (end, sink) = try await end(after: [.send(answer)])

    guard case .refused? = end else {
      Issue.record("\(kind): \(String(describing: end))")
      return
    }
    #expect(sink.answer == nil)
  }

  @Test(arguments: [
    (
      "HTTP/1.1 200 OK\r\nETag: \"v2\"\r\nContent-Length: 10\r\n\r\nabcdefghij", TransferEnd.doubted
    ),
    (
      "HTTP/1.1 200 OK\r\nETag: \"v2\"\r\nContent-Length: 9\r\n\r\nabcdefghi", .changed
    ),
    ("HTTP/1.1 416 x\r\nContent-Range: bytes */1\r\n\r\n", .unsatisfiable(length: 1)),
    ("HTTP/1.1 404 x\r\nContent-Length: 99999999\r\n\r\n", .gone(status: 404)),
    ("HTTP/1.1 500 x\r\nTransfer-Encoding: chunked\r\n\r\n", .serverError(status: 500)),
  ])
  func anAnswerWithoutOurBytesEndsTheRequest(answer: String, expected: TransferEnd) async throws {
    let (end, sink) = try await end(after: [.send(answer)], expected: Self.found)

    #expect(end == expected)
    #expect(sink.answer == nil)
  }

  @Test func aSilentBodyIsBroken() async throws {
    let (end, sink) = try await end(
      after: [.send(Self.part + "cd"), .hold], stallTimeout: .milliseconds(500))

    #expect(end == .broken(reason: "the server sent nothing for 500 ms"))
    #expect(sink.bytes == Array("cd".utf8))
  }

  @Test func aStalledTransferCanBeCancelled() async throws {
    try await ScriptedServer.run([[.request, .send(Self.part + "cd"), .hold]]) { server in
      let client = try client()
      let (pieces, piece) = AsyncStream.makeStream(of: Void.self)
      let sink = RecordingSink { piece.yield() }
      let id = client.start(request(server.url), sink: sink)
      for await _ in pieces { break }

      client.cancel(id)
      client.cancel(id)

      #expect(await sink.end() == .cancelled)
      client.shutDown()
      #expect(sink.ends == [.cancelled])
    }
  }

  @Test func aCheckBringsNoBytes() async throws {
    try await ScriptedServer.run([[.request, .send("HTTP/1.1 304 x\r\nETag: \"v1\"\r\n\r\n")]]) {
      server in
      let client = try client()
      let sink = RecordingSink()
      _ = client.start(RangeRequest(checking: Self.found, at: server.url), sink: sink)

      #expect(await sink.end() == .notModified(freshFor: nil))
      #expect(server.requests.first?.contains("If-None-Match: \"v1\"\r\n") == true)
    }
  }
}
