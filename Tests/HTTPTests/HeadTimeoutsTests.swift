import Addresses
import TestSupport
import Testing

@testable import HTTP

/// The time that a request has until the head of its answer.
@Suite(.timeLimit(.minutes(1)))
struct HeadTimeoutsTests {
  private let origin = OriginName(scheme: "https", host: "films.example", port: 443)
  private let other = OriginName(scheme: "https", host: "feeds.example", port: 443)
  private let headTimeouts = HeadTimeouts(
    usual: Figure.stallTimeout.time, limit: Figure.readTimeout.time)

  @Test func aSilentRequestIsFollowedByOneThatHasMoreTime() {
    var headTimeouts = headTimeouts
    #expect(headTimeouts.time(at: origin) == Figure.stallTimeout.time)
    headTimeouts.wasSilent(origin, for: headTimeouts.time(at: origin))
    #expect(headTimeouts.time(at: origin) == Figure.secondTimeout.time)
    headTimeouts.wasSilent(origin, for: headTimeouts.time(at: origin))
    #expect(headTimeouts.time(at: origin) == Figure.thirdTimeout.time)
    #expect(headTimeouts.time(at: other) == Figure.stallTimeout.time)
    // It does not grow without end, and what is silent for so long is rather dead.
    headTimeouts.wasSilent(origin, for: headTimeouts.time(at: origin))
    #expect(headTimeouts.time(at: origin) == Figure.stallTimeout.time)
  }

  @Test func severalSilentRequestsAtOnceAreOneStep() {
    var headTimeouts = headTimeouts
    for _ in 0..<5 { headTimeouts.wasSilent(origin, for: Figure.stallTimeout.time) }
    #expect(headTimeouts.time(at: origin) == Figure.secondTimeout.time)
  }

  @Test(arguments: [
    (1, 10), (8, 10), (9, 20), (12, 20), (15, 20), (17, 40), (31, 40), (39, 40), (59, 40),
  ])
  func theTimeOfASlowServerIsRemembered(head: Int, time: Int) {
    var headTimeouts = headTimeouts
    headTimeouts.answered(origin, after: .seconds(head))
    #expect(headTimeouts.time(at: origin) == .seconds(time))
  }

  @Test func headsThatComeSoonEndIt() {
    var headTimeouts = headTimeouts
    headTimeouts.answered(origin, after: .seconds(30))
    for _ in 0..<HeadTimeouts.enough { headTimeouts.answered(origin, after: .seconds(1)) }
    #expect(headTimeouts.time(at: origin) == .seconds(20))
    // A late one begins the count anew.
    for _ in 1..<HeadTimeouts.enough { headTimeouts.answered(origin, after: .seconds(1)) }
    headTimeouts.answered(origin, after: .seconds(15))
    for _ in 1..<HeadTimeouts.enough { headTimeouts.answered(origin, after: .seconds(1)) }
    #expect(headTimeouts.time(at: origin) == .seconds(20))
    headTimeouts.answered(origin, after: .seconds(1))
    #expect(headTimeouts.time(at: origin) == .seconds(10))
  }

  @Test(arguments: [(60, 10, 40), (30, 7.5, 30), (4, 1, 4), (8, 10, 10)])
  func nobodyWaitsForLongerThanARead(limit: Double, usual: Double, longest: Double) {
    let headTimeouts = HeadTimeouts(usual: .seconds(usual), limit: .seconds(limit))
    #expect(headTimeouts.maxTime == .seconds(longest))
  }

  @Test func anyNumberOfOriginsCostsLittleMemory() {
    var headTimeouts = headTimeouts
    for port in 1...10_000 {
      let origin = OriginName(scheme: "https", host: "films.example", port: port)
      headTimeouts.answered(origin, after: .seconds(15))
      #expect(headTimeouts.time(at: origin) == .seconds(20))
    }
    #expect(
      (1...10_000).count { port in
        let origin = OriginName(scheme: "https", host: "films.example", port: port)
        return headTimeouts.time(at: origin) > .seconds(10)
      } <= 256)
  }

  // MARK: On the wire

  @Test func aDocumentIsAskedForOnceMoreAndThenAgain() async throws {
    let answer: [ScriptedServer.Step] = [
      .request, .send("HTTP/1.1 200 x\r\nContent-Length: 2\r\n\r\nok"),
    ]
    let silent: [ScriptedServer.Step] = [.request, .hold]
    try await ScriptedServer.run([silent, silent, answer]) { server in
      let document = try await client().get(DocumentRequest(url: server.url))
      #expect(document.bytes == Array("ok".utf8))
      #expect(server.connections == 3)
    }
  }

  @Test func aDocumentThatNeverComesIsGivenUp() async throws {
    let silent: [ScriptedServer.Step] = [.request, .hold]
    try await ScriptedServer.run(Array(repeating: silent, count: 9)) { server in
      let client = try client()
      let time = await ContinuousClock().measure {
        await #expect(throws: HTTPError.self) {
          try await client.get(DocumentRequest(url: server.url))
        }
      }
      #expect(time < .seconds(3).here)
      #expect(server.connections == 3)
    }
  }

  private func client() throws -> HTTPClient {
    var configuration = HTTPConfiguration(
      typedHosts: ["127.0.0.1"], stallTimeout: .milliseconds(200))
    configuration.headTimeout = .milliseconds(1200)
    return try HTTPClient(configuration)
  }
}
