import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FaultTests {
  private static let path = "/pattern/a.mp4"
  private static let target = "/pattern/a.mp4?size=100000&seed=1"
  /// The range that `get` requests.
  private static let asked = 1000..<3000
  let origin: OriginProcess

  init() throws {
    origin = try OriginProcess()
  }

  @Test(arguments: OriginFault.allCases)
  func eachKindIsKnownAndNotedInTheLog(kind: OriginFault) throws {
    try origin.fault(kind, below: Self.path, after: 0, ["value": "5"])
    var connection = try RawConnection(port: origin.port)
    try connection.send(kind == .headlies ? "HEAD" : "GET", Self.target)
    try origin.wait(requests: 1)
    try origin.clear(resume: true)
    _ = connection.receive(for: kind == .headlies ? "HEAD" : "GET")

    #expect(try origin.log().map(\.fault) == [kind.rawValue])
  }

  @Test(arguments: [OriginFault.status200, .status200chunked])
  func theRangeIsIgnored(kind: OriginFault) throws {
    let response = try get(kind)

    #expect(response.status == 200)
    #expect(response.end == .whole)
    #expect(response["Content-Range"] == nil)
    #expect((response["Content-Length"] == nil) == (kind == .status200chunked))
    #expect(response.body == Pattern.bytes(0..<100_000, seed: 1))
  }

  @Test func theWholeBreaksOffOrEndsWithItsConnection() throws {
    try origin.fault(.status200cut, below: Self.path, times: 1, after: 1500)
    let cut = try get(.status200close)
    let closed = try get(.status200close)

    #expect(cut["Transfer-Encoding"] == "chunked" && cut.end == .closed)
    #expect(cut.body == Pattern.bytes(0..<1500, seed: 1))
    #expect(closed["Content-Length"] == nil && closed["Transfer-Encoding"] == nil)
    #expect(closed.body == Pattern.bytes(0..<100_000, seed: 1))
  }

  @Test func theContentRangeIsWrong() throws {
    let wrong = try get(.wrongrange, ["value": "bytes 0-1999/100000"])
    let none = try get(.norange)
    let two = try get(.tworanges, ["value": "bytes 0-1999/100000"])

    #expect(wrong.values("Content-Range") == ["bytes 0-1999/100000"])
    #expect(none.status == 206)
    #expect(none.values("Content-Range") == [])
    #expect(two.values("Content-Range") == ["bytes 1000-2999/100000", "bytes 0-1999/100000"])
    for response in [wrong, none, two] {
      #expect(response.body == Pattern.bytes(Self.asked, seed: 1))
    }
  }

  @Test func theBodyIsShorterThanItsLength() throws {
    let response = try get(.short, ["by": "7"])

    #expect(response.end == .closed)
    #expect(response["Content-Length"] == "2000")
    #expect(response.body == Pattern.bytes(1000..<2993, seed: 1))
  }

  @Test func theBodyIsLongerThanItsLength() throws {
    try origin.fault(.long, below: Self.path, ["by": "7"])
    var connection = try RawConnection(port: origin.port)
    let response = try connection.exchange("GET", Self.target, Self.range)

    #expect(response.body == Pattern.bytes(Self.asked, seed: 1))
    #expect(connection.receive().end == .closed)
    #expect(try origin.log().map(\.bytesSent) == [2007])
  }

  @Test func theLengthIsWrong() throws {
    let response = try get(.contentlength, ["value": "2500"])

    #expect(response["Content-Length"] == "2500")
    #expect(response.end == .closed)
    #expect(response.body == Pattern.bytes(Self.asked, seed: 1))
  }

  @Test func theConnectionIsResetBeforeTheHeadOrInTheBody() throws {
    let before = try get(.reset)
    let inside = try get(.reset, after: 500)

    #expect(before.end == .reset)
    #expect(before.status == 0)
    #expect(inside.end == .reset)
    #expect(inside.status == 206)
    #expect(inside.body == Pattern.bytes(1000..<1500, seed: 1))
  }

  @Test(arguments: [nil, 500])
  func aStallGoesOnWhenItIsClearedToResume(after: Int?) throws {
    try origin.fault(.stall, below: Self.path, after: after)
    var connection = try RawConnection(port: origin.port)
    try connection.send("GET", Self.target, Self.range)
    try origin.wait(requests: 1, bytes: after ?? 0)
    #expect(try origin.log().map(\.endMs) == [nil])
    #expect(try origin.log().map(\.bytesSent) == [after ?? 0])

    try origin.clear(resume: true)
    #expect(connection.receive().body == Pattern.bytes(Self.asked, seed: 1))
  }

  @Test(arguments: [nil, 500])
  func aStallIsResetWhenItIsCleared(after: Int?) throws {
    try origin.fault(.stall, below: Self.path, after: after)
    var connection = try RawConnection(port: origin.port)
    try connection.send("GET", Self.target, Self.range)
    try origin.wait(requests: 1, bytes: after ?? 0)

    try origin.clear()
    let response = connection.receive()
    #expect(response.end == .reset)
    #expect(response.body.count == after ?? 0)
    #expect(try get(nil).status == 206)
  }

  @Test func aStalledClientThatLeavesIsNoticed() throws {
    try origin.fault(.stall, below: Self.path)
    do {
      let connection = try RawConnection(port: origin.port)
      try connection.send("GET", Self.target)
      try origin.wait(requests: 1)
    }
    try origin.wait(idle: true)
  }

  @Test func aTrickleIsSlowUntilItIsCleared() throws {
    try origin.fault(.trickle, below: Self.path, after: 100)
    var connection = try RawConnection(port: origin.port)
    try connection.send("GET", Self.target, Self.range)
    try origin.wait(bytes: 101)
    #expect(try origin.log().allSatisfy { $0.bytesSent < 2000 })

    try origin.clear(resume: true)
    #expect(connection.receive().body == Pattern.bytes(Self.asked, seed: 1))
  }

  @Test func aSlowHeadComesAtOnceWhenItIsCleared() throws {
    try origin.fault(.slowhead, below: Self.path, ["value": "3600000"])
    var connection = try RawConnection(port: origin.port)
    try connection.send("GET", Self.target, Self.range)
    try origin.wait(requests: 1)

    try origin.clear()
    #expect(connection.receive().body == Pattern.bytes(Self.asked, seed: 1))
  }

  @Test(arguments: [429, 503, 404, 403, 410, 500])
  func aStatusComesWithItsRetryAfter(code: Int) throws {
    let response = try get(.status, ["code": String(code), "retry_after": "3"])

    #expect(response.status == code)
    #expect(response["Retry-After"] == "3")
  }

  @Test func aFalse416SaysTheLength() throws {
    let response = try get(.status, ["code": "416"])

    #expect(response.status == 416)
    #expect(response["Content-Range"] == "bytes */100000")
  }

  @Test func redirectsLeadOverHopsToTheirTarget() throws {
    try origin.fault(
      .redirect, below: Self.path,
      ["to": "/pattern/b.mp4?size=9&seed=2", "code": "307", "hops": "3"])
    var connection = try RawConnection(port: origin.port)
    var target = Self.target
    var statuses: [Int] = []
    var response = RawResponse()
    repeat {
      response = try connection.exchange("GET", target)
      statuses.append(response.status)
      target = response["Location"] ?? ""
    } while !target.isEmpty

    #expect(statuses == [307, 307, 307, 200])
    #expect(response.body == Pattern.bytes(0..<9, seed: 2))
  }

  @Test func aRedirectWithoutATargetIsALoop() throws {
    let response = try get(.redirect)

    #expect(response.status == 302)
    #expect(response["Location"] == Self.target)
  }

  @Test func aPageComesInsteadOfTheVideo() throws {
    let page = try get(.html)
    let part = try get(.html206)

    #expect(page.status == 200)
    #expect(part.status == 206)
    #expect(part["Content-Range"] == "bytes 1000-2999/100000")
    #expect(part.body.count == 2000)
    for response in [page, part] {
      #expect(response["Content-Type"] == "text/html")
      #expect(response.text.hasPrefix("<!DOCTYPE html>"))
    }
  }

  @Test func theBodyIsSaidToBeSomethingElse() throws {
    let gzip = try get(.gzip)
    let parts = try get(.multipart)

    #expect(gzip["Content-Encoding"] == "gzip")
    #expect(parts["Content-Type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
    #expect(parts["Content-Range"] == nil)
    #expect(parts.end == .whole)
    #expect(parts["Content-Length"] == String(parts.body.count))
    #expect(parts.body.contains(Pattern.bytes(Self.asked, seed: 1)))
  }

  @Test func theTagIsAnotherOneWeakOrMissing() throws {
    let tag = "\"p1-0-100000\""
    #expect(try get(.etag, ["value": "\"new\""])["ETag"] == "\"new\"")
    #expect(try get(.weaketag)["ETag"] == "W/" + tag)
    #expect(try get(.noetag)["ETag"] == nil)
    #expect(try get(nil)["ETag"] == tag)
  }

  @Test func headLiesAboutTheLengthAndGetDoesNot() throws {
    try origin.fault(.headlies, below: Self.path, ["value": "5"])
    var connection = try RawConnection(port: origin.port)

    #expect(try connection.exchange("GET", Self.target)["Content-Length"] == "100000")
    #expect(try connection.exchange("HEAD", Self.target)["Content-Length"] == "5")
  }

  @Test func theHeadIsNoHTTPOrTooLong() throws {
    let garbage = try get(.garbage)
    let big = try get(.bigheaders, ["value": "200000"])

    #expect(garbage.status == 0)
    #expect(garbage.end == .closed)
    #expect(big.fields.reduce(0) { $0 + $1.value.utf8.count } >= 200_000)
    #expect(big.body == Pattern.bytes(Self.asked, seed: 1))
  }

  @Test func theLastChunkNeverComes() throws {
    let response = try get(.chunkedunended)

    #expect(response["Transfer-Encoding"] == "chunked")
    #expect(response.end == .closed)
    #expect(response.body == Pattern.bytes(Self.asked, seed: 1))
  }

  @Test func aFaultIsAimedByPathMethodStartAndNumber() throws {
    try origin.fault(.status, below: "/pattern/b", ["code": "501"])
    try origin.fault(.status, below: Self.path, method: "HEAD", ["code": "502"])
    try origin.fault(.status, below: Self.path, starts: 5..<10, ["code": "503"])
    try origin.fault(.status, below: Self.path, times: 2, starts: 0..<1, ["code": "504"])
    var connection = try RawConnection(port: origin.port)
    func status(_ start: Int) throws -> Int {
      try connection.exchange("GET", Self.target, ["Range": "bytes=\(start)-99"]).status
    }

    #expect(try [4, 5, 9, 10].map(status) == [206, 503, 503, 206])
    #expect(try [0, 0, 0].map(status) == [504, 504, 206])
    #expect(try connection.exchange("HEAD", Self.target).status == 502)
    #expect(try connection.exchange("GET", "/pattern/b.mp4").status == 501)
  }

  @Test(arguments: [
    ["kind": "no such"], ["kind": "short", "by": "x", "path": "/"], ["kind": "gzip"],
  ])
  func aFaultThatIsNotUnderstoodIsRefused(query: [String: String]) throws {
    #expect(throws: TestToolError.self) { try origin.control("POST", "/__fault", query) }
  }

  private static let range = ["Range": "bytes=1000-2999"]

  /// Sends one request, with a fault (or none) that is cleared afterwards.
  private func get(
    _ kind: OriginFault?, after: Int? = nil, _ parameters: [String: String] = [:]
  ) throws -> RawResponse {
    if let kind { try origin.fault(kind, below: Self.path, after: after, parameters) }
    var connection = try RawConnection(port: origin.port)
    let response = try connection.exchange("GET", Self.target, Self.range)
    try origin.clear()
    return response
  }
}
