import Blocks
import TestSupport
import Testing

@testable import HTTP

/// Answers are read by their own words: a row for each way in which servers answer.
@Suite(.timeLimit(.minutes(1)))
struct AnswerWordsTests {
  private static let url = "http://o.example/v"
  /// The first range of a film of which nothing is known, and a later one of a film that is.
  private static let first = RangeRequest(url: url, range: .bytes(0..<200_000), expected: nil)
  private static let later = RangeRequest(
    url: url, range: .bytes(100_000..<250_000), expected: WordyServer.found)

  private static let cappings: [Wording] = [
    .ranges("at most 100,001 bytes") { $0.prefix(100_001) },
    .ranges("at most 16 KiB") { $0.prefix(16 << 10) },
    .ranges("up to the next block of 64 KiB") {
      $0.lowerBound..<min($0.upperBound, ($0.lowerBound / 65_536 + 1) * 65_536)
    },
    .ranges("half of what is asked for, as long as that is much") {
      $0.count > 40_000 ? $0.prefix($0.count / 2) : $0
    },
    Wording("200 with a part of 50,000 bytes") {
      $0.range.map { WordyServer.part($0.prefix(50_000)).status(200) } ?? WordyServer.whole
    },
    Wording("a part first, then parts with 200") { asked in
      guard let range = asked.range else { return WordyServer.whole }
      return WordyServer.part(range.prefix(60_000)).status(asked.number == 0 ? 206 : 200)
    },
  ]

  private static let peculiarities: [Wording] = [
    .ranges("honest") { $0 },
    .ranges("one byte more") { $0.lowerBound..<$0.upperBound + 1 },
    .ranges("up to the end") { $0.lowerBound..<WordyServer.length },
    .ranges("from 1,000 bytes before") { max(0, $0.lowerBound - 1000)..<$0.upperBound },
    .ranges("whole blocks of 64 KiB") {
      $0.lowerBound / 65_536 * 65_536..<($0.upperBound / 65_536 + 1) * 65_536
    },
    .ranges("the whole, as a part") { _ in 0..<WordyServer.length },
    .parts("its place twice") {
      WordyServer.Reply(
        status: 206, fields: $0.fields + $0.fields.filter { $0.0 == "Content-Range" }, body: $0.body
      )
    },
    .parts("its place behind bytes=") { reply in
      reply.with(("Content-Range", "bytes=" + reply.place))
    },
    .parts("its place with blanks") { reply in
      reply.with(
        ("Content-Range", "bytes " + reply.place.split(separator: "/").joined(separator: " / ")))
    },
    .parts("a part with 200") { $0.status(200) },
    .parts("a part with 200, in chunks") { $0.status(200).without("Content-Length") },
    .parts("in chunks") { $0.without("Content-Length") },
    Wording("416 for what reaches beyond the end") { asked in
      guard !asked.isBeyond else {
        return WordyServer.Reply(
          status: 416, fields: [("Content-Range", "bytes */\(WordyServer.length)")], body: [])
      }
      return asked.range.map(WordyServer.part) ?? WordyServer.whole
    },
    Wording("the whole for If-Range") { asked in
      asked.ifRange != nil
        ? WordyServer.whole : asked.range.map(WordyServer.part) ?? WordyServer.whole
    },
  ]

  private static let codings = [
    "none", "utf-8", "UTF8", "binary", "7bit", "8bit", "identity", "aws-chunked", "", "iso-8859-1",
    "identity, aws-chunked", "chunked", "application/octet-stream",
  ].map { word in Wording.parts("coded as \(word)") { $0.with(("Content-Encoding", word)) } }

  private static let types = [
    "text/html; charset=UTF-8", "text/html", "application/json", "image/jpeg", "application/zip",
    "text/xml", "application/xhtml+xml", "image/svg+xml", "font/woff2", "application/pdf",
    "application/vnd.apple.mpegurl", "text/css", "text/plain", "nonsense", "",
  ].map { type in Wording.parts("called \(type)") { $0.with(("Content-Type", type)) } }

  @Test(arguments: cappings + peculiarities + codings + types)
  func whatIsAskedForComesWholeAndNothingElse(server: Wording) throws {
    for request in [Self.first, Self.later] {
      var manners = Manners()
      let outcome = try WordyServer.run(request, &manners, answering: server.answer)

      let wanted = try #require(request.range.bytes(of: WordyServer.length))
      #expect(outcome.end == .complete, "\(outcome.end)")
      #expect(outcome.bytes == Array(WordyServer.film[wanted]))
      #expect(outcome.answer?.representation == WordyServer.found)
      #expect(outcome.answer?.bytes == wanted)
      // A type that the bytes refute is told to nobody.
      let types = ["video/mp4", "text/plain", "nonsense", "", nil]
      #expect(types.contains(outcome.answer?.contentType))
      #expect(outcome.requests.count <= 14)
    }
  }

  @Test(arguments: cappings + peculiarities)
  func aFilmOfUnknownLengthIsAskedForUpToItsEnd(server: Wording) throws {
    let request = RangeRequest(url: Self.url, range: .bytes(0..<524_288), expected: nil)
    var manners = Manners()
    let outcome = try WordyServer.run(request, &manners, answering: server.answer)

    #expect(outcome.end == .complete && outcome.bytes == WordyServer.film)
    #expect(outcome.answer?.bytes == 0..<WordyServer.length)
  }

  /// Answers that contradict themselves, or bring too little. No byte of them is taken.
  @Test(
    arguments: [
      .parts("a length that is not that of the part") {
        $0.with(("Content-Length", "\(WordyServer.length)"))
      },
      .parts("200 with a length that is not that of the part") {
        $0.status(200).with(("Content-Length", "\(WordyServer.length)"))
      },
      .ranges("another part") { $0.lowerBound + 1..<$0.upperBound },
      Wording("another part with 200") { _ in WordyServer.part(260_000..<270_000).status(200) },
      .parts("a total that is less than the end") { $0.with(("Content-Range", "bytes 0-99/50")) },
      .parts("200 and a total that is less than the end") {
        $0.status(200).with(("Content-Range", "bytes 0-99/50"))
      },
      .parts("200 and another unit") { $0.status(200).with(("Content-Range", "pages 1-2/3")) },
      .parts("200 and two parts") {
        WordyServer.Reply(
          status: 200, fields: $0.fields + [("Content-Range", "bytes 0-0/9")], body: $0.body)
      },
      Wording("200 and a total that is not its length") { _ in
        WordyServer.whole.with(("Content-Range", "bytes */77"))
      },
      .parts("no Content-Range") { $0.without("Content-Range") },
      .parts("several parts") {
        $0.without("Content-Range").with(("Content-Type", "multipart/byteranges; boundary=x"))
      },
      .parts("gzip") { $0.with(("Content-Encoding", "gzip")) },
      .parts("br behind a word that is none") { $0.with(("Content-Encoding", "utf-8, br")) },
      .parts("x-gzip") { $0.with(("Content-Encoding", "X-GZip")) },
      .parts("zstd") { $0.with(("Content-Encoding", "zstd")) },
    ] as [Wording])
  func whatContradictsItselfIsRefused(server: Wording) throws {
    for request in [Self.first, Self.later] {
      var manners = Manners()
      let outcome = try WordyServer.run(request, &manners, answering: server.answer)

      guard case .refused = outcome.end else {
        Issue.record("\(outcome.end)")
        continue
      }
      #expect(outcome.bytes.isEmpty && outcome.answer == nil)
      #expect(outcome.requests.count == 1)
    }
  }

  private static let pages: [(String, [UInt8])] = [
    ("HTML", Array("<!DOCTYPE html><html><head><title>Welcome</title>".utf8)),
    ("HTML behind blanks", Array("\u{FEFF}\n  <html lang='en'><body>Please log in".utf8)),
    ("a fragment", Array("<div class='error'>This film is gone, sorry.</div>".utf8)),
    ("XML", Array("<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>".utf8)),
    ("JSON", Array("{\"error\": \"not found\", \"status\": 404, \"more\": []}".utf8)),
    ("UTF-16", Array("<html><body>Please log in".utf8).flatMap { [$0, 0] }.withMark),
    ("a picture", [0xFF, 0xD8, 0xFF, 0xE0] + Array("\0\u{10}JFIF\0 and so on and on and on".utf8)),
    ("AVIF", [0, 0, 0, 0x20] + Array("ftypavif\0\0\0\0avifmif1miafMA1B and more".utf8)),
    ("a ZIP archive", Array("PK\u{3}\u{4} and what is in it, and so on, and so on".utf8)),
  ]

  @Test(arguments: pages, ["video/mp4", "text/html", "application/octet-stream", ""])
  func aPageIsNoFilmWhateverItIsCalled(page: (name: String, bytes: [UInt8]), type: String) throws {
    var manners = Manners()
    let outcome = try WordyServer.run(Self.first, &manners) { _ in
      WordyServer.Reply(
        status: 200,
        fields: [("Content-Type", type), ("Content-Length", "\(page.bytes.count)")],
        body: page.bytes)
    }

    guard case .refused(.notMedia(let what)) = outcome.end else {
      Issue.record("\(page.name): \(outcome.end)")
      return
    }
    #expect(type != "text/html" || what == "text/html", "its own type names a page best")
    #expect(outcome.answer == nil && outcome.bytes.isEmpty && outcome.requests.count == 1)
  }

  /// In the middle of a film no byte tells. The film's own first bytes did, under another name.
  @Test(arguments: [true, false], ["text/html", "application/json", "text/xml"])
  func aPageInTheMiddleOfAFilmIsNotTaken(isKnown: Bool, type: String) throws {
    var manners = Manners()
    if isKnown {
      _ = try WordyServer.run(Self.first, &manners) {
        $0.range.map(WordyServer.part) ?? WordyServer.whole
      }
    }
    let outcome = try WordyServer.run(Self.later, &manners) { asked in
      let range = asked.range ?? 0..<1
      let page = Array("<!DOCTYPE html><html><body>".utf8)
      var reply = WordyServer.part(range).with(("Content-Type", type))
      reply.body = range.map { page[$0 % page.count] }
      return reply
    }

    #expect(outcome.end == .refused(.notMedia(contentType: type)))
    #expect(outcome.bytes.isEmpty)
    #expect(outcome.requests.count == (isKnown ? 1 : 2))
  }

  @Test func aPortalsPageIsNoNewVersion() throws {
    var manners = Manners()
    for status in [200, 206] {
      let outcome = try WordyServer.run(Self.later, &manners) { _ in
        let page = Array("<!DOCTYPE html><html><body>Please log in to this network".utf8)
        return WordyServer.Reply(
          status: status,
          fields: [
            ("Content-Type", "text/html"), ("Content-Length", "\(page.count)"), ("ETag", "\"p\""),
            ("Content-Range", "bytes 0-\(page.count - 1)/\(page.count)"),
          ], body: page)
      }
      #expect(outcome.end == .refused(.notMedia(contentType: "text/html")))
    }
    // Its bytes tell, also where it is called a film, or text.
    for (type, text) in [
      ("video/mp4", "<!DOCTYPE html><html><body>Please log in to this network"),
      ("text/plain", "This link has run out. Please ask for another one."),
    ] {
      let outcome = try WordyServer.run(Self.later, &manners) { _ in
        WordyServer.Reply(
          status: 200,
          fields: [("Content-Type", type), ("Content-Length", "\(text.utf8.count)")],
          body: Array(text.utf8))
      }
      guard case .refused(.notMedia) = outcome.end else {
        Issue.record("\(type): \(outcome.end)")
        continue
      }
    }
    let other = try WordyServer.run(Self.later, &manners) { _ in
      let film = Array(WordyServer.film.prefix(1000))
      return WordyServer.Reply(
        status: 200, fields: [("Content-Type", "video/mp4"), ("Content-Length", "1000")], body: film
      )
    }
    #expect(other.end == .changed)
    // A film that is called a page, and has another tag, is compared.
    let changed = try WordyServer.run(Self.later, &manners) { _ in
      WordyServer.whole.with(("Content-Type", "text/html"), ("ETag", "\"v2\""))
    }
    #expect(changed.end == .doubted)
  }

  // MARK: Few bytes

  @Test(arguments: [1, 2, 1000, Manner.minBytes - 1])
  func aServerThatBringsAlmostNothingIsToldAndAskedLittle(count: Int) throws {
    var manners = Manners()
    var requests = 0
    var ends: Set<TransferEnd> = []
    for offset in 0..<8 {
      let start = 100_000 + offset * count
      let request = RangeRequest(
        url: Self.url, range: .bytes(start..<250_000), expected: WordyServer.found)
      let outcome = try WordyServer.run(request, &manners) {
        WordyServer.part(($0.range ?? 0..<1).prefix(count))
      }
      requests += outcome.requests.count
      ends.insert(outcome.end)
      #expect(outcome.bytes.count <= (offset == 0 ? count : 0))
    }
    #expect(requests == 9)
    #expect(
      ends.allSatisfy {
        $0.trouble?.contains("the origin sends only \(count) bytes per request") ?? false
      })
  }

  @Test func theFiguresAreThoseOfTheDocument() {
    #expect(Manner.minBytes == Figure.minBytes.bytes)
    #expect(ResponseCheck.maxSkipped == Figure.passedOver.bytes)
    #expect(Manners.enough == Figure.shortAnswers.count)
    #expect(StatedDate.weakness == Figure.weakDate.time)
  }

  @Test func afterTwoShortAnswersRequestsHaveThatSize() throws {
    var manners = Manners()
    let server: (WordyServer.Asked) -> WordyServer.Reply = {
      WordyServer.part(($0.range ?? 0..<1).prefix(50_000))
    }
    let outcome = try WordyServer.run(Self.first, &manners, answering: server)
    let next = try WordyServer.run(Self.later, &manners, answering: server)

    let ranges = (outcome.requests + next.requests).map { fields in
      fields.first { $0.hasPrefix("Range: ") }?.dropFirst(13) ?? ""
    }
    #expect(
      ranges == [
        "0-199999", "50000-199999", "100000-149999", "150000-199999", "100000-149999",
        "150000-199999", "200000-249999",
      ])
  }

  @Test func aServerThatMendedIsAskedAsBefore() throws {
    var manners = Manners()
    for _ in 0..<3 {
      _ = try WordyServer.run(Self.later, &manners) {
        WordyServer.part(($0.range ?? 0..<1).prefix(9))
      }
    }
    let outcome = try WordyServer.run(Self.later, &manners) { WordyServer.part($0.range ?? 0..<1) }
    #expect(outcome.end == .complete && outcome.requests.count == 1)
  }

  // MARK: Once

  @Test func ifRangeIsLeftOutOnceAndWhereItFails() throws {
    var manners = Manners()
    let wary: (WordyServer.Asked) -> WordyServer.Reply = { asked in
      asked.ifRange != nil ? WordyServer.whole : WordyServer.part(asked.range ?? 0..<1)
    }
    #expect(try WordyServer.run(Self.later, &manners, answering: wary).requests.count == 2)
    #expect(try WordyServer.run(Self.later, &manners, answering: wary).requests.count == 1)

    var others = Manners()
    let plain: (WordyServer.Asked) -> WordyServer.Reply = { _ in WordyServer.whole }
    let whole = try WordyServer.run(Self.later, &others, answering: plain)
    #expect(whole.requests.count == 2 && whole.answer?.isWhole == true)
    #expect(whole.bytes == WordyServer.film)
    #expect(try WordyServer.run(Self.later, &others, answering: plain).requests.count == 1)
  }

  @Test(arguments: [
    ("bytes */300000", TransferEnd.unsatisfiable(length: 300_000), 2),
    ("bytes */0", .unsatisfiable(length: 0), 1), ("bytes */9", .unsatisfiable(length: 9), 1),
    ("", .unsatisfiable(length: nil), 1),
  ])
  func aLengthThatIsToldIsAskedForOnce(field: String, end: TransferEnd, requests: Int) throws {
    var manners = Manners()
    let request = RangeRequest(url: Self.url, range: .bytes(100..<400_000), expected: nil)
    let outcome = try WordyServer.run(request, &manners) { _ in
      WordyServer.Reply(status: 416, fields: [("Content-Range", field)], body: [])
    }
    #expect(outcome.end == end && outcome.requests.count == requests)
  }

  @Test func aTotalThatChangesBetweenPartsIsAnotherVersion() throws {
    var manners = Manners()
    let outcome = try WordyServer.run(Self.first, &manners) { asked in
      let part = WordyServer.part((asked.range ?? 0..<1).prefix(60_000))
      guard asked.number > 0, let range = asked.range else { return part }
      return part.with(
        ("Content-Range", "bytes \(range.lowerBound)-\(range.prefix(60_000).upperBound - 1)/300001")
      )
    }
    #expect(outcome.end == .changed && outcome.bytes == Array(WordyServer.film[0..<60_000]))
  }

  /// The rest of a body whose length nobody told yet.
  @Test(arguments: [0, 1, 60_000])
  func aShortPartOfTheRestOfABodyIsTakenAndTheBodyGoesOnBehindIt(left: Int) throws {
    var manners = Manners()
    let request = RangeRequest(
      continuing: .entityTag(WordyServer.tag), at: Self.url, from: 200_000, priority: .demand)
    let outcome = try WordyServer.run(request, &manners) { asked in
      WordyServer.part((asked.range ?? 0..<1).prefix((asked.range?.count ?? 1) - left))
    }
    #expect(outcome.bytes == Array(WordyServer.film[200_000..<300_000 - left]))
    if left == 0 {
      #expect(outcome.end == .complete)
    } else if case .broken = outcome.end {
      #expect(outcome.requests.count == 1)
    } else {
      Issue.record("\(outcome.end)")
    }
  }

  @Test func aTotalThatIsNotToldIsTakenOfAKnownVersionAlone() throws {
    let server: (WordyServer.Asked) -> WordyServer.Reply = { asked in
      let range = asked.range ?? 0..<1
      return WordyServer.part(range).with(
        ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/*"))
    }
    var manners = Manners()
    #expect(try WordyServer.run(Self.later, &manners, answering: server).end == .complete)
    guard case .refused = try WordyServer.run(Self.first, &manners, answering: server).end else {
      Issue.record("taken without a length")
      return
    }
  }

  // MARK: Dates

  @Test(arguments: [
    ("Tue, 15 Nov 1994 12:45:26 GMT", "Tue, 15 Nov 1994 12:45:26 GMT", false),
    ("Tue, 15 Nov 1994 12:45:26 GMT", "Tue, 15 Nov 1994 12:46:25 GMT", false),
    ("Tue, 15 Nov 1994 12:45:26 GMT", "Tue, 15 Nov 1994 12:46:26 GMT", true),
    ("Tue, 15 Nov 1994 12:46:26 GMT", "Tue, 15 Nov 1994 12:45:26 GMT", false),
    ("Tue, 15 Nov 1994 12:45:26 GMT", "Wed, 16 Nov 1994 12:45:26 GMT", true),
    ("Tue, 15 Nov 1994 12:45:26 GMT", "", true),
    ("Tue, 15 Nov 1994 12:45:26 GMT", "nonsense", true),
  ])
  func aDateThatIsTooNewIsNoValidator(modified: String, date: String, isStrong: Bool) {
    var head = ResponseHead(status: 206, ["Last-Modified": modified])
    if !date.isEmpty { head.add("Date", date) }
    #expect(ResponseCheck.validator(of: head) == (isStrong ? .lastModified(modified) : .none))
    head.add("ETag", "\"v\"")
    #expect(ResponseCheck.validator(of: head) == .entityTag("\"v\""))
  }

  @Test func tenThousandFieldsAreRefused() {
    var reader = HeadReader()
    var step = reader.take("HTTP/1.1 206 Partial Content\r\n")
    var lines = 0
    while step == .more, lines < 10_000 {
      step = reader.take("X-\(lines): 1\r\n")
      lines += 1
    }
    #expect(step == .fault(.headTooLarge) && lines < 200)
  }
}

extension [UInt8] {
  /// The bytes behind the mark of UTF-16, the lower byte first.
  fileprivate var withMark: [UInt8] { [0xFF, 0xFE] + self }
}

extension WordyServer.Reply {
  /// The place that its Content-Range tells, without the unit.
  fileprivate var place: String {
    fields.first { $0.0 == "Content-Range" }.map { String($0.1.dropFirst(6)) } ?? ""
  }
}
