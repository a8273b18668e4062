import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Rules say which entries of a feed are files.
  @Suite(.serialized, .timeLimit(.minutes(3)))
  struct RuleTests {
    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      var items = (1...6).map { WrittenFeed.Item($0) }
      items[1].title = "Item 2 #shorts"
      items[3].more = "<description>Sponsored, by &lt;b&gt;nobody&lt;/b&gt;</description>"
      items[4].more = """
        <itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">50</itunes:duration>
        """
      try WrittenFeed(pages: [items]).serve(by: feed)
      return feed
    }

    /// The inodes of the entries.
    private func inodes(_ feed: any Drive) throws -> [Int: UInt64] {
      let pairs = try feed.entries().map { ($0, try feed.look(at: feed.path($0)).inode) }
      return Dictionary(pairs) { first, _ in first }
    }

    @Test(arguments: DriveKind.all)
    func aRuleThatIsTakenBackBringsItsEntriesBackAsTheyWere(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/written")
      let all = try inodes(feed)
      #expect(all.count == 6)
      let bytes = try feed.bytes(of: feed.path(2))
      try feed.unmount()

      let rules = ["--skip", "#shorts", "--skip", "notes: sponsored", "--min-duration", "1m"]
      try feed.mount("/written", options: rules)
      let some = try inodes(feed)
      #expect(some.keys.sorted() == [1, 3, 6])
      #expect(some.allSatisfy { all[$0.key] == $0.value })
      #expect(try feed.failure(ofReading: feed.path(2)) == ENOENT)
      #expect(try feed.names(in: "by-title").count == 3)
      #expect(try feed.playlist().count == 3)
      #expect(try feed.status().feeds[0].leftOut == 3)
      try feed.unmount()

      try feed.mount("/written")
      #expect(try inodes(feed) == all)
      // Its cached bytes stayed.
      feed.origin.stop()
      #expect(try feed.bytes(of: feed.path(2)) == bytes)
    }

    @Test(arguments: DriveKind.all)
    func theNewestMoveOnAndWhatIsOpenOrPinnedStays(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/written", options: ["--newest", "3"])
      #expect(try feed.entries() == [1, 2, 3])
      var open: (any OpenedFile)? = try feed.open(feed.path(3))
      _ = try open?.read(0..<1000)
      _ = try feed.change(.pin([feed.name(2)]))

      let items = (-1...6).map { WrittenFeed.Item($0) }
      try WrittenFeed(pages: [items]).serve(by: feed)
      _ = try feed.refresh()
      #expect(try feed.entries() == [1, 2, 3, 7, 8])

      open = nil
      try #require(try eventually { try feed.entries() == [1, 2, 7, 8] })
      _ = try feed.change(.unpin([feed.name(2)]))
      #expect(try feed.entries() == [1, 7, 8])
    }

    /// The second entry is a broadcast that goes on, and the third a radio station.
    private func channel(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      let playlist =
        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:9\n#EXTINF:6,\n9.ts\n"
      try feed.origin.put(
        playlist, at: "/pattern/live.mp4", type: "application/vnd.apple.mpegurl")
      var items = (1...4).map { WrittenFeed.Item($0) }
      items[1].media = "/pattern/live.mp4"
      items[2].media = "/pattern/radio.mp4"
      // So short a length is none.
      items[2].size = 1000
      try feed.origin.put(
        "sound", at: "/pattern/radio.mp4", type: "video/mp4", headers: ["icy-name": "Radio"])
      try feed.origin.fault(.status200chunked, below: "/pattern/radio.mp4")
      try WrittenFeed(pages: [items]).serve(by: feed)
      return feed
    }

    @Test(arguments: DriveKind.all)
    func whatTurnsOutToBeLiveIsLeftOutIfItIsNotWanted(on drive: DriveKind) throws {
      let feed = try channel(on: drive)
      try feed.mount("/written", options: ["--sizes", "open"])
      let all = try inodes(feed)
      #expect(try feed.failure(ofReading: feed.path(2)) == EIO)
      #expect(try feed.entries() == [1, 2, 3, 4])
      try feed.unmount()

      let rules = ["--sizes", "open", "--no-live"]
      try feed.mount("/written", options: rules)
      #expect(try feed.entries() == [1, 3, 4])
      #expect(try feed.failure(ofReading: feed.path(3)) == EIO)
      #expect(try eventually { try feed.entries() == [1, 4] })
      #expect(try feed.status().feeds[0].leftOut == 2)
      #expect(try feed.bytes(of: feed.path(4)).count == 300_000)
      try feed.unmount()

      // A restart knows it, and asks nobody.
      try feed.origin.reset()
      try feed.mount("/written", options: rules)
      #expect(try feed.entries() == [1, 4])
      #expect(try feed.mediaRequests().isEmpty)
      try feed.unmount()
      try feed.mount("/written", options: ["--sizes", "open", "--live"])
      #expect(try inodes(feed) == all)
    }

    /// The question for its size shows that a station is one.
    @Test(arguments: DriveKind.all)
    func aStationLeavesTheListingBeforeAnybodyOpensIt(on drive: DriveKind) throws {
      let feed = try channel(on: drive)
      try feed.mount("/written", options: ["--no-live"])
      #expect(try eventually { try feed.entries() == [1, 2, 4] })
      #expect(try feed.mediaRequests().map(\.path) == ["/pattern/radio.mp4"])
    }

    @Test(.enabled(if: canMount))
    func aSubscriptionTakesItsRulesFromFeedAdd() throws {
      let feed = try MountedFeed()
      try WrittenFeed(pages: [(1...4).map { WrittenFeed.Item($0) }]).serve(by: feed)
      let url = feed.origin.url("/written")
      let added = try feed.feedfs("feed", "add", url, "--skip", "/item [23]/", "--newest", "5")
      #expect(added.status == 0 && added.out.contains("your rules leave out 2 of 4"), "\(added)")
      let again = try feed.feedfs("feed", "add", url, "--newest", "1")
      #expect(again.status == 0 && again.out.contains("change its rules in"), "\(again)")
      try feed.mountSubscriptions()
      #expect(try feed.entries() == [1, 4])

      let shown = try feed.feedfs("feed", "show", url, "--all").out
      #expect(shown.contains("0002.mp4"))
      #expect(shown.contains("(left out by skip \"/item [23]/\")"))
      let status = try feed.feedfs("status", feed.mountPoint).out
      #expect(status.contains("2 files left out by your rules"))
      let wrong = try feed.feedfs("feed", "add", feed.origin.url("/other"), "--skip", "/(/")
      #expect(wrong.status == 64 && wrong.err.contains("missing closing parenthesis"))
    }
  }
}
