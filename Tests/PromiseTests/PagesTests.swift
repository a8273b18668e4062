import Control
import TestSupport
import Testing

extension Promises {
  /// Feeds of several pages.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct PagesTests {
    private let feed: MountedFeed
    private let written = WrittenFeed(
      pages: [
        (1...4).map { WrittenFeed.Item($0) }, (5...8).map { WrittenFeed.Item($0) },
        (9...10).map { WrittenFeed.Item($0) },
      ])

    init() throws {
      feed = try MountedFeed()
      try written.serve(by: feed)
    }

    @Test func theNextPageIsReadWhenOneOfTheLastThreeIsOpened() throws {
      try feed.mount(written.path)
      _ = try feed.names()
      let first = 4 - Figure.lastEntries.count + 1
      _ = try ChildProcess.run(["head", "-c", "1", feed.path(first - 1)])
      #expect(try feed.entries() == Array(1...4))
      #expect(try pageRequests() == 1)

      _ = try ChildProcess.run(["head", "-c", "1", feed.path(first)])
      #expect(try eventually { try feed.entries() == Array(1...8) })
      _ = try ChildProcess.run(["head", "-c", "1", feed.path(8)])
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

    @Test(arguments: ["2", "all"]) func asManyPagesAsWantedAreReadAtOnce(pages: String) throws {
      try feed.mount(written.path, options: ["--pages", pages])
      let last = pages == "all" ? 10 : 8
      #expect(try eventually { try feed.entries() == Array(1...last) })
      #expect(try pageRequests() == (pages == "all" ? 3 : 2))
    }

    /// The page may be older than the feed: an unchanged page says nothing of the feed.
    @Test func aWebPageIsAskedForItsFeedOnceAndThenTheFeed() throws {
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
      let outcome = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(try feed.entries() == Array(1...5))
      #expect(try feed.origin.log().count { $0.path == "/blog" } == 1)
    }

    /// Servers under maintenance answer like this.
    @Test func aHomePageInThePlaceOfTheFeedChangesNothing() throws {
      try feed.mount(written.path)
      try WrittenFeed(pages: [[WrittenFeed.Item(30)]], path: "/news").serve(by: feed)
      try feed.origin.put(
        """
        <html><head><title>Index of all</title><link rel="alternate" type="application/rss+xml"
          href="\(feed.origin.url("/news"))"></head><body><a href="x.mp4">x.mp4</a></body></html>
        """, at: written.path, type: "text/html")
      let outcome = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(outcome.status == 75 && outcome.err.contains("HTML"), "\(outcome.err)")
      #expect(try feed.entries() == Array(1...4))
      #expect(try feed.origin.log(below: "/news").isEmpty)
      try written.serve(by: feed)
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).status == 0)
    }

    @Test func aPageThatIsMissingEndsTheFeedAndNothingElse() throws {
      try feed.origin.remove(written.address(1))
      try feed.mount(written.path, options: ["--pages", "all"])
      #expect(try eventually { try feed.status().feeds[0].end != nil })
      #expect(try feed.entries() == Array(1...4))
    }

    @Test func aFeedThatGoesRoundInCirclesHasAnEnd() throws {
      var circle = written
      circle.pages[2] = circle.pages[0]
      circle.pages.append([])
      try circle.serve(by: feed)
      try feed.mount(written.path, options: ["--pages", "all"])
      #expect(try eventually { try feed.status().feeds[0].end != nil })
      #expect(try feed.entries() == Array(1...8))
    }

    private func pageRequests() throws -> Int {
      try feed.origin.log().count { $0.path.hasPrefix(written.path) }
    }
  }
}

extension MountedFeed {
  /// The numbers of the listed entries.
  func entries() throws -> [Int] {
    try names().filter { $0.hasSuffix(".mp4") }.compactMap { Int($0.prefix(4)) }.sorted()
  }

  func name(_ number: Int) -> String {
    String(path(number).dropFirst(mountPoint.utf8.count + 1))
  }

  /// The names in the order of the feed.
  func playlist() throws -> [String] {
    let outcome = try ChildProcess.run(["cat", mountPoint + "/playlist.m3u8"])
    return outcome.out.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }
}
