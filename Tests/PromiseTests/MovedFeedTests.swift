import Blocks
import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A feed that says that it has moved is followed, and stays the same feed.
  @Suite(.serialized, .timeLimit(.minutes(3))) struct MovedFeedTests {
    /// The way in which the feed says where it is now.
    enum Way: String, CaseIterable, Sendable {
      case redirect301, redirect308, itunes, newLocation
    }

    private static let cases = DriveKind.cases(Way.allCases, onKernel: [.redirect301, .itunes])
    private static let size = 300_000

    /// The feed before and after its move.
    private struct Moving {
      let feed: any Drive
      let other: any Drive

      var old: String { feed.origin.url("/old") }
      var new: String { other.origin.url("/new") }

      /// - Parameter options: those of the second origin.
      init(on drive: DriveKind, options: [String] = []) throws {
        feed = try drive.drive()
        other = try drive.drive(originOptions: options)
        try serveOld()
        try serveNew([4, 3, 2, 1])
      }

      func serveOld(_ numbers: [Int] = [3, 2, 1], saying element: String = "") throws {
        try feed.origin.put(
          document(numbers, element), at: "/old", type: "application/rss+xml")
      }

      func serveNew(_ numbers: [Int], saying element: String = "") throws {
        try other.origin.put(
          document(numbers, element), at: "/new", type: "application/rss+xml")
      }

      /// Has the old address say that the feed is at `target`.
      func say(_ way: Way, _ target: String) throws {
        switch way {
        case .redirect301, .redirect308:
          let code = String(way.rawValue.suffix(3))
          try feed.origin.fault(.redirect, below: "/old", ["to": target, "code": code])
        case .itunes:
          try serveOld(saying: "<itunes:new-feed-url>\(target)</itunes:new-feed-url>")
        case .newLocation:
          try feed.origin.put(
            "<rss version='2.0'><redirect><newLocation>\(target)</newLocation></redirect></rss>",
            at: "/old", type: "application/rss+xml")
        }
      }

      func status() throws -> FeedStatus {
        try #require(feed.status().feeds.first)
      }

      /// The bytes of an entry, which lie at the old origin.
      func truth(_ number: Int) -> [UInt8] {
        Pattern.bytes(0..<MovedFeedTests.size, seed: UInt64(number))
      }

      private func document(_ numbers: [Int], _ element: String) -> String {
        let items = numbers.map { number in
          let size = MovedFeedTests.size
          let film = PatternFile(name: "film\(number)", size: size, seed: UInt64(number))
          let url = feed.origin.url(film.path).replacing("&", with: "&amp;")
          return """
            <item><title>Film \(number)</title><guid isPermaLink="false">film-\(number)</guid>
            <pubDate>0\(number) May 2026 10:00:00 GMT</pubDate>
            <enclosure url="\(url)" length="\(size)" type="video/mp4"/></item>
            """
        }
        return """
          <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
          <title>Moving</title>\(element)\(items.joined())</channel></rss>
          """
      }
    }

    @Test(arguments: cases)
    func aMoveThatWasSeenTwiceIsFollowedAndNamesAndCacheStay(
      on drive: DriveKind, way: Way
    ) throws {
      let moving = try Moving(on: drive)
      let feed = moving.feed
      try feed.mount("/old")
      #expect(try feed.bytes(of: feed.path(1)) == moving.truth(3))
      _ = try feed.change(.pin([feed.name(1)]))
      let inodes = try feed.inodes()
      #expect(try feed.entries() == [1, 2, 3])

      try moving.say(way, moving.new)
      #expect(try feed.refresh().errors == [])
      #expect(try moving.status().movedTo == nil)
      #expect(try moving.status().move?.contains(moving.new) == true)
      // The next mount asks at once. That is the refresh that agrees.
      try feed.unmount()
      try feed.mount("/old")
      #expect(try eventually { try moving.status().movedTo == moving.new })
      #expect(try eventually { try feed.entries() == [1, 2, 3, 4] })

      #expect(try moving.status().address == moving.old && moving.status().move == nil)
      #expect(try feed.inodes().filter { inodes[$0.key] != nil } == inodes)
      try feed.origin.reset()
      #expect(try feed.bytes(of: feed.path(1)) == moving.truth(3))
      #expect(try feed.mediaRequests().isEmpty)
      #expect(try feed.kept()[feed.name(1)]?.isPinned == true)

      // From now on only the new address is asked, also by later mounts.
      try feed.unmount()
      // Before the mount, whose own refresh may be under way when the next one is asked for.
      try moving.serveNew([5, 4, 3, 2, 1])
      try feed.mount("/old")
      #expect(try feed.refresh().errors == [])
      #expect(try feed.entries() == [1, 2, 3, 4, 5])
      #expect(try feed.origin.log(below: "/old").isEmpty)
      #expect(try moving.status().movedTo == moving.new)
    }

    /// The answer at the new address, which cannot be the feed.
    enum Obstacle: CaseIterable, Sendable {
      case page, empty, gone, list, namesTheOld, isPrivate
    }

    @Test(arguments: DriveKind.cases(Obstacle.allCases, onKernel: [.page, .isPrivate]))
    func whereTheFeedCannotBeReadItIsNotFollowedAndTold(
      on drive: DriveKind, obstacle: Obstacle
    ) throws {
      let moving = try Moving(on: drive, options: ["--address", "0.0.0.0"])
      let feed = moving.feed
      var target = moving.new
      switch obstacle {
      case .page:
        try moving.other.origin.put(
          "<html><body>Hello</body></html>", at: "/new", type: "text/html")
      case .empty: try moving.serveNew([])
      case .gone: try moving.other.origin.remove("/new")
      case .list:
        try moving.other.origin.put(
          "<opml version='2.0'><body><outline type='rss' xmlUrl='\(moving.old)'/></body></opml>",
          at: "/new", type: "text/x-opml")
      case .namesTheOld:
        try moving.serveNew(
          [4, 3, 2, 1], saying: "<itunes:new-feed-url>\(moving.old)</itunes:new-feed-url>")
      case .isPrivate: target = "http://127.0.0.2:\(moving.other.origin.port)/new"
      }
      try moving.say(.itunes, target)
      try feed.mount("/old")
      // The mount has seen it too. Without an answer as wanted, the new address is not asked each time.
      for _ in 0..<2 { #expect(try feed.refresh().errors == []) }

      #expect(try moving.status().movedTo == nil)
      #expect(try moving.status().move?.contains("does not follow") == true)
      #expect(try feed.entries() == [1, 2, 3])
      let asked = try moving.other.origin.log(below: "/new").count
      #expect(obstacle == .isPrivate ? asked == 0 : asked == 1, "\(asked)")
    }

    @Test(arguments: DriveKind.all)
    func aMoveThatIsSeenOnceOrDiffersIsNoMove(on drive: DriveKind) throws {
      let moving = try Moving(on: drive)
      try moving.feed.mount("/old")
      for target in ["/new", "/newer", "/new"] {
        try moving.say(.itunes, moving.other.origin.url(target))
        #expect(try moving.feed.refresh().errors == [])
        #expect(try moving.status().move?.contains(target) == true)
      }
      try moving.serveOld()
      #expect(try moving.feed.refresh().errors == [])
      #expect(try moving.status().move == nil && moving.status().movedTo == nil)
      #expect(try moving.other.origin.log(below: "/new").isEmpty)
    }

    @Test(arguments: DriveKind.all)
    func offlineNothingIsAskedAndAfterItTheMoveIsFollowed(on drive: DriveKind) throws {
      let moving = try Moving(on: drive)
      try moving.feed.mount("/old")
      try moving.say(.itunes, moving.new)
      #expect(try moving.feed.refresh().errors == [])
      try moving.feed.turn(.offline)
      for _ in 0..<3 { #expect(try moving.feed.refresh().errors.count == 1) }
      #expect(try moving.other.origin.log(below: "/new").isEmpty)
      #expect(try moving.status().movedTo == nil)

      // The refresh that was missed runs now.
      try moving.feed.turn(.online)
      #expect(try eventually { try moving.status().movedTo == moving.new })
    }

    @Test(arguments: DriveKind.all)
    func whenTheNewAddressFailsTheOldOneIsAskedAndCounts(on drive: DriveKind) throws {
      let moving = try Moving(on: drive)
      let feed = moving.feed
      try feed.mount("/old")
      try moving.say(.itunes, moving.new)
      for _ in 0..<2 { #expect(try feed.refresh().errors == []) }
      #expect(try moving.status().movedTo == moving.new)
      #expect(try feed.entries() == [1, 2, 3, 4])

      // While the old address names the new one, its old page takes no entry away.
      try moving.other.origin.fault(.status, below: "/new", ["code": "404"])
      #expect(try feed.refresh().errors == [])
      #expect(try moving.status().move?.contains("404") == true)
      #expect(try moving.status().movedTo == moving.new)
      #expect(try feed.entries() == [1, 2, 3, 4])

      try moving.serveOld([5, 4, 3, 2, 1])
      for _ in 0..<2 { #expect(try feed.refresh().errors == []) }
      #expect(try moving.status().movedTo == nil && moving.status().move == nil)
      #expect(try feed.entries() == [1, 2, 3, 4, 5])
    }

    @Test(.enabled(if: canMount))
    func statusAndMovesAreToldAsTheyAreDocumentedAndOnlyMovesHoldSecrets() throws {
      let moving = try Moving(on: .kernel)
      let feed = try #require(moving.feed as? MountedFeed)
      try feed.mount("/old")
      try moving.say(.redirect301, moving.new + "?key=hunter2")
      for round in 1...2 {
        #expect(try feed.refresh().errors == [])
        let status = try feed.feedfs("status", feed.mountPoint, "--json").out
        #expect(try DocumentedShape("MountStatus").faults(of: AnyJSON(status)) == [])
        let moves = try feed.ask("GET", "/v1/moves")
        #expect(try DocumentedShape("FeedMoves").faults(of: AnyJSON(moves)) == [])
        #expect(!status.contains("hunter2") && moves.contains("hunter2") == (round == 2))
      }
      let table = try feed.feedfs("status", feed.mountPoint).out
      #expect(table.contains("moved to \(moving.new)"))
      let log = try feed.log
      #expect(log.contains("the feed has moved") && !log.contains("hunter2"))
    }

    // MARK: Subscriptions

    /// A subscription with secrets, and comments of its user.
    private func subscription(_ url: String, _ more: String = "") -> String {
      """
      # mine
      [[feed]]  # the only one
      name = "talks"
      url = "\(url)"   # from a friend
      \(more)headers = { X-Key = "hunter2" }
      # the end

      """
    }

    @Test(.enabled(if: canMount))
    func theSubscriptionNamesBothAddressesAndSecretsStayWithTheOldOne() throws {
      let moving = try Moving(on: .kernel)
      let feed = try #require(moving.feed as? MountedFeed)
      let typed = "http://us3r:hunter2@127.0.0.1:\(feed.origin.port)/old"
      try feed.write(subscription(typed), to: MountedFeed.configuration)
      try feed.mountSubscriptions()
      try moving.say(.redirect308, moving.new)
      let first = try feed.feedfs("feed", "refresh", feed.mountPoint).out
      #expect(first.hasPrefix("refreshed 1 of 1 feeds\n"), "\(first)")
      let path = feed.folder + "/" + MountedFeed.configuration
      #expect(contents(of: path) == subscription(typed))

      let told = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(told.status == 0 && told.out.contains("\(moving.old) has moved to \(moving.new)"))
      #expect(!told.out.contains("hunter2"))
      let rewritten = subscription(moving.new, "was = \"\(typed)\"\n")
      #expect(contents(of: path) == rewritten)
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).out == "refreshed 1 of 1 feeds\n")
      let inodes = try feed.inodes()
      try feed.unmount()

      // The state of the old address is that of the new subscription.
      try feed.mountSubscriptions()
      #expect(try feed.inodes() == inodes)
      #expect(try moving.status().movedTo == moving.new)
      #expect(try moving.status().address == moving.old)
      #expect(contents(of: path) == rewritten)
      let list = try feed.feedfs("feed", "list")
      #expect(list.out.contains(moving.new) && list.out.contains("(was \(moving.old))"))
      for place in [moving.old, moving.new] {
        let shown = try feed.feedfs("feed", "show", place)
        #expect(shown.status == 0 && shown.out.contains("the feed has moved from \(moving.old)"))
        #expect(try feed.feedfs("feed", "add", place).out.contains("already"))
        #expect(try feed.feedfs("doctor", place).out.contains(moving.new))
      }
      let own = try feed.origin.log().filter { $0.path == "/old" || $0.path.hasPrefix("/pattern") }
      #expect(!own.isEmpty && own.allSatisfy { $0.headers["x-key"] == "hunter2" })
      let strange = try moving.other.origin.log()
      #expect(strange.count >= 4)
      for request in strange {
        #expect(request.headers["x-key"] == nil && request.headers["authorization"] == nil)
      }
    }

    @Test(.enabled(if: canMount))
    func aFeedThatCameBackIsSubscribedToAsItsUserWroteIt() throws {
      let moving = try Moving(on: .kernel)
      let feed = try #require(moving.feed as? MountedFeed)
      let written = subscription(moving.new, "was = \"\(moving.old)\"\n")
      try feed.write(written, to: MountedFeed.configuration)
      // Without any state the subscription tells where the feed is.
      try feed.mountSubscriptions()
      #expect(try moving.status().movedTo == moving.new)
      #expect(try feed.origin.log(below: "/old").isEmpty)

      try moving.other.origin.fault(
        .redirect, below: "/new", ["to": moving.old, "code": "301"])
      for _ in 0..<2 { #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).status == 0) }
      #expect(try moving.status().movedTo == nil)
      let path = feed.folder + "/" + MountedFeed.configuration
      #expect(contents(of: path) == subscription(moving.old))
    }
  }
}
