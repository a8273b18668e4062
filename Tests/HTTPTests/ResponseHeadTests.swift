import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct ResponseHeadTests {
  private func read(_ lines: [String]) -> HeadReader.Step {
    var reader = HeadReader()
    var step = HeadReader.Step.more
    for line in lines where step == .more { step = reader.take(line + "\r\n") }
    return step
  }

  @Test func aHeadIsReadLineByLine() {
    let step = read(["HTTP/2 206 ", "ETag:\"a\"", "x-Y:  b \t", "nonsense", "Z: 1", "  2", ""])

    var head = ResponseHead(status: 206, ["etag": "\"a\"", "X-Y": "b", "z": "1 2"])
    head.hasStreams = true
    #expect(step == .whole(head))
  }

  @Test func theHeadOfAnOldRadioServerIsKnown() {
    var head = ResponseHead(status: 200, ["icy-br": "128"])
    head.isICY = true
    #expect(read(["ICY 200 OK", "icy-br: 128", ""]) == .whole(head))
  }

  @Test(arguments: ["\0", "\u{1B}[2J", "\rEvil: 1", "\u{7F}", "\u{8}"])
  func aFieldThatHoldsControlsIsNotBelieved(control: String) {
    let step = read(["HTTP/1.1 200 OK", "ETag: \"a\(control)\"", "A\(control): b", "C: d", ""])

    #expect(step == .whole(ResponseHead(status: 200, ["c": "d"])))
  }

  @Test func anInterimResponseIsReadOver() {
    let step = read(["HTTP/1.1 103 Early Hints", "ETag: \"no\"", "", "HTTP/1.1 200 OK", "A: b", ""])

    #expect(step == .whole(ResponseHead(status: 200, ["a": "b"])))
  }

  @Test(arguments: ["", "ICY", "HTTP/1.1", "HTTP/1.1 2O0 OK", "HTTP/1.1 20000 OK"])
  func whatIsNoStatusLineIsRefused(line: String) {
    #expect(read([line]) == .fault(.notHTTP))
  }

  @Test func aHeadHasLimits() {
    let many = ["HTTP/1.1 200 OK"] + Array(repeating: "A: b", count: 101)
    let long = ["HTTP/1.1 200 OK", "A: " + String(repeating: "b", count: 64 << 10)]
    let hints = Array(repeating: ["HTTP/1.1 103 x", ""], count: 8000).flatMap(\.self)

    #expect(read(many) == .fault(.headTooLarge))
    #expect(read(long) == .fault(.headTooLarge))
    #expect(read(hints) == .fault(.headTooLarge))
    #expect(read(Array(many.dropLast()) + [""]) != .fault(.headTooLarge))
  }

  @Test func aFieldThatContradictsItselfSaysNothing() {
    #expect(ResponseHead(status: 200, ["a": "1", "A": "2"]).single("a") == nil)
    #expect(ResponseHead(status: 200, ["a": "1", "A": "1"]).single("a") == "1")
  }

  @Test(arguments: [
    ("\"\"", true), ("\"abc-1!#~\"", true), ("abc", false), ("\"a", false), ("\"", false),
    ("W/\"a\"", false), ("\"a\"b\"", false), ("\"a b\"", false), ("\"a\n\"", false), ("", false),
  ])
  func onlyAStrongTagIsATag(text: String, isStrong: Bool) {
    #expect(EntityTag.isStrong(text) == isStrong)
  }

  @Test(arguments: [
    (["Cache-Control": "public, max-age=60"], Duration.seconds(60)),
    (["Cache-Control": "MAX-AGE=\"60\"", "Age": "20"], .seconds(40)),
    (["Cache-Control": "max-age=60", "Age": "99999999999999999999"], .seconds(60)),
    (["Cache-Control": "max-age=60", "Age": "9223372036854775807"], .zero),
    (["Cache-Control": "max-age=60, no-store"], .zero),
    (["Cache-Control": "no-cache"], .zero),
    (["Cache-Control": "max-age=-1"], .zero),
    (["Cache-Control": "max-age=9223372036854775807"], .seconds(365 * 24 * 3600)),
    (["Expires": "0"], .zero),
    (
      [
        "Expires": "Tue, 15 Nov 1994 12:46:26 GMT", "Date": "Tue, 15 Nov 1994 12:45:26 GMT",
      ], .seconds(60)
    ),
    (["Cache-Control": "public"], nil),
    ([:], nil),
  ])
  func anAnswerSaysHowLongItHolds(fields: [String: String], freshFor: Duration?) {
    var head = ResponseHead(status: 200)
    for (name, value) in fields { head.add(name, value) }

    #expect(Freshness.remaining(of: head) == freshFor)
  }

  @Test(arguments: [
    ("5", Duration.seconds(5)), ("301", .seconds(301)), ("99999999999999999999", .seconds(86_400)),
    ("-5", nil), ("soon", nil), ("", nil), ("Thu, 01 Jan 1970 00:17:00 GMT", .seconds(20)),
    ("Thu, 01 Jan 1970 00:00:10 GMT", .zero), ("Sun, 06 Nov 2094 08:49:37 GMT", .seconds(86_400)),
  ])
  func anOriginSaysWhenToComeBack(field: String, wait: Duration?) {
    let head = ResponseHead(status: 503, ["Retry-After": field])

    #expect(Freshness.retryAfter(of: head, now: 1000) == wait)
  }
}
