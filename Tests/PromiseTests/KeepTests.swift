import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Entries that come by themselves, and go again once they were played.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct KeepTests {
    private static let size = 1 << 20
    private let feed: MountedFeed
    private let feeds = [("One", 1...3), ("Two", 11...13), ("Three", 21...23)]

    init() throws {
      feed = try MountedFeed()
      for (name, numbers) in feeds { try serve(name, numbers) }
    }

    /// The lowest of these numbers is the newest entry.
    private func serve(_ name: String, _ numbers: ClosedRange<Int>) throws {
      let items = numbers.map { number in
        var item = WrittenFeed.Item(
          number,
          more: """
            <itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">4</itunes:duration>
            """)
        item.size = Self.size
        return item
      }
      try WrittenFeed(pages: [items], title: name, path: "/\(name)").serve(by: feed)
    }

    private func subscribe(_ keep: String) throws {
      let text = feeds.map { "[[feed]]\nurl = \"\(feed.origin.url("/\($0.0)"))\"\n" }.joined()
      try feed.write(keep + text, to: MountedFeed.configuration)
    }

    private func path(_ name: String) -> String { feed.mountPoint + "/" + name }

    private func file(_ name: String) throws -> FileStatus {
      try #require(try feed.status().files.first { $0.name == name }, "\(name)")
    }

    /// The files that are complete, or of which something is cached; and those that are kept.
    private func files() throws -> (complete: [String], cached: [String], kept: [String]) {
      let files = try feed.status().files.sorted { $0.name < $1.name }
      return (
        files.filter { $0.state == .complete }.map(\.name),
        files.filter { $0.cached > 0 }.map(\.name), files.filter { $0.kept == true }.map(\.name)
      )
    }

    /// Reads all of a file, and keeps it open for a time.
    private func read(_ name: String, seconds: Int) throws {
      let outcome = try ChildProcess.run(
        ["sh", "-c", "exec 3<\"$0\"; cat <&3 >/dev/null; sleep $1", path(name), "\(seconds)"])
      #expect(outcome.status == 0, "\(outcome)")
    }

    private func inode(_ name: String) throws -> UInt64 { try feed.look(at: path(name)).inode }

    @Test func theNewestComeByThemselvesAndGoOncePlayed() throws {
      try subscribe("keep = 2\n")
      try feed.mountSubscriptions()
      let first = ["One/0001.mp4", "One/0002.mp4", "Three/0001.mp4", "Three/0002.mp4"]
      let two = ["Two/0001.mp4", "Two/0002.mp4"]
      #expect(try eventually { try files() == (first + two, first + two, first + two) })
      let open = try MountedFile(path("One/0001.mp4"))
      let inodes = try [Int](1...3).map { try inode("Two/000\($0).mp4") }
      #expect(try feed.feedfs("status", feed.mountPoint).out.contains("complete, kept"))

      // One more comes with a refresh. What nobody played is not deleted for it.
      try serve("Two", 10...13)
      _ = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(try eventually { try file("Two/0004.mp4").state == .complete })
      #expect(try files().kept == first + ["Two/0001.mp4", "Two/0004.mp4"])
      #expect(try file("Two/0002.mp4").state == .complete)

      // Another program has it open until later. A copy is no playing.
      var other: MountedFile? = try MountedFile(path("Two/0004.mp4"))
      let copy = feed.folder + "/copy.mp4"
      _ = try ChildProcess.run(["cp", path("Two/0004.mp4"), copy])
      try read("Two/0004.mp4", seconds: 0)
      #expect(try file("Two/0004.mp4").mark == "new")
      #expect(try file("Two/0004.mp4").state == .complete)

      // It is played.
      let before = try inode("Two/0004.mp4")
      try read("Two/0004.mp4", seconds: 3)
      #expect(try eventually { try file("Two/0004.mp4").mark == "played" })
      #expect(try eventually { try files().kept == first + two })
      #expect(try file("Two/0004.mp4").state == .complete)
      #expect(try other?.read(1000..<2000) == Array(Pattern.bytes(1000..<2000, seed: 1990)))
      other = nil
      #expect(try eventually { try file("Two/0004.mp4").cached == 0 })
      #expect(try files().complete == first + two)
      #expect(try inode("Two/0004.mp4") == before)
      #expect(try [Int](1...3).map { try inode("Two/000\($0).mp4") } == inodes)
      #expect(try open.read(0..<1000) == Array(Pattern.bytes(0..<1000, seed: 1999)))

      // Neither does it come again after a kill, nor anything else.
      try feed.origin.reset()
      try feed.kill()
      try feed.mountSubscriptions()
      #expect(try eventually { try files() == (first + two, first + two, first + two) })
      #expect(try file("Two/0004.mp4").mark == "played")
      #expect(try feed.mediaRequests().isEmpty)

      // Without the rule nothing is deleted, and what comes is not fetched.
      try subscribe("")
      #expect(try eventually { try files().kept == [] })
      try read("Two/0002.mp4", seconds: 3)
      #expect(try eventually { try file("Two/0002.mp4").mark == "played" })
      #expect(try file("Two/0002.mp4").state == .complete)
      try feed.unmount()
      try subscribe("keep = 1\n")
      try feed.mountSubscriptions()
      #expect(try eventually { try files().kept.last == "Two/0001.mp4" })
      #expect(try file("Two/0002.mp4").state == .complete)
    }

    @Test func aPinStaysAndWhatTheUserClearsDoesNotComeAgain() throws {
      try subscribe("keep = 1\n")
      try feed.mountSubscriptions()
      let kept = ["One/0001.mp4", "Three/0001.mp4", "Two/0001.mp4"]
      #expect(try eventually { try files().complete == kept })
      _ = try feed.feedfs("cache", "pin", path("One/0001.mp4"))
      try read("One/0001.mp4", seconds: 3)
      #expect(try eventually { try file("One/0001.mp4").mark == "played" })
      #expect(try eventually { try file("One/0002.mp4").state == .complete })
      #expect(try file("One/0001.mp4").state == .complete)

      _ = try feed.feedfs("cache", "clear", path("Two/0001.mp4"))
      #expect(try eventually { try file("Two/0002.mp4").state == .complete })
      #expect(try file("Two/0001.mp4").cached == 0 && file("Two/0001.mp4").kept == nil)
    }

    @Test func theCacheListNamesWhatIsKeptAndWithoutAMountNothingOfItIsForgotten() throws {
      try subscribe("keep = 1\n")
      try feed.mountSubscriptions()
      let kept = ["One/0001.mp4", "Three/0001.mp4", "Two/0001.mp4"]
      #expect(try eventually { try files().complete == kept })
      try read("One/0003.mp4", seconds: 0)
      func listed() throws -> [String] {
        var names: [String] = []
        for line in try feed.cache("list").out.split(separator: "\n") {
          let words = line.split(separator: " ")
          if words.count > 1, words[1] == "kept" { names.append(String(words[0])) }
        }
        return names.sorted()
      }
      #expect(try listed() == kept)
      _ = try feed.feedfs("cache", "clear", path("Two/0001.mp4"))
      let others = ["One/0001.mp4", "Three/0001.mp4", "Two/0002.mp4"]
      #expect(try eventually { try listed() == others })
      #expect(try eventually { try file("Two/0002.mp4").state == .complete })
      try feed.unmount()

      // Nothing is mounted. What was cleared does not come again for that.
      #expect(try listed() == others)
      try feed.origin.reset()
      try feed.mountSubscriptions()
      #expect(try eventually { try files().kept == others })
      try feed.settle()
      #expect(try feed.mediaRequests().isEmpty)
      try feed.unmount()
      try subscribe("")
      try feed.mountSubscriptions()
      #expect(try listed() == [])
    }

    @Test func whatIsKeptIsNotEvictedAndARuleComesFirst() throws {
      try subscribe("keep = 1\n")
      try feed.mountSubscriptions(options: ["--cache-size", "5M"])
      let kept = ["One/0001.mp4", "Three/0001.mp4", "Two/0001.mp4"]
      #expect(try eventually { try files().complete == kept })
      for name in ["One", "Three", "Two"] {
        for number in 2...3 { try read("\(name)/000\(number).mp4", seconds: 0) }
      }
      #expect(try Set(files().complete).isSuperset(of: kept))
      #expect(try eventually { try feed.status().files.reduce(0) { $0 + $1.cached } < 6 << 20 })

      try subscribe("keep = 1\nskip = \"item 11\"\n")
      #expect(
        try eventually { try files().kept == ["One/0001.mp4", "Three/0001.mp4", "Two/0002.mp4"] })
    }

    @Test(
      .enabled(if: isInstalled("ffmpeg"), "ffmpeg is missing"),
      arguments: [StreamShape.transport, .pair])
    func filmsOfStreamsAndOfPagesComeToo(_ shape: StreamShape) throws {
      let film = try StreamFeed(shape, films: 2)
      let truth = try film.truth()
      try film.mount(options: ["--keep", "2"])
      #expect(
        try eventually { try film.feed.status().files.allSatisfy { $0.state == .complete } })
      film.feed.origin.stop()
      for number in 1...2 { #expect(try film.feed.bytes(of: film.film(number)) == truth) }
    }

    /// A radio station has neither a length nor a duration.
    @Test func whatMayHaveNoEndIsNotKept() throws {
      let duration = """
        <itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">4</itunes:duration>
        """
      var items = [WrittenFeed.Item(41), WrittenFeed.Item(42, more: duration)]
      (items[0].size, items[1].size) = (128 << 20, Self.size)
      try WrittenFeed(pages: [items], path: "/stations").serve(by: feed)
      try feed.origin.fault(.status200chunked, below: "/pattern/")
      try feed.origin.network(rate: 4 << 20)
      try feed.mount("/stations", options: ["--keep", "2"])
      #expect(
        try eventually { try files().complete == ["0002.mp4"] && files().kept == ["0002.mp4"] })
      // Its fetch goes on for ten seconds, as after a reader has gone, and never again.
      try feed.origin.wait(idle: true, below: "/pattern/", timeout: .seconds(20))
      #expect(try feed.mediaBytes() < 96 << 20)
    }

    /// The feed says a length and a duration of bodies that their origin never ends.
    @Test func aBodyThatNeverEndsIsGivenUpAndDisplacesNothing() throws {
      let duration = """
        <itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">4</itunes:duration>
        """
      var items = (61...64).map { WrittenFeed.Item($0, more: duration) }
      for place in items.indices { items[place].size = Self.size }
      for place in 0...1 {
        items[place].media = PatternFile(name: "endless\(place)", size: 1 << 34, seed: 1).path
      }
      try WrittenFeed(pages: [items], path: "/endless").serve(by: feed)
      try feed.origin.fault(.status200chunked, below: "/pattern/endless")
      try feed.mount("/endless", options: ["--keep", "4", "--cache-size", "48M"])
      let ordinary = ["0003.mp4", "0004.mp4"]
      #expect(
        try eventually(within: .seconds(120)) {
          try files().kept == ordinary && files().complete == ordinary
        })
      try feed.settle()
      for number in 1...2 {
        let failure = try file("000\(number).mp4").failure?.what
        #expect(failure?.contains("did not end within 16 MiB") == true, "\(failure ?? "")")
      }
      // Each is noticed after some MiB more, and what is under way by then does not count.
      #expect(try feed.status().files.reduce(0) { $0 + $1.cached } < 48 << 20)
      try feed.origin.reset()
      try feed.settle()
      #expect(try feed.mediaRequests().isEmpty)

      // A reader gets all of it that the reader wants.
      let open = try MountedFile(path("0001.mp4"))
      let far = 24 << 20
      #expect(try open.read(far..<far + 1000) == Array(Pattern.bytes(far..<far + 1000, seed: 1)))
    }

    /// At thirty times its speed no pace tells that it is played.
    @Test(.enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "no mpv or no ffmpeg"))
    func whatFeedfsPlaySaysIsPlayed() throws {
      try feed.makeFilm("short", seconds: 30)
      let items = try (31...32).map { number in
        var item = WrittenFeed.Item(number)
        item.media = "/files/\(number).mp4"
        try feed.link("short", as: number)
        return item
      }
      try WrittenFeed(pages: [items], path: "/films").serve(by: feed)
      try feed.mount("/films", options: ["--keep", "1"])
      #expect(try eventually { try file("0001.mp4").state == .complete })
      let player = try WatchedPlayer(of: feed, mpv: ["--speed=30"])
      #expect(try eventually { try file("0001.mp4").mark == "played" }, "\(player.log)")
      #expect(try eventually { try file("0001.mp4").cached == 0 })
    }

    @Test func nothingIsFetchedOnAMeteredLineOrInAPause() throws {
      try subscribe("keep = \"unplayed\"\nmetered = true\n")
      try feed.mountSubscriptions()
      #expect(try eventually { try files().kept.count == 9 })
      _ = try feed.feedfs("pause", feed.mountPoint)
      _ = try feed.feedfs("metered", "off", feed.mountPoint)
      try feed.settle()
      #expect(try feed.mediaRequests().isEmpty)
      #expect(try files().cached == [])
      _ = try feed.feedfs("metered", "on", feed.mountPoint)
      _ = try feed.feedfs("online", feed.mountPoint)
      try serve("Two", 10...13)
      _ = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(try eventually { try files().kept.count == 10 })
      try feed.settle()
      #expect(try feed.mediaRequests().isEmpty)

      _ = try feed.feedfs("metered", "off", feed.mountPoint)
      #expect(try eventually { try files().complete.count == 10 })
    }

    @Test func aCacheThatIsTooSmallIsFilledOnce() throws {
      try serve("One", 1...9)
      try subscribe("keep = \"all\"\n")
      try feed.mountSubscriptions(options: ["--cache-size", "8M"])
      #expect(try eventually { try feed.mediaBytes() >= 7 << 20 })
      try feed.settle()
      // A block without room stays in memory for a moment. None of it is fetched twice.
      #expect(try feed.mediaBytes() <= 15 << 20)
      let told = try feed.process.errors.text.split(separator: "\n").filter {
        $0.contains("files are read without being cached")
      }
      // Each feed says each reason once.
      let reasons = Set(told.map { $0.split(separator: "why=").last ?? "" })
      #expect(told.allSatisfy { $0.contains("why=") })
      #expect(told.count <= reasons.count * feeds.count, "\(told)")
      #expect(try !files().complete.isEmpty)
    }
  }
}
