import Blocks
import TestSupport
import Testing

@testable import HTTP

/// One row per line of the table of answers, and one per condition of the check.
@Suite(.timeLimit(.minutes(1)))
struct ResponseCheckTests {
  static let date = "Tue, 15 Nov 1994 12:45:26 GMT"
  static let tagged = Representation(length: 1000, validator: .entityTag("\"v1\""))
  static let dated = Representation(length: 1000, validator: .lastModified(date))
  static let bare = Representation(length: 1000, validator: .none)

  private func verdict(
    _ head: ResponseHead, _ range: RequestedRange = .bytes(100..<200),
    of expected: Representation? = tagged
  ) -> ResponseCheck.Verdict {
    let request = RangeRequest(url: "http://o/v", range: range, expected: expected)
    return ResponseCheck.verdict(of: head, for: request, now: 1_000_000)
  }

  // MARK: 206

  @Test func aRightPartIsTaken() {
    let head = ResponseHead(
      status: 206,
      [
        "Content-Range": "bytes 100-199/1000", "ETag": "\"v1\"", "Content-Length": "100",
        "Content-Type": "video/mp4", "Content-Encoding": "identity",
      ])

    #expect(verdict(head) == .take(Self.tagged, 100..<200, isWhole: false))
  }

  @Test func aRangeBeyondTheEndIsAnsweredToTheEnd() {
    let head = ResponseHead(status: 206, ["Content-Range": "bytes 900-999/1000", "ETag": "\"v1\""])

    #expect(verdict(head, .bytes(900..<2000)) == .take(Self.tagged, 900..<1000, isWhole: false))
  }

  @Test(arguments: [
    (100, "bytes 900-999/1000", 900..<1000), (5000, "bytes 0-999/1000", 0..<1000),
  ])
  func aSuffixIsTakenFromExactlyItsBegin(count: Int, field: String, bytes: ByteRange) {
    let head = ResponseHead(status: 206, ["Content-Range": field, "ETag": "\"v1\""])

    #expect(verdict(head, .suffix(count)) == .take(Self.tagged, bytes, isWhole: false))
  }

  @Test func theFirstAnswerProvesLengthAndValidator() {
    let answers: [(ResponseHead, Validator)] = [
      (.init(status: 206, ["ETag": "\"a\"", "Last-Modified": Self.date]), .entityTag("\"a\"")),
      (
        .init(status: 206, ["ETag": "W/\"a\"", "Last-Modified": Self.date]),
        .lastModified(Self.date)
      ),
      (.init(status: 206, ["ETag": "a", "Last-Modified": "yesterday-ish"]), .none),
      (.init(status: 206, ["Last-Modified": Self.date, "Date": Self.date]), .none),
      (.init(status: 206, ["ETag": "\"a\"", "etag": "\"b\""]), .none),
      (.init(status: 206, ["ETag": "\"\u{e9}\""]), .none),
      (.init(status: 206), .none),
    ]
    for (head, validator) in answers {
      var head = head
      head.add("Content-Range", "bytes 100-199/777")
      let found = Representation(length: 777, validator: validator)
      #expect(verdict(head, of: nil) == .take(found, 100..<200, isWhole: false))
    }
  }

  @Test(arguments: [
    "bytes 0-99/1000", "bytes 101-199/1000", "bytes 200-299/1000", "bytes 100-1099/*",
    "bytes 199-100/1000", "bytes */1000", "items 100-199/1000", "bytes 100-199/150",
    "bytes 100-99999999999999999999/1000", "bytes 100--199/1000", "bytes 100-149/150, 1",
  ])
  func aPartThatWasNotAskedForIsRefused(field: String) {
    let head = ResponseHead(status: 206, ["Content-Range": field, "ETag": "\"v1\""])

    guard case .end(.refused(.contentRange)) = verdict(head) else {
      Issue.record("\(verdict(head))")
      return
    }
  }

  /// RFC 9110 §15.3.7: a server may send a part of what was asked for, or more.
  @Test(arguments: [
    ("bytes 100-198/1000", 100..<199), ("bytes 100-100/1000", 100..<101),
    ("bytes 100-200/1000", 100..<201), ("bytes 100-999/1000", 100..<1000),
    ("bytes 0-199/1000", 0..<200), ("bytes 99-100/1000", 99..<101), ("bytes 100-199/*", 100..<200),
    ("100-199/1000", 100..<200),
  ])
  func aPartThatBeginsAsAskedIsTakenAsWhatItIs(field: String, bytes: ByteRange) {
    for status in [206, 200] {
      let head = ResponseHead(status: status, ["Content-Range": field, "ETag": "\"v1\""])
      #expect(verdict(head) == .take(Self.tagged, bytes, isWhole: false))
    }
  }

  @Test func aPartIsPassedOverUpToAMebibyte() {
    let range = RequestedRange.bytes(5 << 20..<6 << 20)
    func part(from start: Int) -> ResponseHead {
      let field = "bytes \(start)-\((6 << 20) - 1)/\(6 << 20)"
      return ResponseHead(status: 206, ["Content-Range": field])
    }
    let found = Representation(length: 6 << 20, validator: .none)
    #expect(
      verdict(part(from: 4 << 20), range, of: nil)
        == .take(found, 4 << 20..<6 << 20, isWhole: false))
    guard case .end(.refused(.contentRange)) = verdict(part(from: (4 << 20) - 1), range, of: nil)
    else {
      Issue.record("taken")
      return
    }
  }

  @Test func a200WithAContentRangeIsWholeOnlyIfItSaysSo() {
    for field in ["bytes 0-999/1000", "bytes */1000", "bytes", "none"] {
      let head = ResponseHead(
        status: 200, ["Content-Range": field, "Content-Length": "1000", "ETag": "\"v1\""])
      #expect(verdict(head) == .take(Self.tagged, 0..<1000, isWhole: true))
    }
    let chunked = ResponseHead(
      status: 200, ["Content-Range": "bytes 0-999/1000", "ETag": "\"v1\""])
    #expect(verdict(chunked, of: nil) == .take(Self.tagged, 0..<1000, isWhole: true))
    for field in ["bytes 0-499/1000", "bytes */1000", "bytes 0-499/*"] {
      let head = ResponseHead(status: 200, ["Content-Range": field, "Content-Length": "500"])
      guard case .end(.refused(.contentRange)) = verdict(head, .bytes(500..<1000), of: nil) else {
        Issue.record("\(field): \(verdict(head, .bytes(500..<1000), of: nil))")
        continue
      }
    }
  }

  /// No disk has room for such a length, and no memory for its bitmap.
  @Test(arguments: [Figure.maxFileLength.bytes + 1, 1 << 60, Int.max])
  func whatIsLongerThanAnyFilmIsRefused(
    length: Int
  ) {
    let part = ResponseHead(status: 206, ["Content-Range": "bytes 100-199/\(length)"])
    let whole = ResponseHead(status: 200, ["Content-Length": "\(length)"])
    for head in [part, whole] {
      #expect(verdict(head, of: nil) == .end(.refused(.contentLength)))
    }
    let longest = ResponseHead(
      status: 206, ["Content-Range": "bytes 100-199/\(Figure.maxFileLength.bytes)"])
    let found = Representation(length: Figure.maxFileLength.bytes, validator: .none)
    #expect(verdict(longest, of: nil) == .take(found, 100..<200, isWhole: false))
  }

  @Test func aPartWithNoneOrTwoPlacesIsRefused() {
    for head in [
      ResponseHead(status: 206, ["ETag": "\"v1\""]),
      ResponseHead(
        status: 206,
        [
          "Content-Range": "bytes 100-199/1000", "content-range": "bytes 100-199/1001",
          "ETag": "\"v1\"",
        ]),
    ] {
      guard case .end(.refused(.contentRange)) = verdict(head) else {
        Issue.record("\(verdict(head))")
        continue
      }
    }
  }

  @Test func aSuffixOfAnotherSizeIsRefused() {
    let head = ResponseHead(status: 206, ["Content-Range": "bytes 901-999/1000", "ETag": "\"v1\""])

    guard case .end(.refused(.contentRange)) = verdict(head, .suffix(100)) else {
      Issue.record("\(verdict(head, .suffix(100)))")
      return
    }
  }

  @Test(arguments: [
    ("Content-Encoding", "gzip", ResponseFault.contentCoding("gzip")),
    ("Content-Encoding", "identity, br", .contentCoding("identity, br")),
    ("Content-Type", "multipart/byteranges; boundary=x", .multipart),
    ("Content-Length", "99", .contentLength),
    ("Content-Length", "-100", .contentLength),
    ("Content-Length", "100, 100", .contentLength),
    ("Content-Length", "99999999999999999999", .contentLength),
  ])
  func whatIsNotPlainBytesIsRefused(name: String, value: String, fault: ResponseFault) {
    var head = ResponseHead(status: 206, ["Content-Range": "bytes 100-199/1000", "ETag": "\"v1\""])
    head.add(name, value)

    #expect(verdict(head) == .end(.refused(fault)))
  }

  /// The exchange looks at the first bytes.
  @Test func theTypeDoesNotDecide() {
    let head = ResponseHead(
      status: 206,
      ["Content-Range": "bytes 100-199/1000", "ETag": "\"v1\"", "Content-Type": "text/html"])

    #expect(verdict(head) == .take(Self.tagged, 100..<200, isWhole: false))
  }

  @Test(arguments: [
    (["Last-Modified": "Tue, 15 Nov 1994 12:45:27 GMT"], dated),
    (["ETag": "\"v1\""], dated),
    (["ETag": "\"v1\""], Representation(length: 1001, validator: .entityTag("\"v1\""))),
    ([:], Representation(length: 1001, validator: .none)),
  ])
  func anotherVersionIsNeverTaken(fields: [String: String], expected: Representation) {
    var part = ResponseHead(status: 206, ["Content-Range": "bytes 100-199/1000"])
    var whole = ResponseHead(status: 200, ["Content-Length": "1000"])
    for (name, value) in fields {
      part.add(name, value)
      whole.add(name, value)
    }

    #expect(verdict(part, of: expected) == .end(.changed))
    #expect(verdict(whole, of: expected) == .end(.changed))
  }

  /// Fields of an answer with the right length.
  @Test(arguments: [
    ["ETag": "\"v2\""], ["ETag": "W/\"v1\""], ["ETag": "v1"], ["ETag": "\"V1\""], [:],
    ["ETag": "\"v2\"", "Last-Modified": date],
    // A date of just now tells nothing.
    [
      "ETag": "\"v2\"", "Last-Modified": "Tue, 15 Nov 1994 12:45:27 GMT",
      "Date": "Tue, 15 Nov 1994 12:46:26 GMT",
    ],
  ])
  func aTagThatDiffersAloneIsDoubted(fields: [String: String]) {
    let (part, whole) = Self.heads(fields)
    var request = RangeRequest(url: "http://o/v", range: .bytes(100..<200), expected: Self.tagged)
    request.date = Self.date
    for head in [part, whole] {
      #expect(verdict(head) == .end(.doubted))
      #expect(ResponseCheck.verdict(of: head, for: request, now: 0) == .end(.doubted))
    }
    #expect(check(whole) == .doubted)
    let longer = Representation(length: 1001, validator: .entityTag("\"v1\""))
    #expect(verdict(part, of: longer) == .end(.changed))
    #expect(verdict(whole, of: longer) == .end(.changed))
  }

  @Test func aTagAndAStrongDateThatDifferAreAnotherVersion() {
    var request = RangeRequest(url: "http://o/v", range: .bytes(100..<200), expected: Self.tagged)
    request.date = "Tue, 15 Nov 1994 12:45:27 GMT"
    let (part, whole) = Self.heads(["ETag": "\"v2\"", "Last-Modified": Self.date])
    for head in [part, whole] {
      #expect(ResponseCheck.verdict(of: head, for: request, now: 0) == .end(.changed))
    }
    // The tag counts more than the date.
    let (same, _) = Self.heads(["ETag": "\"v1\"", "Last-Modified": Self.date])
    let verdict = ResponseCheck.verdict(of: same, for: request, now: 0)
    #expect(verdict == .take(Self.tagged, 100..<200, isWhole: false))
  }

  /// Fields of an answer; whether it is taken where tags do not count.
  @Test(arguments: [
    (["ETag": "\"v2\""], true), ([:], true), (["ETag": "\"v2\"", "Last-Modified": date], true),
    (["ETag": "\"v1\"", "Last-Modified": "Tue, 15 Nov 1994 12:45:27 GMT"], false),
  ])
  func whereTagsDoNotCountTheDateDoes(fields: [String: String], isTaken: Bool) {
    var request = RangeRequest(url: "http://o/v", range: .bytes(100..<200), expected: Self.tagged)
    (request.ignoresTags, request.date) = (true, Self.date)
    #expect(!request.fields.contains { $0.hasPrefix("If-Range") })
    let (part, whole) = Self.heads(fields)

    #expect(
      ResponseCheck.verdict(of: part, for: request, now: 0)
        == (isTaken ? .take(Self.tagged, 100..<200, isWhole: false) : .end(.changed)))
    #expect(
      ResponseCheck.verdict(of: whole, for: request, now: 0)
        == (isTaken ? .take(Self.tagged, 0..<1000, isWhole: true) : .end(.changed)))
    let endless = ResponseHead(status: 200)
    #expect(
      ResponseCheck.verdict(of: endless, for: request, now: 0) == .end(.refused(.noLength)))
  }

  /// Without a validator, a date that was confirmed later tells versions apart.
  @Test(arguments: [(date, true), ("Tue, 15 Nov 1994 12:45:27 GMT", false)])
  func aConfirmedDateTellsVersionsWithoutAValidator(date: String, isTaken: Bool) {
    var request = RangeRequest(url: "http://o/v", range: .bytes(100..<200), expected: Self.bare)
    request.date = Self.date
    let (part, _) = Self.heads(["Last-Modified": date])

    #expect(
      ResponseCheck.verdict(of: part, for: request, now: 0)
        == (isTaken ? .take(Self.bare, 100..<200, isWhole: false) : .end(.changed)))
  }

  /// A part and a whole body of 1000 bytes, with these fields.
  private static func heads(_ fields: [String: String]) -> (ResponseHead, ResponseHead) {
    var part = ResponseHead(status: 206, ["Content-Range": "bytes 100-199/1000"])
    var whole = ResponseHead(status: 200, ["Content-Length": "1000"])
    for (name, value) in fields {
      part.add(name, value)
      whole.add(name, value)
    }
    return (part, whole)
  }

  @Test(arguments: [
    (["ETag": "\"v1\"", "Last-Modified": "x"], tagged),
    (["ETag": "\"new\"", "Last-Modified": date], dated),
    (["ETag": "W/\"weak\"", "Last-Modified": date], dated),
    ([:], bare),
    (["ETag": "\"new\""], bare),
  ])
  func theSameVersionIsTaken(fields: [String: String], expected: Representation) {
    var head = ResponseHead(status: 206, ["Content-Range": "bytes 100-199/1000"])
    for (name, value) in fields { head.add(name, value) }

    #expect(verdict(head, of: expected) == .take(expected, 100..<200, isWhole: false))
  }

  // MARK: The other answers

  @Test func aWholeBodyOfTheSameVersionIsTakenFromItsBegin() {
    let head = ResponseHead(status: 200, ["Content-Length": "1000", "ETag": "\"v1\""])

    #expect(verdict(head) == .take(Self.tagged, 0..<1000, isWhole: true))
    #expect(verdict(head, .suffix(5), of: nil) == .take(Self.tagged, 0..<1000, isWhole: true))
  }

  @Test func anEmptyWholeBodyProvesAnEmptyRepresentation() {
    let head = ResponseHead(status: 200, ["Content-Length": "0"])

    let empty = Representation(length: 0, validator: .none)
    #expect(verdict(head, of: nil) == .take(empty, 0..<0, isWhole: true))
  }

  @Test func aWholeBodyWithoutALengthIsRefusedUnlessItsVersionIsKnown() {
    let head = ResponseHead(status: 200, ["ETag": "\"v1\""])

    #expect(verdict(head, of: nil) == .end(.refused(.noLength)))
    #expect(verdict(head, of: Self.bare) == .end(.refused(.noLength)))
    #expect(verdict(head) == .take(Self.tagged, 0..<1000, isWhole: true))
  }

  // MARK: No length

  @Test(arguments: [true, false], [nil, "chunked", "gzip, Chunked", "gzip"])
  func aBodyWithoutALengthGrowsIfItMay(hasStreams: Bool, coding: String?) {
    var head = ResponseHead(status: 200, ["ETag": "\"v1\""])
    if let coding { head.add("Transfer-Encoding", coding) }
    head.hasStreams = hasStreams
    let isFramed = hasStreams || coding?.lowercased().hasSuffix("chunked") ?? false

    let growing = GrowingBody(
      validator: .entityTag("\"v1\""), start: 0, length: nil, isFramed: isFramed)
    #expect(verdict(head, mayGrow: true) == .grow(growing))
  }

  @Test func oneThatIsContinuedMayTellItsLength() {
    let tag = Validator.entityTag("\"v1\"")
    let part = ResponseHead(
      status: 206, ["Content-Range": "bytes 500-999/1000", "ETag": "\"v1\""])
    let whole = ResponseHead(status: 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    let other = ResponseHead(status: 200, ["Content-Length": "1000", "ETag": "\"v2\""])
    let cut = ResponseHead(status: 206, ["Content-Range": "bytes 500-900/1000", "ETag": "\"v1\""])
    let late = ResponseHead(status: 206, ["Content-Range": "bytes 501-999/1000", "ETag": "\"v1\""])

    #expect(
      rest(part) == .grow(GrowingBody(validator: tag, start: 500, length: 1000, isFramed: true)))
    // The exchange decides how to go on (`AnswerWordsTests`).
    #expect(rest(cut) == rest(part))
    #expect(
      rest(whole) == .grow(GrowingBody(validator: tag, start: 0, length: 1000, isFramed: true)))
    #expect(rest(other) == .end(.changed))
    #expect(rest(ResponseHead(status: 416)) == .end(.unsatisfiable(length: nil)))
    guard case .end(.refused(.contentRange)) = rest(late) else {
      Issue.record("\(rest(late))")
      return
    }
  }

  private func rest(_ head: ResponseHead) -> ResponseCheck.Verdict {
    let request = RangeRequest(
      continuing: .entityTag("\"v1\""), at: "http://o/v", from: 500, priority: .demand)
    #expect(request.fields.contains("Range: bytes=500-"))
    #expect(request.fields.contains("If-Range: \"v1\""))
    return ResponseCheck.verdict(of: head, for: request, now: 1_000_000)
  }

  @Test(arguments: ["icy-name", "ICY-BR", "ice-audio-info", nil])
  func aRadioIsALiveStreamUnlessItTellsALength(field: String?) {
    var head = ResponseHead(status: 200)
    if let field { head.add(field, "128") } else { head.isICY = true }
    guard case .end(.refused(.live)) = verdict(head, mayGrow: true) else {
      Issue.record("\(verdict(head, mayGrow: true))")
      return
    }
    head.add("Content-Length", "1000")
    #expect(
      verdict(head, mayGrow: true)
        == .take(Representation(length: 1000, validator: .none), 0..<1000, isWhole: true))
  }

  private func verdict(_ head: ResponseHead, mayGrow: Bool) -> ResponseCheck.Verdict {
    var request = RangeRequest(url: "http://o/v", range: .bytes(0..<500), expected: nil)
    request.mayGrow = mayGrow
    return ResponseCheck.verdict(of: head, for: request, now: 1_000_000)
  }

  @Test(arguments: [
    (412, TransferEnd.changed),
    (416, .unsatisfiable(length: nil)),
    (429, .busy(status: 429, retryAfter: nil)),
    (503, .busy(status: 503, retryAfter: nil)),
    (401, .gone(status: 401)),
    (403, .gone(status: 403)),
    (404, .gone(status: 404)),
    (410, .gone(status: 410)),
    (500, .serverError(status: 500)),
    (502, .serverError(status: 502)),
    (504, .serverError(status: 504)),
    (599, .serverError(status: 599)),
    (408, .serverError(status: 408)),
    (400, .refused(.unexpectedStatus(400))),
    (204, .refused(.unexpectedStatus(204))),
    (304, .refused(.unexpectedStatus(304))),
    (600, .refused(.unexpectedStatus(600))),
  ])
  func aStatusWithoutBytesHasOneMeaning(status: Int, end: TransferEnd) {
    #expect(verdict(ResponseHead(status: status)) == .end(end))
  }

  @Test func anUnsatisfiedRangeTellsTheLength() {
    let head = ResponseHead(status: 416, ["Content-Range": "bytes */50"])

    #expect(verdict(head) == .end(.unsatisfiable(length: 50)))
  }

  @Test(arguments: [("7", 7), ("0", 0), ("86400", 86_400), ("99999999999999999999", 86_400)])
  func aBusyOriginIsHeard(field: String, seconds: Int) {
    let head = ResponseHead(status: 429, ["Retry-After": field])

    #expect(verdict(head) == .end(.busy(status: 429, retryAfter: .seconds(seconds))))
  }

  // MARK: Freshness checks

  private func check(_ head: ResponseHead, _ expected: Representation = tagged) -> TransferEnd? {
    let request = RangeRequest(checking: expected, at: "http://o/v")
    guard case .end(let end) = ResponseCheck.verdict(of: head, for: request, now: 0) else {
      return nil
    }
    return end
  }

  @Test func aCheckEndsWithoutBytes() {
    let part = ResponseHead(
      status: 206,
      ["Content-Range": "bytes 0-0/1000", "ETag": "\"v1\"", "Cache-Control": "max-age=9"]
    )
    let other = ResponseHead(status: 206, ["Content-Range": "bytes 0-0/1000", "ETag": "\"v2\""])
    let whole = ResponseHead(status: 200, ["Content-Length": "1000", "ETag": "\"v1\""])

    #expect(check(ResponseHead(status: 304)) == .notModified(freshFor: nil))
    #expect(check(ResponseHead(status: 304, ["ETag": "\"v2\""])) == .changed)
    #expect(check(part) == .notModified(freshFor: .seconds(9)))
    #expect(check(other) == .doubted)
    #expect(check(whole) == .notModified(freshFor: nil))
    let empty = ResponseHead(status: 416, ["Content-Range": "bytes */0"])
    #expect(check(empty) == .changed)
    #expect(
      check(empty, Representation(length: 0, validator: .none)) == .notModified(freshFor: nil))
    #expect(check(ResponseHead(status: 404)) == .gone(status: 404))
  }

  @Test func theQuestionNamesTheVersion() {
    func fields(_ expected: Representation?) -> [String] {
      RangeRequest(url: "http://o/v", range: .bytes(0..<10), expected: expected).fields
    }
    let common = ["Accept-Encoding: identity", "Range: bytes=0-9"]

    #expect(fields(nil) == common)
    #expect(fields(Self.bare) == common)
    #expect(fields(Self.tagged) == common + ["If-Range: \"v1\""])
    #expect(fields(Self.dated) == common + ["If-Range: \(Self.date)"])
    let forged = Representation(length: 1, validator: .entityTag("\"a\"\r\nX: y"))
    #expect(fields(forged) == common)
    #expect(
      RangeRequest(checking: Self.tagged, at: "http://o/v").fields == [
        "Accept-Encoding: identity", "Range: bytes=0-0", "If-None-Match: \"v1\"",
      ])
    #expect(
      RangeRequest(url: "", range: .suffix(9), expected: nil).fields.last == "Range: bytes=-9")
  }
}
