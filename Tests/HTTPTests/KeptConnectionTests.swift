import Locks
import TestSupport
import Testing

@testable import HTTP

/// Kept connections that are silent, or bring something other than an answer, on the wire.
@Suite(.timeLimit(.minutes(1)))
struct KeptConnectionTests {
  private typealias Step = ScriptedServer.Step

  private static let answer: [Step] = [.request, .send(RangeTests.part + "cdef")]
  /// The server answers once, then accepts requests and stays silent.
  private static let dying: [Step] = answer + [.hold]
  private static func redirect(_ location: String) -> Step {
    .send("HTTP/1.1 302 x\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
  }

  private func client(
    stallTimeout: Duration = .seconds(10), slept: @escaping @Sendable () -> Duration = { .zero }
  ) throws -> HTTPClient {
    try HTTPClient(
      HTTPConfiguration(typedHosts: ["127.0.0.1"], stallTimeout: stallTimeout), slept: slept)
  }

  private func begin(_ count: Int, _ url: String, _ client: HTTPClient) -> [RecordingSink] {
    (0..<count).map { _ in
      let sink = RecordingSink()
      _ = client.start(RangeRequest(url: url, range: .bytes(2..<6), expected: nil), sink: sink)
      return sink
    }
  }

  /// Expects all sinks to complete within `limit`.
  private func expect(_ sinks: [RecordingSink], within limit: Duration) async {
    let time = await ContinuousClock().measure {
      for sink in sinks {
        let end = await sink.end()
        #expect(end == .complete)
      }
    }
    #expect(time < limit.here)
    for sink in sinks {
      #expect(sink.bytes == Array("cdef".utf8))
      #expect(!sink.isOutOfOrder)
    }
  }

  /// Gives the client `count` kept connections that are dead.
  private func deadConnections(
    _ count: Int, _ server: ScriptedServer, _ client: HTTPClient
  ) async throws {
    let sinks = begin(count, server.url, client)
    // More than 24 requests at once are sent only when the first have been silent for 2 s.
    await until { server.requests.count >= count }
    server.open()
    await expect(sinks, within: .seconds(10))
    #expect(server.connections == count)
  }

  private func scripts(dead count: Int) -> [[Step]] {
    let dying: [Step] = [.request, .gate, .send(RangeTests.part + "cdef"), .hold]
    return Array(repeating: dying, count: count)
      + Array(repeating: Self.answer + Self.answer + [.hold], count: 30)
  }

  // MARK: Silence

  /// The second ask comes 3 s after the usual time at most. Of 28 requests at once, the first wait
  /// 2 s for their answers, which is the usual time then. Without a second ask it would be 30 s.
  @Test(arguments: [1, 4, 28]) func theFirstByteComesThoughAllKeptConnectionsAreDead(count: Int)
    async throws
  {
    try await ScriptedServer.run(scripts(dead: count)) { server in
      let client = try client(stallTimeout: .seconds(30))
      try await deadConnections(count, server, client)

      await expect(begin(1, server.url, client), within: .seconds(count > 24 ? 10 : 5))
      // The other connections are now known to be dead, too.
      await expect(begin(1, server.url, client), within: .seconds(1))
      #expect(server.connections <= count + 2)
    }
  }

  @Test func sixteenReadersAtOnceAreHeldUpByDeadConnectionsNoLonger() async throws {
    try await ScriptedServer.run(scripts(dead: 16)) { server in
      let client = try client()
      try await deadConnections(16, server, client)

      await expect(begin(16, server.url, client), within: .seconds(4))
    }
  }

  @Test func theSlowerOfTwoIsDropped() async throws {
    let slow: [Step] =
      Self.answer + [.request, .gate, .send(RangeTests.part + "XXXX"), .hold]
    try await ScriptedServer.run([slow, Self.answer + [.hold]]) { server in
      let client = try client()
      await expect(begin(1, server.url, client), within: .seconds(1))
      let sinks = begin(1, server.url, client)
      await expect(sinks, within: .seconds(4))
      server.open()

      #expect(server.requests.count == 3)
      #expect(sinks.allSatisfy { $0.ends == [.complete] })
    }
  }

  @Test func theFirstMayStillWin() async throws {
    let slow: [Step] = Self.answer + [.request, .gate] + [.send(RangeTests.part + "cdef"), .hold]
    try await ScriptedServer.run([slow, [.request, .hold]]) { server in
      let client = try client()
      await expect(begin(1, server.url, client), within: .seconds(1))
      let sinks = begin(1, server.url, client)
      await until { server.requests.count >= 3 }
      server.open()

      await expect(sinks, within: .seconds(2))
      #expect(server.connections == 2)
    }
  }

  @Test func whoeverLeavesEndsBoth() async throws {
    try await ScriptedServer.run([Self.dying, [.request, .hold]]) { server in
      let client = try client()
      await expect(begin(1, server.url, client), within: .seconds(1))
      let sink = RecordingSink()
      let id = client.start(
        RangeRequest(url: server.url, range: .bytes(2..<6), expected: nil), sink: sink)
      await until { server.requests.count >= 2 }
      client.cancel(id)

      #expect(await sink.end() == .cancelled)
      client.shutDown()
      #expect(sink.ends == [.cancelled])
    }
  }

  // MARK: Junk

  @Test(arguments: [false, true]) func junkBehindAnAnswerIsReadByNobody(isLate: Bool) async throws {
    // Late junk comes after the next request was sent.
    let junk: [Step] = Self.answer + (isLate ? [.request] : []) + [.send("junk\r\n\r\n"), .hold]
    let count = isLate ? 1 : 4
    try await ScriptedServer.run(
      Array(repeating: junk, count: count) + [Self.answer + Self.answer + [.hold]]
    ) { server in
      let client = try client()
      await expect(begin(count, server.url, client), within: .seconds(2))
      await expect(begin(1, server.url, client), within: .seconds(2))
      await expect(begin(1, server.url, client), within: .seconds(1))

      #expect(server.connections == count + 1)
    }
  }

  @Test func whatTheOriginHasClosedIsNotUsed() async throws {
    let closing = Self.answer
    try await ScriptedServer.run(Array(repeating: closing, count: 8) + [Self.dying]) { server in
      let client = try client()
      await expect(begin(8, server.url, client), within: .seconds(2))
      await expect(begin(1, server.url, client), within: .seconds(2))
    }
  }

  // MARK: Another network

  @Test(arguments: [false, true]) func anotherNetworkMakesAllKeptConnectionsSuspect(sleeps: Bool)
    async throws
  {
    let slept = Locked(Duration.zero)
    try await ScriptedServer.run(scripts(dead: 4)) { server in
      let client = try client(slept: { slept.withLock { $0 } })
      try await deadConnections(4, server, client)

      if sleeps { slept.withLock { $0 = .seconds(3600) } } else { client.networkChanged() }

      await expect(begin(1, server.url, client), within: .milliseconds(900))
      #expect(server.connections == 5)
    }
  }

  @Test func whatBringsBytesGoesOnInAnotherNetwork() async throws {
    let slow: [Step] = [
      .request, .send(RangeTests.part + "cd"), .gate, .send("ef"), .request, .hold,
    ]
    try await ScriptedServer.run([slow, Self.answer + [.hold]]) { server in
      let client = try client()
      let came = AsyncStream.makeStream(of: Void.self)
      let sink = RecordingSink { came.continuation.yield() }
      _ = client.start(
        RangeRequest(url: server.url, range: .bytes(2..<6), expected: nil), sink: sink)
      for await _ in came.stream { break }
      client.networkChanged()
      server.open()

      await expect([sink], within: .seconds(2))
      // No other request goes over that connection.
      await expect(begin(1, server.url, client), within: .milliseconds(900))
      #expect(server.connections == 2)
    }
  }

  @Test func whatBringsNothingInAnotherNetworkIsAskedAnew() async throws {
    try await ScriptedServer.run([[.request, .hold], Self.answer + [.hold]]) { server in
      let client = try client()
      let sinks = begin(1, server.url, client)
      await until { !server.requests.isEmpty }
      client.networkChanged()

      await expect(sinks, within: .seconds(4))
    }
  }

  // MARK: Targets of redirects

  @Test(arguments: [false, true]) func aRedirectorIsAskedAnewWhenItsTargetSaysNothing(isKnown: Bool)
    async throws
  {
    let target = (isKnown ? Self.answer : []) + [.request, .hold]
    try await ScriptedServer.run([target, [.request, .hold], [.request, .hold]]) { dead in
      try await ScriptedServer.run([Self.answer + Self.answer + [.hold]]) { alive in
        let script: [Step] = [
          .request, Self.redirect(dead.url), .request, Self.redirect(alive.url), .hold,
        ]
        try await ScriptedServer.run([script]) { redirector in
          let client = try client()
          if isKnown { await expect(begin(1, redirector.url, client), within: .seconds(1)) }
          await expect(begin(1, redirector.url, client), within: .seconds(5))
          // The new target is known by now.
          await expect(begin(1, redirector.url, client), within: .seconds(1))
          #expect(redirector.requests.count == 2)
        }
      }
    }
  }

  @Test func theOldTargetMayStillAnswer() async throws {
    let slow: [Step] = [.request, .gate, .send(RangeTests.part + "cdef"), .hold]
    try await ScriptedServer.run([slow, [.request, .hold]]) { target in
      let script: [Step] = [
        .request, Self.redirect(target.url), .request, Self.redirect(target.url), .hold,
      ]
      try await ScriptedServer.run([script]) { redirector in
        let client = try client()
        let sinks = begin(1, redirector.url, client)
        await until { redirector.requests.count >= 2 }
        target.open()

        await expect(sinks, within: .seconds(2))
        #expect(target.requests.count == 1)
      }
    }
  }

  @Test func aRedirectorThatNamesAnotherTargetInTimeIsAskedForIt() async throws {
    let dead = "http://127.0.0.1:\(try ScriptedServer.deadPort())/"
    try await ScriptedServer.run([Self.answer + [.hold]]) { alive in
      let script: [Step] =
        Array(repeating: [.request, Self.redirect(dead)], count: 2).flatMap(\.self)
        + [.request, Self.redirect(alive.url), .hold]
      try await ScriptedServer.run([script]) { redirector in
        let client = try client()
        // The redirector is asked for the target again after 2 s, then every 4 s.
        await expect(begin(1, redirector.url, client), within: .seconds(9))
      }
    }
  }
}
