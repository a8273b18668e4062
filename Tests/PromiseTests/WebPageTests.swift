import Control
import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Entries that only have a page, which a resolver turns into files.
  @Suite(.serialized, .timeLimit(.minutes(3))) struct WebPageTests {
    private let film = PatternFile(name: "film", size: 900_000, seed: 1)
    private let small = PatternFile(name: "small", size: 400_000, seed: 2)

    private func bytes(of file: PatternFile) -> [UInt8] {
      Pattern.bytes(0..<file.size, seed: file.seed)
    }

    @Test(arguments: DriveKind.all)
    func everyEntryWithALinkIsResolvedWhenItIsOpenedAndNotBefore(on drive: DriveKind) throws {
      let pages = try WebPages(drive.drive())
      let feed = pages.feed
      let others = [
        "", "<enclosure url=\"http://x.example/i.jpg\" type=\"image/jpeg\"/>",
        "<enclosure url=\"http://x.example/a.mp3\" type=\"audio/mpeg\"/>",
        "<enclosure url=\"http://x.example/a.m3u\" type=\"audio/x-mpegurl\"/>",
        "<media:content url=\"http://x.example/e\" type=\"application/x-shockwave-flash\"/>",
      ]
      try pages.serve(others.count) { others[$0 - 1] }
      try pages.useResolver()
      for number in 1...others.count {
        try pages.answer(
          number,
          pages.document([
            pages.format(small, height: 720), pages.format(film, height: 1080),
            #"{"url": "http://x.example/v.m3u8", "protocol": "m3u8_native", "height": 480}"#,
          ]))
      }
      try feed.mount("/pages")
      #expect(try feed.entries() == Array(1...others.count))
      for number in 1...others.count { _ = try feed.look(at: feed.path(number)) }
      #expect(pages.asked.isEmpty)

      for number in 1...others.count {
        #expect(try feed.bytes(of: feed.path(number)) == bytes(of: film))
      }
      #expect(pages.asked == (1...others.count).map(pages.page))
      // A cached file needs no resolver.
      #expect(try feed.bytes(of: feed.path(1)) == bytes(of: film))
      #expect(pages.asked.count == others.count)
    }

    @Test(arguments: DriveKind.all)
    func theHeightIsAtMostWhatTheUserWants(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(1, by: drive.drive())
      try pages.answer(
        1, pages.document([pages.format(film, height: 1080), pages.format(small, height: 720)]))
      try pages.feed.mount("/pages", options: ["--max-height", "720"])
      #expect(try pages.feed.bytes(of: pages.feed.path(1)) == bytes(of: small))
    }

    @Test(arguments: DriveKind.all)
    func headersOfAFormatGoToItsHostAloneAndAreShownNowhere(on drive: DriveKind) throws {
      let pages = try WebPages(drive.drive())
      let (feed, elsewhere) = (pages.feed, try OriginProcess())
      try pages.serve(2)
      try pages.useResolver()
      let headers =
        #", "http_headers": {"Referer": "https://a.example/", "X-Token": "s3cret", "Range": "bytes=9-", "Host": "evil", "Bad\r\nName": "x", "User-Agent": "Mozilla/5.0"}"#
      for number in 1...2 {
        try pages.answer(number, pages.document([pages.format(film, height: 720, headers)]))
      }
      try feed.mount("/pages", options: ["--log-level", "debug"])
      #expect(try feed.bytes(of: feed.path(1)) == bytes(of: film))
      let asked = try feed.mediaRequests()
      #expect(!asked.isEmpty)
      for request in asked {
        #expect(request.headers["referer"] == "https://a.example/")
        #expect(request.headers["x-token"] == "s3cret")
        #expect(request.headers["user-agent"] == "Mozilla/5.0")
        #expect(request.headers["host"] == "127.0.0.1:\(feed.origin.port)")
        #expect(request.askedFor != nil)
      }

      // The second film has moved to another origin.
      try feed.origin.fault(.redirect, below: "/pattern/", ["to": elsewhere.url(film.path)])
      #expect(try feed.bytes(of: feed.path(2)) == bytes(of: film))
      let led = try elsewhere.log(below: "/pattern/")
      #expect(!led.isEmpty)
      for request in led {
        #expect(request.headers["x-token"] == nil && request.headers["referer"] == nil)
      }
      let shown = [
        "\(try feed.status())", "\(try feed.details(of: feed.path(1)))", try feed.log,
        try feed.text(of: feed.mountPoint + "/.feedfs/feed.json"),
      ]
      #expect(shown[0].contains("0001.mp4") && shown[1].contains("0001.mp4"))
      for text in shown { #expect(!text.contains("s3cret")) }
    }

    @Test(arguments: DriveKind.all)
    func anAddressThatIsRefusedInTheMiddleOfAFilmIsResolvedAnew(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(1, by: drive.drive())
      let feed = pages.feed
      var long = PatternFile(name: "long", size: 6 << 20, seed: 3)
      // Another format would be better by then. The one that was begun goes on.
      try pages.answer(1, pages.document([pages.format(long, height: 720)]))
      try feed.mount("/pages")
      let file = try feed.open(feed.path(1))
      #expect(try file.read(0..<4096) == Pattern.bytes(0..<4096, seed: long.seed))
      try feed.settle()

      try feed.origin.fault(.status, below: "/pattern/long.", ["code": "403"])
      long.name = "longer"
      let again = pages.format(long, height: 720).replacing("\"longer\"", with: "\"long\"")
      try pages.answer(1, pages.document([pages.format(film, height: 2160), again]))
      let far = 5 << 20..<(5 << 20) + 4096
      #expect(try file.read(far) == Pattern.bytes(far, seed: long.seed))
      #expect(pages.asked.count == 2)
    }

    @Test(arguments: DriveKind.all)
    func anExpiryIsObeyedWithoutARefusal(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(1, by: drive.drive())
      let feed = pages.feed
      let long = PatternFile(name: "long", size: 6 << 20, seed: 3)
      let end = Int(time(nil)) + 2
      try pages.answer(
        1, pages.document([pages.format(long, height: 720, #", "expires": \#(end)"#)]))
      try feed.mount("/pages")
      let file = try feed.open(feed.path(1))
      #expect(try file.read(0..<4096) == Pattern.bytes(0..<4096, seed: long.seed))
      try feed.settle()
      try pages.answer(1, pages.document([pages.format(long, height: 720)]))
      #expect(eventually { Int(time(nil)) >= end })
      let far = 5 << 20..<(5 << 20) + 4096
      #expect(try file.read(far) == Pattern.bytes(far, seed: long.seed))
      #expect(pages.asked.count == 2)
      #expect(try feed.mediaRequests().allSatisfy { $0.status == 206 })
    }

    /// A page that was begun goes on after a restart, without another question, until its address expires.
    @Test(arguments: DriveKind.all)
    func anAddressIsRememberedThroughARestartUntilItExpires(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(1, by: drive.drive())
      let feed = pages.feed
      let long = PatternFile(name: "long", size: 12 << 20, seed: 3)
      let end = Int(time(nil)) + 30
      let members = #", "expires": \#(end), "http_headers": {"X-Token": "s3cret"}"#
      try pages.answer(1, pages.document([pages.format(long, height: 720, members)]))
      for (count, place) in [(1, 0), (1, 5 << 20), (2, 10 << 20)] {
        if count == 2 { #expect(eventually(within: .seconds(60)) { Int(time(nil)) >= end }) }
        try feed.mount("/pages")
        let range = place..<place + 4096
        do {
          let file = try feed.open(feed.path(1))
          #expect(try file.read(range) == Pattern.bytes(range, seed: long.seed))
        }
        #expect(pages.asked.count == count)
        #expect(try feed.mediaRequests().last?.headers["x-token"] == "s3cret")
        try feed.unmount()
      }
    }

    @Test(arguments: DriveKind.all)
    func whatWasLearnedIsShownAndSubtitlesBecomeFiles(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(1, by: drive.drive())
      let feed = pages.feed
      try feed.origin.put(
        "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n", at: "/words.vtt", type: "text/vtt")
      let words =
        #", "duration": 61, "subtitles": {"en": [{"ext": "vtt", "url": "\#(feed.origin.url("/words.vtt"))"}]}"#
      try pages.answer(1, pages.document([pages.format(film, height: 720)], words))
      try feed.mount("/pages")
      #expect(
        try feed.names().sorted() == ["0001.mp4", "by-title", "new", "playlist.m3u8", "started"])
      #expect(try feed.bytes(of: feed.path(1)) == bytes(of: film))

      for isSecond in [false, true] {
        #expect(try eventually { try feed.names().contains("0001.en.vtt") })
        #expect(try feed.text(of: feed.mountPoint + "/0001.en.vtt").hasPrefix("WEBVTT"))
        let file = try feed.status().files[0]
        #expect(file.duration == 61 && file.title == "Entry 1" && file.size == film.size)
        guard !isSecond else { break }
        try feed.unmount()
        try feed.mount("/pages")
      }
      #expect(pages.asked.count == 1)
    }

    @Test(arguments: DriveKind.all)
    func aFailureIsToldInWordsAndNotRepeatedUnlessTheUserSaysSo(on drive: DriveKind) throws {
      let pages = try WebPages(drive.drive())
      let feed = pages.feed
      try pages.serve(1)
      try pages.useResolver(
        before: "echo 'ERROR: [x] 1: Video unavailable. https://a.example/?key=s3cret' >&2; exit 1")
      try feed.mount("/pages")
      for _ in 0..<3 { #expect(try feed.failure(ofReading: feed.path(1)) == EIO) }
      #expect(pages.asked.count == 1)
      let failure = try #require(try feed.status().files[0].failure)
      #expect(failure.what.contains("Video unavailable") && !failure.what.contains("s3cret"))
      let pause = Figure.pageFailure.time / .seconds(1)
      #expect((pause - 60)...pause ~= failure.retryIn ?? 0)

      try pages.useResolver()
      try pages.answer(1, pages.document([pages.format(film, height: 720)]))
      try feed.fetch(["0001.mp4"])
      #expect(pages.asked.count == 2)
      #expect(try feed.bytes(of: feed.path(1)) == bytes(of: film))
    }

    @Test(arguments: DriveKind.all)
    func anAddressThatIsNoFilmLeadsToTheNextFormat(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(1, by: drive.drive())
      try pages.feed.origin.fault(.html, below: "/pattern/film")
      try pages.answer(
        1, pages.document([pages.format(film, height: 1080), pages.format(small, height: 720)]))
      try pages.feed.mount("/pages")
      #expect(try pages.feed.bytes(of: pages.feed.path(1)) == bytes(of: small))
      #expect(pages.asked.count == 1)
    }

    /// The page is asked anew first, since its address may only have expired. What was proved then stays
    /// the file's format, also when the better one is back after a restart.
    @Test(arguments: DriveKind.all, ["403", "404"])
    func aFormatThatIsNotThereLeadsToTheNextOneWhichStays(
      on drive: DriveKind, code: String
    ) throws {
      let pages = try WebPages.resolved(1, by: drive.drive())
      let feed = pages.feed
      let long = PatternFile(name: "long", size: 6 << 20, seed: 3)
      try feed.origin.fault(.status, below: "/pattern/film", ["code": code])
      let formats = [(film, 1080), (long, 720), (small, 480)].map { pages.format($0, height: $1) }
      try pages.answer(1, pages.document(formats))
      try feed.mount("/pages")
      #expect(try feed.open(feed.path(1)).read(0..<4096) == Pattern.bytes(0..<4096, seed: 3))
      #expect(pages.asked.count == 2)
      let asked = try feed.mediaRequests().map(\.path)
      // 403 may also mean one request at a time, so it is asked for once more, alone.
      let films = asked.prefix { film.path.hasPrefix($0) }.count
      #expect(films == 2 || films == 3 && code == "403")
      #expect(asked.dropFirst(films).allSatisfy { long.path.hasPrefix($0) } && asked.count > films)

      try feed.settle()
      try feed.unmount()
      try feed.origin.clear()
      try feed.mount("/pages")
      let far = 5 << 20..<(5 << 20) + 4096
      #expect(try feed.open(feed.path(1)).read(far) == Pattern.bytes(far, seed: 3))
      #expect(try feed.origin.log(below: "/pattern/film").allSatisfy { $0.status != 206 })
      #expect(pages.asked.count == 2)
    }

    @Test(arguments: DriveKind.all)
    func whereNoFormatIsThereTheOpenFailsAndTheNextOneBeginsWithTheBest(
      on drive: DriveKind
    ) throws {
      let pages = try WebPages.resolved(1, by: drive.drive())
      let feed = pages.feed
      try feed.origin.fault(.status, below: "/pattern/", ["code": "404"])
      try pages.answer(
        1, pages.document([pages.format(film, height: 1080), pages.format(small, height: 720)]))
      try feed.mount("/pages")
      #expect(try feed.failure(ofReading: feed.path(1)) == EIO)
      #expect(pages.asked.count == 2)
      #expect(try feed.origin.log(below: "/pattern/film").count == 2)
      #expect(try feed.origin.log(below: "/pattern/small").count == 1)
      #expect(try feed.status().files[0].failure?.what.contains("404") ?? false)

      try feed.origin.clear()
      #expect(try feed.bytes(of: feed.path(1)) == bytes(of: film))
    }

    @Test(arguments: DriveKind.all)
    func whatWasProvedIsNotGivenUpForAnotherFormat(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(1, by: drive.drive())
      let feed = pages.feed
      let long = PatternFile(name: "long", size: 6 << 20, seed: 3)
      try pages.answer(
        1, pages.document([pages.format(long, height: 720), pages.format(small, height: 480)]))
      try feed.mount("/pages")
      let file = try feed.open(feed.path(1))
      #expect(try file.read(0..<4096) == Pattern.bytes(0..<4096, seed: 3))
      try feed.settle()
      try feed.origin.fault(.status, below: "/pattern/long", ["code": "403"])
      #expect(try file.failure(of: 5 << 20..<(5 << 20) + 4096) == EIO)
      #expect(try file.read(0..<4096) == Pattern.bytes(0..<4096, seed: 3))
      #expect(pages.asked.count == 2)
      #expect(try feed.origin.log(below: "/pattern/small").isEmpty)
    }

    @Test(arguments: DriveKind.all)
    func anAddressThatAResolverNamesPassesTheGate(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(3, by: drive.drive())
      try pages.answer(1, "http://169.254.169.254/latest/meta-data/film.mp4\n")
      try pages.answer(2, "http://192.168.0.1/film.mp4\n")
      try pages.answer(3, #"{"url": "file:///etc/passwd", "ext": "mp4"}"#)
      try pages.feed.mount("/pages")
      for number in 1...3 {
        #expect(try pages.feed.failure(ofReading: pages.feed.path(number)) == EIO)
      }
      let failures = try pages.feed.status().files.compactMap { $0.failure?.what }
      #expect(failures.count == 3)
      for failure in failures.prefix(2) { #expect(failure.contains("not a public address")) }
    }

    // MARK: The budget

    /// A program that opens every file gets no more than its part, and is told when there is more.
    @Test(arguments: DriveKind.all)
    func twoHundredPagesCostNoMoreThanWasPromised(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(200, by: drive.drive())
      let feed = pages.feed
      for number in 1...200 {
        try pages.answer(number, pages.document([pages.format(small, height: 720)]))
      }
      try feed.mount("/pages")
      #expect(try feed.entries().count == 200)
      var failures: [Int: Int32] = [:]
      for number in 1...200 {
        let start = ContinuousClock.now
        let failure = try feed.failure(ofReading: feed.path(number))
        if failure != 0 {
          failures[number] = failure
          #expect(ContinuousClock.now - start < Figure.busyOpen.time)
        }
      }
      let most = Figure.webPages.count
      #expect(pages.asked.count == most - 10)
      #expect(failures == Dictionary(uniqueKeysWithValues: (21...200).map { ($0, EBUSY) }))
      let failure = try #require(try feed.details(of: feed.path(200)).file.failure)
      #expect(failure.what.contains("min") && failure.what.contains("127.0.0.1"))
      #expect(3000...3600 ~= failure.retryIn ?? 0)

      // A restart brings no more, but the part for the user's own commands is still there.
      try feed.unmount()
      try feed.mount("/pages")
      #expect(try feed.failure(ofReading: feed.path(150)) == EBUSY)
      #expect(pages.asked.count == 20)
      for number in 101...110 { try feed.fetch([feed.name(number)]) }
      #expect(pages.asked.count == most)
      #expect(try feed.bytes(of: feed.path(105)) == bytes(of: small))
      let refusal = #expect(throws: CommandRefusal.self) { try feed.fetch([feed.name(111)]) }
      #expect(refusal?.description.contains("min") ?? false)
      #expect(pages.asked.count == 30)
    }

    /// The program has the name of a player, and is a copy of cat.
    @Test(.enabled(if: canMount)) func aPlayerWaitsForNoScanner() throws {
      let feed = try MountedFeed()
      let pages = try WebPages(feed)
      try pages.serve(60)
      // Pages of the scanner take long.
      try pages.useResolver(before: "test \"${1##*/}\" -gt 50 || sleep 5")
      for number in 1...60 {
        try pages.answer(number, pages.document([pages.format(small, height: 720)]))
      }
      try feed.mount("/pages")
      let player = feed.folder + "/mpv"
      _ = try ChildProcess.run(["cp", "/bin/cat", player])
      let scans = try (1...3).map { try feed.reading(of: feed.path($0)) }
      #expect(eventually { pages.asked.count == 1 })

      let start = ContinuousClock.now
      let played = try ChildProcess.run(
        ["sh", "-c", "\"$1\" \"$2\" | sha256sum", "sh", player, feed.path(55)],
        timeout: .seconds(30))
      #expect(ContinuousClock.now - start < .seconds(4).here)
      #expect(String(played.out.prefix(64)) == (try feed.truth(of: small)))
      #expect(scans.allSatisfy { $0.end(.zero) == nil })
      #expect(pages.asked.count == 2)
    }

    @Test(arguments: DriveKind.all)
    func whatPlaysNextIsResolvedAheadForWhoWantsIt(on drive: DriveKind) throws {
      let pages = try WebPages.resolved(6, by: drive.drive())
      let long = PatternFile(name: "long", size: 8 << 20, seed: 3)
      for number in 1...6 {
        try pages.answer(number, pages.document([pages.format(long, height: 720)]))
      }
      try pages.feed.mount("/pages", options: ["--resolve", "ahead:2"])
      let file = try pages.feed.open(pages.feed.path(1))
      for place in stride(from: 0, to: 2 << 20, by: 64 << 10) {
        _ = try file.read(place..<place + 64 << 10)
      }
      #expect(eventually { pages.asked.count == 3 })
      #expect(Set(pages.asked) == Set((1...3).map(pages.page)))
    }

    // MARK: The page itself

    private func watch(_ number: Int) -> String {
      #"<media:content medium="video"><media:player url="http://p.example/\#(number)"/></media:content>"#
    }

    @Test(arguments: DriveKind.all)
    func withoutAResolverThePageItselfIsReadOnceAtTheOpen(on drive: DriveKind) throws {
      let pages = try WebPages(drive.drive())
      let feed = pages.feed
      let htmls = [
        "<video src='\(film.path.replacing("&", with: "&amp;"))'></video>",
        "<meta property='og:video' content='\(feed.origin.url(film.path).replacing("&", with: "&amp;"))'>",
        #"<script type="application/ld+json">{"@type": "VideoObject", "contentUrl": "\#(film.path)"}</script>"#,
      ]
      // The last entry says nothing of a video, so it is no file.
      try pages.serve(htmls.count + 1) { $0 <= htmls.count ? watch($0) : "" }
      for (index, html) in htmls.enumerated() {
        try feed.origin.put("<html>\(html)</html>", at: "/watch/\(index + 1)", type: "text/html")
      }
      try feed.mount("/pages")
      #expect(try feed.entries() == [1, 2, 3])
      #expect(try feed.origin.log(below: "/watch/").isEmpty)
      for number in 1...htmls.count {
        for _ in 0..<2 { #expect(try feed.bytes(of: feed.path(number)) == bytes(of: film)) }
        #expect(try feed.origin.log(below: "/watch/\(number)").count == 1)
      }
    }

    /// The sources of a page have no names, so their addresses tell them apart after a restart.
    @Test(arguments: DriveKind.all)
    func aSourceOfAPageThatIsNotThereLeadsToTheNextOneWhichStays(on drive: DriveKind) throws {
      let pages = try WebPages(drive.drive())
      let feed = pages.feed
      let long = PatternFile(name: "long", size: 6 << 20, seed: 3)
      try pages.serve(1, content: watch)
      let sources = [film, long].map {
        "<source src='\($0.path.replacing("&", with: "&amp;"))' type='video/mp4'>"
      }
      try feed.origin.put(
        "<video>\(sources.joined())</video>", at: "/watch/1", type: "text/html")
      try feed.origin.fault(.status, below: "/pattern/film", ["code": "404"])
      try feed.mount("/pages")
      #expect(try feed.open(feed.path(1)).read(0..<4096) == Pattern.bytes(0..<4096, seed: 3))
      #expect(try feed.origin.log(below: "/watch/").count == 2)

      try feed.settle()
      try feed.unmount()
      try feed.origin.clear()
      try feed.mount("/pages")
      let far = 5 << 20..<(5 << 20) + 4096
      #expect(try feed.open(feed.path(1)).read(far) == Pattern.bytes(far, seed: 3))
      #expect(try feed.origin.log(below: "/pattern/film").allSatisfy { $0.status != 206 })
    }

    @Test(arguments: DriveKind.all)
    func aPageThatNamesNothingOrSomethingPrivateSaysSo(on drive: DriveKind) throws {
      let pages = try WebPages(drive.drive())
      let feed = pages.feed
      try pages.serve(3, content: watch)
      try feed.origin.put("<html>text</html>", at: "/watch/1", type: "text/html")
      try feed.origin.put(
        "<video src='http://192.168.0.1/1.mp4'>", at: "/watch/2", type: "text/html")
      try feed.mount("/pages")
      for number in 1...3 {
        for _ in 0..<2 { #expect(try feed.failure(ofReading: feed.path(number)) == EIO) }
      }
      let failures = try feed.status().files.map { $0.failure?.what ?? "" }
      for (failure, words) in zip(failures, ["names no video", "not a public address", "404"]) {
        #expect(failure.contains(words), "\(failure)")
      }
      for number in 1...3 {
        #expect(try feed.origin.log(below: "/watch/\(number)").count <= 1)
      }
    }

    /// No more than 2 MB of it is read, and what stands there counts.
    @Test(arguments: DriveKind.all) func aPageWithoutAnEndIsReadInPart(on drive: DriveKind) throws {
      let pages = try WebPages(drive.drive())
      let feed = pages.feed
      try pages.serve(1, content: watch)
      let video = "<video src='\(film.path.replacing("&", with: "&amp;"))'></video>"
      let filler = String(repeating: "<p>x</p>", count: 4 << 20)
      try feed.origin.put(video + filler, at: "/watch/1", type: "text/html")
      try feed.mount("/pages")
      #expect(try feed.bytes(of: feed.path(1)) == bytes(of: film))
      try feed.origin.wait(idle: true, below: "/watch/")
      #expect(try feed.origin.log(below: "/watch/")[0].bytesSent < 16 << 20)
    }

    @Test(arguments: DriveKind.all)
    func withThePresetPageEveryPageIsReadAndWithNoneNone(on drive: DriveKind) throws {
      let pages = try WebPages(drive.drive())
      let feed = pages.feed
      try pages.serve(2) { $0 == 1 ? "" : watch($0) }
      try feed.origin.put(
        "<video src='\(film.path.replacing("&", with: "&amp;"))'>", at: "/watch/1",
        type: "text/html")
      try pages.configure("resolver = \"page\"")
      try feed.mount("/pages")
      #expect(try feed.entries() == [1, 2])
      #expect(try feed.bytes(of: feed.path(1)) == bytes(of: film))
      try feed.unmount()

      let other = try WebPages(drive.drive())
      try other.serve(2) { $0 == 1 ? "" : watch($0) }
      try other.configure("resolver = \"none\"")
      try other.feed.mount("/pages")
      #expect(try other.feed.entries().isEmpty)
    }
  }
}
