import Control
import TestSupport
import Testing

extension Promises {
  /// Feeds of several pages.
  @Suite(.serialized, .timeLimit(.minutes(3))) struct PagesTests {
    private let written = WrittenFeed(
      pages: [
        (1...4).map { WrittenFeed.Item($0) }, (5...8).map { WrittenFeed.Item($0) },
        (9...10).map { WrittenFeed.Item($0) },
      ])

    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try written.serve(by: feed)
      return feed
    }

    @Test(arguments: DriveKind.all)
    func theNextPageIsReadWhenOneOfTheLastThreeIsOpened(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount(written.path)
      _ = try feed.names()
      let first = 4 - Figure.lastEntries.count + 1
      _ = try feed.open(feed.path(first - 1)).read(0..<1)
      #expect(try feed.entries() == Array(1...4))
      #expect(try pageRequests(of: feed) == 1)

      _ = try feed.open(feed.path(first)).read(0..<1)
      #expect(try eventually { try feed.entries() == Array(1...8) })
      _ = try feed.open(feed.path(8)).read(0..<1)
      #expect(try eventually { try feed.entries() == Array(1...10) })
      #expect(try feed.status().feeds[0].pages == 3)
      #expect(try feed.status().feeds[0].end != nil)
      #expect(try feed.playlist() == (1...10).map { feed.name($0) })

      // The known entries and the end of the chain are there without a network.
      try feed.unmount()
      feed.origin.stop()
      try feed.mount(written.path)
      #expect(try feed.entries() == Array(1...10))
    }

    /// A media server's scan would make the library grow and grow.
    @Test(.enabled(if: canMount), arguments: [("ffprobe", 1), ("mediainfo", 1), ("mpv", 2)])
    func aProgramThatOnlyLooksBringsNoPage(_ program: String, pages: Int) throws {
      let feed = try MountedFeed()
      try written.serve(by: feed)
      try feed.mount(written.path)
      let names = try feed.names(in: "")
      let last = try #require(names.first { $0.hasPrefix("0004.") })
      let looker = "\(feed.folder)/\(program)"
      _ = try ChildProcess.run(["ln", "-s", "/usr/bin/head", looker])
      let outcome = try ChildProcess.run([looker, "-c", "1", feed.mountPoint + "/" + last])
      #expect(outcome.status == 0, "\(outcome.err)")
      // A refresh comes after a page that was asked for before it.
      #expect(try feed.refresh().errors == [])
      #expect(try eventually { try feed.status().feeds[0].pages == pages })
    }

    @Test(arguments: DriveKind.all, ["2", "all"])
    func asManyPagesAsWantedAreReadAtOnce(on drive: DriveKind, pages: String) throws {
      let feed = try feed(on: drive)
      try feed.mount(written.path, options: ["--pages", pages])
      let last = pages == "all" ? 10 : 8
      #expect(try eventually { try feed.entries() == Array(1...last) })
      #expect(try pageRequests(of: feed) == (pages == "all" ? 3 : 2))
    }

    /// The page may be older than the feed: an unchanged page says nothing of the feed.
    @Test(arguments: DriveKind.all)
    func aWebPageIsAskedForItsFeedOnceAndThenTheFeed(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.origin.put(
        """
        <!DOCTYPE html><html><head><title>Blog</title><link rel="alternate"
          type="application/rss+xml" href="\(feed.origin.url(written.path))"></head></html>
        """, at: "/blog", type: "text/html")
      try feed.mount("/blog")
      #expect(try feed.entries() == Array(1...4))

      var grown = written
      grown.pages[0].insert(WrittenFeed.Item(0), at: 0)
      try grown.serve(by: feed)
      #expect(try feed.refresh().errors == [])
      #expect(try feed.entries() == Array(1...5))
      #expect(try feed.origin.log().count { $0.path == "/blog" } == 1)
    }

    /// Servers under maintenance answer like this.
    @Test(arguments: DriveKind.all)
    func aHomePageInThePlaceOfTheFeedChangesNothing(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount(written.path)
      try WrittenFeed(pages: [[WrittenFeed.Item(30)]], path: "/news").serve(by: feed)
      try feed.origin.put(
        """
        <html><head><title>Index of all</title><link rel="alternate" type="application/rss+xml"
          href="\(feed.origin.url("/news"))"></head><body><a href="x.mp4">x.mp4</a></body></html>
        """, at: written.path, type: "text/html")
      let errors = try feed.refresh().errors
      #expect(errors.count == 1 && errors[0].contains("HTML"), "\(errors)")
      #expect(try feed.entries() == Array(1...4))
      #expect(try feed.origin.log(below: "/news").isEmpty)
      try written.serve(by: feed)
      #expect(try feed.refresh().errors == [])
    }

    @Test(arguments: DriveKind.all)
    func aPageThatIsMissingEndsTheFeedAndNothingElse(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.origin.remove(written.address(1))
      try feed.mount(written.path, options: ["--pages", "all"])
      #expect(try eventually { try feed.status().feeds[0].end != nil })
      #expect(try feed.entries() == Array(1...4))
    }

    @Test(arguments: DriveKind.all)
    func aFeedThatGoesRoundInCirclesHasAnEnd(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      var circle = written
      circle.pages[2] = circle.pages[0]
      circle.pages.append([])
      try circle.serve(by: feed)
      try feed.mount(written.path, options: ["--pages", "all"])
      #expect(try eventually { try feed.status().feeds[0].end != nil })
      #expect(try feed.entries() == Array(1...8))
    }

    private func pageRequests(of feed: any Drive) throws -> Int {
      try feed.origin.log().count { $0.path.hasPrefix(written.path) }
    }
  }
}
