import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LogTests {
  let origin: OriginProcess

  init() throws {
    origin = try OriginProcess()
  }

  @Test func eachRequestIsLoggedWithWhatWasAskedAndSent() throws {
    var connection = try RawConnection(port: origin.port)
    let fields = ["Range": "bytes=10-29", "If-Range": "\"p0-0-100\"", "User-Agent": "a \"b\"\\"]
    _ = try connection.exchange("GET", "/pattern/a.mp4?size=100", fields)
    _ = try connection.exchange("HEAD", "/pattern/a.mp4?size=100")
    _ = try connection.exchange("GET", "/gone")
    try origin.wait(idle: true)
    let log = try origin.log()

    #expect(log.map(\.method) == ["GET", "HEAD", "GET"])
    #expect(log.map(\.status) == [206, 200, 404])
    #expect(log.map(\.bytesSent) == [20, 0, 13])
    #expect(log[0].target == "/pattern/a.mp4?size=100")
    #expect(log[0].path == "/pattern/a.mp4")
    #expect(log[0].range == "bytes=10-29")
    #expect(log[0].askedFor == 10..<30)
    #expect(log[1].range == nil)
    #expect(log[0].headers["if-range"] == "\"p0-0-100\"")
    #expect(log[0].headers["user-agent"] == "a \"b\"\\")
    #expect(log.allSatisfy { $0.fault == nil && $0.endMs ?? -1 >= $0.ms })
    #expect(Set(log.map(\.connection)).count == 1)
  }

  @Test func theTotalsCountRequestsBytesAndConnections() throws {
    for _ in 0..<3 {
      var connection = try RawConnection(port: origin.port)
      _ = try connection.exchange("GET", "/pattern/a.mp4?size=100")
      _ = try connection.exchange("GET", "/pattern/b.mp4?size=5")
    }
    try origin.wait(idle: true)
    let statistics = try origin.statistics()

    #expect(statistics.requests == 6)
    #expect(statistics.bytesSent == 315)
    #expect(statistics.connections == 3)
    #expect(statistics.active == 0)
    #expect(statistics.paths["/pattern/a.mp4"]?.bytesSent == 300)
    #expect(statistics.paths["/pattern/b.mp4"]?.requests == 3)
  }

  @Test func hundredsOfConnectionsAreServedAtOnce() throws {
    try origin.fault(.stall, below: "/pattern/")
    var connections = try (0..<300).map { _ in try RawConnection(port: origin.port) }
    for connection in connections { try connection.send("GET", "/pattern/a.mp4?size=10&seed=4") }
    try origin.wait(requests: 300)
    #expect(try origin.statistics().active == 300)

    try origin.clear(resume: true)
    for index in connections.indices {
      #expect(connections[index].receive().body == Pattern.bytes(0..<10, seed: 4))
    }
    try origin.wait(idle: true)
    #expect(try origin.statistics().maxActive == 300)
  }

  @Test(arguments: [200_000, 64 << 20])
  func bytesThatTheClientNeverTookAreNotCounted(size: Int) throws {
    do {
      let connection = try RawConnection(port: origin.port)
      try connection.send("GET", "/pattern/a.mp4?size=\(size)")
      try origin.wait(requests: 1, bytes: 1)
    }
    try origin.wait(idle: true)
    let request = try #require(try origin.log().first)

    #expect(request.status == 200)
    #expect(request.bytesSent < size)
  }

  @Test func aResetForgetsTheLogAndWhatIsUnderWay() throws {
    try origin.fault(.stall, below: "/pattern/", after: 10)
    var connection = try RawConnection(port: origin.port)
    try connection.send("GET", "/pattern/a.mp4?size=100")
    try origin.wait(requests: 1, bytes: 10)
    try origin.reset()
    try origin.clear(resume: true)
    _ = connection.receive()
    _ = try connection.exchange("GET", "/pattern/b.mp4?size=7")
    try origin.wait(idle: true)

    #expect(try origin.log().map(\.path) == ["/pattern/b.mp4"])
    #expect(try origin.log().map(\.n) == [1])
    #expect(try origin.statistics().bytesSent == 7)
    #expect(try origin.statistics().maxActive == 1)
  }

  @Test func waitingForWhatDoesNotComeIsAnError() throws {
    #expect(throws: TestToolError.self) {
      try origin.wait(requests: 1, timeout: .milliseconds(1))
    }
  }

  @Test func aRequestWithinTheLatencyWaitsAndIsLetGoByClearing() throws {
    try origin.network(latency: .seconds(3600), connect: .seconds(3600))
    var connection = try RawConnection(port: origin.port)
    try connection.send("GET", "/pattern/a.mp4?size=10&seed=1")
    try origin.wait(requests: 1)
    #expect(try origin.statistics().bytesSent == 0)

    try origin.clear()
    #expect(connection.receive().body == Pattern.bytes(0..<10, seed: 1))
  }

  @Test func aLatencyAndARateAreTheLeastThatAResponseTakes() throws {
    try origin.network(latency: .milliseconds(30), connect: .milliseconds(20), rate: 100_000)
    var connection = try RawConnection(port: origin.port)
    let start = ContinuousClock.now
    let response = try connection.exchange("GET", "/pattern/a.mp4?size=10000&seed=1")

    #expect(response.body == Pattern.bytes(0..<10_000, seed: 1))
    // 50 ms, and 100 ms less the first step and the 2 ms that an idle connection saves up.
    #expect(ContinuousClock.now - start > .milliseconds(140))
  }
}
