import Blocks
import TestSupport
import Testing

@testable import HTTP

/// A request for the end of a film of unknown length: its answer is taken, or left as it is.
@Suite(.timeLimit(.minutes(1)))
struct AskedOnceTests {
  private static let wanted = WordyServer.length - 1000..<WordyServer.length
  private static let refused = [
    Wording("the whole") { _ in WordyServer.whole },
    Wording("the whole, without a length") { _ in WordyServer.whole.without("Content-Length") },
    Wording("the first bytes") { _ in WordyServer.part(0..<1000) },
    Wording("bytes behind its begin") { _ in WordyServer.part(WordyServer.length - 500..<299_900) },
    Wording("200 with the first bytes") { _ in WordyServer.part(0..<1000).status(200) },
    Wording("a part without its place") { _ in
      WordyServer.part(wanted).without("Content-Range")
    },
    Wording("a part without a total") { _ in
      WordyServer.part(wanted).with(("Content-Range", "bytes 299000-299999/*"))
    },
    Wording("416 with the length") { _ in
      WordyServer.Reply(
        status: 416, fields: [("Content-Range", "bytes */\(WordyServer.length)")], body: [])
    },
    Wording("a page") { _ in WordyServer.part(wanted).with(("Content-Type", "text/html")) },
    Wording("several parts") { _ in
      WordyServer.part(wanted).with(("Content-Type", "multipart/byteranges; boundary=x"))
    },
    Wording("400") { _ in WordyServer.Reply(status: 400, fields: [], body: []) },
    Wording("501") { _ in WordyServer.Reply(status: 501, fields: [], body: []) },
    Wording("429") { _ in WordyServer.Reply(status: 429, fields: [], body: []) },
  ]

  private func run(
    _ answer: (WordyServer.Asked) -> WordyServer.Reply
  ) throws -> (outcome: WordyServer.Outcome, manners: Manners) {
    var request = RangeRequest(url: "http://o.example/v", range: .suffix(1000), expected: nil)
    request.asksOnce = true
    var manners = Manners()
    let outcome = try WordyServer.run(request, &manners, answering: answer)
    #expect(outcome.requests.count == 1)
    #expect(outcome.requests.first?.contains("Range: bytes=-1000") ?? false)
    return (outcome, manners)
  }

  @Test func theEndTellsTheLength() throws {
    let outcome = try run { _ in WordyServer.part(Self.wanted) }.outcome
    #expect(outcome.end == .complete)
    #expect(outcome.bytes == Array(WordyServer.film[Self.wanted]))
    #expect(outcome.answer?.bytes == Self.wanted)
    #expect(outcome.answer?.representation == WordyServer.found)
  }

  @Test(arguments: refused) func nothingOfAnotherAnswerIsTaken(server: Wording) throws {
    let (outcome, manners) = try run(server.answer)
    #expect(outcome.answer == nil && outcome.bytes.isEmpty)
    #expect(outcome.end != .complete)
    // It says nothing about other requests.
    var fresh = Manners()
    let film = RangeRequest(
      url: "http://o.example/v", range: .bytes(0..<9000), expected: WordyServer.found)
    var learned = manners
    let asked = { (_: WordyServer.Asked) in WordyServer.part(0..<9000) }
    let before = try WordyServer.run(film, &fresh, answering: asked).requests
    #expect(try WordyServer.run(film, &learned, answering: asked).requests == before)
  }

  @Test func theRestOfAShortAnswerIsNotAskedFor() throws {
    let part = Self.wanted.prefix(400)
    let outcome = try run { _ in WordyServer.part(part) }.outcome
    #expect(outcome.bytes == Array(WordyServer.film[part]))
    guard case .broken = outcome.end else {
      Issue.record("\(outcome.end)")
      return
    }
  }

  // MARK: On the wire

  private typealias Step = ScriptedServer.Step

  private static let answer: [Step] = [.request, .send(RangeTests.part + "cdef")]

  private func start(at server: ScriptedServer, by client: HTTPClient) -> RecordingSink {
    var request = RangeRequest(
      url: server.url, range: .suffix(4), expected: nil, priority: .ahead)
    request.failsFast = true
    request.asksOnce = true
    let sink = RecordingSink()
    _ = client.start(request, sink: sink)
    return sink
  }

  @Test(arguments: ["HTTP/1.1 403 x\r\nContent-Length: 0\r\n\r\n", nil])
  func whatIsTurnedAwayBesideAnotherIsNotAskedForAlone(refusal: String?) async throws {
    let serving: [Step] =
      [.request, .send(RangeTests.part + "cd"), .gate, .send("ef")] + Self.answer + [.hold]
    let away: [Step] = [.request] + (refusal.map { [.send($0), .hold] } ?? [])
    try await ScriptedServer.run([serving, away, Self.answer + [.hold]]) { server in
      let client = try HTTPClient(HTTPConfiguration(typedHosts: ["127.0.0.1"]))
      let came = AsyncStream.makeStream(of: Void.self)
      let film = RecordingSink { came.continuation.yield() }
      _ = client.start(
        RangeRequest(url: server.url, range: .bytes(2..<6), expected: nil), sink: film)
      for await _ in came.stream { break }
      let end = start(at: server, by: client)
      await until { server.requests.count == 2 }
      server.open()

      #expect(await film.end() == .complete)
      #expect(await end.end() != .complete)
      #expect(server.requests.count == 2)
    }
  }

  /// It would hold back the requests that readers wait for.
  @Test func aPauseThatIsSaidToItHoldsBackNoOther() async throws {
    let busy = "HTTP/1.1 429 x\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n"
    let steps: [Step] = [.request, .send(busy)] + Self.answer + [.hold]
    try await ScriptedServer.run([steps]) { server in
      let client = try HTTPClient(HTTPConfiguration(typedHosts: ["127.0.0.1"]))
      guard case .busy = await start(at: server, by: client).end() else {
        Issue.record("it is not busy")
        return
      }
      let film = RecordingSink()
      var request = RangeRequest(url: server.url, range: .bytes(2..<6), expected: nil)
      request.failsFast = true
      _ = client.start(request, sink: film)
      #expect(await film.end() == .complete)
    }
  }

  @Test(arguments: [false, true])
  func whatGetsNoAnswerIsNotAskedForOverAnotherConnection(isSuspect: Bool) async throws {
    let silent: [Step] = (isSuspect ? [] : Self.answer) + [.request, .hold]
    try await ScriptedServer.run([silent, Self.answer + [.hold]]) { server in
      let client = try HTTPClient(
        HTTPConfiguration(typedHosts: ["127.0.0.1"], stallTimeout: .seconds(2)))
      if !isSuspect {
        let film = RecordingSink()
        _ = client.start(
          RangeRequest(url: server.url, range: .bytes(2..<6), expected: nil), sink: film)
        #expect(await film.end() == .complete)
      }
      let before = server.requests.count
      let end = start(at: server, by: client)
      await until { server.requests.count > before }
      if isSuspect { client.networkChanged() }

      #expect(await end.end() != .complete)
      #expect(server.requests.count == before + 1)
    }
  }
}
