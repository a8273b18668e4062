import Blocks
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RangeTests {
  private static let target = "/pattern/a.mp4?size=1000&seed=1"
  private static let etag = "\"p1-0-1000\""
  private static let date = "Wed, 01 Jan 2025 00:00:00 GMT"
  let origin: OriginProcess

  init() throws {
    origin = try OriginProcess()
  }

  @Test(arguments: [
    ("bytes=0-0", 0..<1), ("bytes=10-19", 10..<20), ("bytes=990-5000", 990..<1000),
    ("bytes=999-", 999..<1000), ("bytes=-1", 999..<1000), ("bytes=-5000", 0..<1000),
  ])
  func aSingleRangeIsAnsweredWithItsBytes(header: String, expected: ByteRange) throws {
    let response = try get(["Range": header])

    #expect(response.status == 206)
    #expect(
      response.values("Content-Range")
        == ["bytes \(expected.lowerBound)-\(expected.upperBound - 1)/1000"])
    #expect(response.body == Pattern.bytes(expected, seed: 1))
  }

  @Test(arguments: ["bytes=1000-", "bytes=1000-1001", "bytes=-0"])
  func aRangeWithoutBytesIsNotSatisfiable(header: String) throws {
    let response = try get(["Range": header])

    #expect(response.status == 416)
    #expect(response["Content-Range"] == "bytes */1000")
    #expect(response.body == [])
  }

  @Test(arguments: [
    "bytes=5-4", "bytes=0-1,3-4", "bytes=a-b", "bytes=+1-2", "bytes=-", "items=0-1",
  ])
  func anotherRangeIsIgnored(header: String) throws {
    let response = try get(["Range": header])

    #expect(response.status == 200)
    #expect(response.body.count == 1000)
  }

  @Test(arguments: [
    (etag, 206), (date, 206), ("\"other\"", 200), ("W/" + etag, 200),
    ("Wed, 01 Jan 2025 00:00:01 GMT", 200),
  ])
  func ifRangeHoldsForTheSameValidatorOnly(validator: String, status: Int) throws {
    let response = try get(["Range": "bytes=1-2", "If-Range": validator])

    #expect(response.status == status)
    #expect(response.body.count == (status == 206 ? 2 : 1000))
  }

  @Test(arguments: [
    ("If-None-Match", etag, 304), ("If-None-Match", "W/" + etag, 304),
    ("If-None-Match", "\"x\", " + etag, 304), ("If-None-Match", "*", 304),
    ("If-None-Match", "\"x\"", 200), ("If-Modified-Since", date, 304),
    ("If-Modified-Since", "Thu, 02 Jan 2025 00:00:00 GMT", 304),
    ("If-Modified-Since", "Tue, 31 Dec 2024 23:59:59 GMT", 200),
    ("If-Modified-Since", "yesterday", 200),
  ])
  func aConditionalRequestIsAnsweredByTheValidator(
    name: String, value: String, status: Int
  ) throws {
    #expect(try get([name: value]).status == status)
  }

  @Test func headSaysWhatGetWouldSay() throws {
    var connection = try RawConnection(port: origin.port)
    let head = try connection.exchange("HEAD", Self.target)
    let next = try connection.exchange("HEAD", "/nowhere")

    #expect(head.status == 200)
    #expect(head["Content-Length"] == "1000")
    #expect(head["ETag"] == Self.etag)
    #expect(next.status == 404)
  }

  @Test func otherMethodsAreRefused() throws {
    var connection = try RawConnection(port: origin.port)
    #expect(try connection.exchange("POST", Self.target, body: [1, 2]).status == 405)
    #expect(try connection.exchange("GET", Self.target).status == 200)
  }

  @Test func aConnectionIsKeptUntilTheClientSaysClose() throws {
    var connection = try RawConnection(port: origin.port)
    for _ in 0..<3 { _ = try connection.exchange("GET", Self.target) }
    let last = try connection.exchange("GET", Self.target, ["Connection": "close"])
    let after = connection.receive()

    #expect(last["Connection"] == "close")
    #expect(after.end == .closed)
    #expect(Set(try origin.log().map(\.connection)).count == 1)
  }

  @Test func requestsThatComeTogetherAreAnsweredInOrder() throws {
    var connection = try RawConnection(port: origin.port)
    try connection.send("GET", Self.target, ["Range": "bytes=0-9"])
    try connection.send("GET", Self.target, ["Range": "bytes=10-19"])

    #expect(connection.receive().body == Pattern.bytes(0..<10, seed: 1))
    #expect(connection.receive().body == Pattern.bytes(10..<20, seed: 1))
  }

  @Test func theFormThatAProxyGetsIsUnderstood() throws {
    var connection = try RawConnection(port: origin.port)
    let response = try connection.exchange("GET", "http://far.away" + Self.target)

    #expect(response.body == Pattern.bytes(0..<1000, seed: 1))
  }

  @Test func whatIsNoHTTPIsRefused() throws {
    var connection = try RawConnection(port: origin.port)
    try connection.send(Array("hello\r\n\r\n".utf8))

    #expect(connection.receive().status == 400)
  }

  private func get(_ fields: [String: String]) throws -> RawResponse {
    var connection = try RawConnection(port: origin.port)
    return try connection.exchange("GET", Self.target, fields)
  }
}
