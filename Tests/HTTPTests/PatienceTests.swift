import Addresses
import TestSupport
import Testing

@testable import HTTP

/// The time that a request has until the head of its answer.
@Suite(.timeLimit(.minutes(1)))
struct PatienceTests {
  private let origin = OriginName(scheme: "https", host: "films.example", port: 443)
  private let other = OriginName(scheme: "https", host: "feeds.example", port: 443)
  private let patience = Patience(usual: Figure.stallTimeout.time, limit: Figure.readTimeout.time)

  @Test func aSilentRequestIsFollowedByOneThatHasMoreTime() {
    var patience = patience
    #expect(patience.time(at: origin) == Figure.stallTimeout.time)
    patience.wasSilent(origin, for: patience.time(at: origin))
    #expect(patience.time(at: origin) == Figure.secondPatience.time)
    patience.wasSilent(origin, for: patience.time(at: origin))
    #expect(patience.time(at: origin) == Figure.thirdPatience.time)
    #expect(patience.time(at: other) == Figure.stallTimeout.time)
    // It does not grow without end, and what is silent for so long is rather dead.
    patience.wasSilent(origin, for: patience.time(at: origin))
    #expect(patience.time(at: origin) == Figure.stallTimeout.time)
  }

  @Test func severalSilentRequestsAtOnceAreOneStep() {
    var patience = patience
    for _ in 0..<5 { patience.wasSilent(origin, for: Figure.stallTimeout.time) }
    #expect(patience.time(at: origin) == Figure.secondPatience.time)
  }

  @Test(arguments: [
    (1, 10), (8, 10), (9, 20), (12, 20), (15, 20), (17, 40), (31, 40), (39, 40), (59, 40),
  ])
  func theTimeOfASlowServerIsRemembered(head: Int, time: Int) {
    var patience = patience
    patience.answered(origin, after: .seconds(head))
    #expect(patience.time(at: origin) == .seconds(time))
  }

  @Test func headsThatComeSoonEndIt() {
    var patience = patience
    patience.answered(origin, after: .seconds(30))
    for _ in 0..<Patience.enough { patience.answered(origin, after: .seconds(1)) }
    #expect(patience.time(at: origin) == .seconds(20))
    // A late one begins the count anew.
    for _ in 1..<Patience.enough { patience.answered(origin, after: .seconds(1)) }
    patience.answered(origin, after: .seconds(15))
    for _ in 1..<Patience.enough { patience.answered(origin, after: .seconds(1)) }
    #expect(patience.time(at: origin) == .seconds(20))
    patience.answered(origin, after: .seconds(1))
    #expect(patience.time(at: origin) == .seconds(10))
  }

  @Test(arguments: [(60, 10, 40), (30, 7.5, 30), (4, 1, 4), (8, 10, 10)])
  func nobodyWaitsForLongerThanARead(limit: Double, usual: Double, longest: Double) {
    let patience = Patience(usual: .seconds(usual), limit: .seconds(limit))
    #expect(patience.longest == .seconds(longest))
  }

  @Test func anyNumberOfOriginsCostsLittleMemory() {
    var patience = patience
    for port in 1...10_000 {
      let origin = OriginName(scheme: "https", host: "films.example", port: port)
      patience.answered(origin, after: .seconds(15))
      #expect(patience.time(at: origin) == .seconds(20))
    }
    #expect(
      (1...10_000).count { port in
        let origin = OriginName(scheme: "https", host: "films.example", port: port)
        return patience.time(at: origin) > .seconds(10)
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
