import Glibc
import TestSupport
import Testing

extension Promises {
  /// `feedfs play`: a feed as a playlist in mpv.
  @Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "mpv or ffmpeg is not installed"))
  struct PlayCommandTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.makeFilm("long", seconds: 60, padded: true)
      try feed.makeFilm("short", seconds: 5)
    }

    @Test func aRingOfThreePagesFollowsTheFeedWhileItPlays() throws {
      var written = films([1...4, 5...7, 8...9])
      try written.serve(by: feed)
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed, ["--loop"])
      #expect(player.waits(for: names([1])))
      try player.tell("\"playlist-next\"")
      #expect(player.waits(for: names([1, 2])))
      // The second of four entries is the third last.
      #expect(
        try eventually(every: .milliseconds(100)) { try player.list() == names(Array(1...7)) })
      #expect(eventually { player.hasShown("next page of the feed was loaded") }, "\(player.log)")

      written.pages[0].insert(film(20), at: 2)
      written.pages[1].remove(at: 1)
      try written.serve(by: feed)
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).status == 0)
      #expect(
        try eventually(every: .milliseconds(100)) {
          try player.list() == names([1, 2, 8, 3, 4, 5, 7])
        })
      #expect(eventually { player.hasShown("new in the feed: Item 20") })

      var order = [1, 2]
      for next in [8, 3, 4, 5, 7] {
        try player.tell("\"playlist-next\"")
        order.append(next)
        #expect(player.waits(for: names(order)))
      }
      #expect(
        try eventually(every: .milliseconds(100)) {
          try player.list() == names([1, 2, 8, 3, 4, 5, 7, 9, 10])
        })
      for (word, next) in [
        ("next", 9), ("next", 10), ("next", 1), ("next", 2), ("prev", 1), ("prev", 10),
      ] {
        try player.tell("\"playlist-\(word)\"")
        order.append(next)
        #expect(player.waits(for: names(order)), "\(player.opened)")
      }
      try player.tell("\"quit\"")
      #expect(player.command.wait(timeout: .seconds(10)) == 0, "\(player.command.errors.text)")
    }

    /// The next entries are preloaded, which proves their lengths while they are not open.
    @Test(arguments: [Claim.none, .one, .tooLarge])
    func aQuickNextPlaysWhateverLengthTheFeedClaims(claim: Claim) throws {
      let written = films([1...5])
      try Claim.$current.withValue(claim) { try written.serve(by: feed) }
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed)
      #expect(player.waits(for: names([1])))
      for last in 2...5 {
        try player.tell("\"playlist-next\"")
        #expect(player.waits(for: names(Array(1...last))))
      }
      #expect(try eventually(every: .milliseconds(100)) { try player.position > 0 })
      #expect(!contents(of: player.log).contains("Failed to recognize"), "\(player.log)")
    }

    @Test func aRingOfOneRepeatsAndGoesBackToItself() throws {
      let written = WrittenFeed(pages: [[film(1, "short")]])
      try written.serve(by: feed)
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed, ["--loop"])
      #expect(player.waits(for: names([1, 1, 1])))
      try player.tell("\"playlist-prev\"")
      #expect(player.waits(for: names([1, 1, 1, 1])))
    }

    @Test func aPauseIsShownOnThePlayersScreenAndItGoesOnAfterwards() throws {
      let written = films([1...2])
      try written.serve(by: feed)
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed)
      #expect(player.waits(for: names([1])))
      #expect(try feed.feedfs("pause", feed.mountPoint).status == 0)
      #expect(eventually { player.hasShown("paused: feedfs fetches nothing") }, "\(player.log)")

      #expect(try feed.feedfs("resume", feed.mountPoint).status == 0)
      try player.tell("\"playlist-next\"")
      #expect(player.waits(for: names([1, 2])))
      try player.tell("\"quit\"")
      #expect(player.command.wait(timeout: .seconds(10)) == 0, "\(player.command.errors.text)")
    }

    @Test func withoutARingItEndsWithTheFeedWhichItPlaysInItsOrder() throws {
      let written = WrittenFeed(pages: [
        [film(1, "short"), film(2, "short")], [film(3, "short")],
      ])
      try written.serve(by: feed)
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed)
      #expect(player.command.wait(timeout: .seconds(60)) == 0, "\(player.command.errors.text)")
      #expect(player.opened == names([1, 2, 3]))
    }

    @Test func whoeverGoesBackOverWhatCannotBePlayedComesToTheOneBefore() throws {
      let written = films([1...3])
      _ = try ChildProcess.run(["rm", "\(feed.media)/2.mp4"])
      _ = try ChildProcess.run([
        "dd", "if=/dev/urandom", "of=\(feed.media)/2.mp4", "bs=1K", "count=9",
      ])
      try written.serve(by: feed)
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed, at: 3)
      #expect(player.waits(for: names([3])))
      try player.tell("\"playlist-prev\"")
      #expect(eventually { player.opened.last == feed.name(1) }, "\(player.opened)")
      #expect(eventually { player.hasShown("0002.mp4 cannot be played, skipping it") })
    }

    @Test func ofSeveralFeedsOneIsPlayedAfterTheOther() throws {
      for (number, title) in ["One", "Two"].enumerated() {
        let page = [film(2 * number + 1), film(2 * number + 2)]
        try WrittenFeed(pages: [page], title: title, path: "/\(title)").serve(by: feed)
      }
      try feed.mount("/One", options: ["--feed", feed.origin.url("/Two")])
      #expect(try eventually { try feed.names().sorted() == ["One", "Two"] })
      let player = try WatchedPlayer(of: feed, ["--from", "2"])
      #expect(player.waits(for: names([2])))
      #expect(try player.list() == names([1, 2, 1, 2]))
      #expect(try player.ask("\"get_property\", \"path\"").hasSuffix("/One/0002.mp4"))
      let other = try WatchedPlayer(of: feed, ["--feed", "Two"])
      #expect(other.waits(for: names([1])))
      #expect(try other.list() == names([1, 2]))
      #expect(try other.ask("\"get_property\", \"path\"").hasSuffix("/Two/0001.mp4"))
    }

    @Test func offlineItPlaysFromTheCacheAndSaysSo() throws {
      let written = WrittenFeed(pages: [(1...3).map { film($0, "short") }])
      try written.serve(by: feed)
      try feed.mount(written.path)
      for number in [1, 3] { _ = try feed.digest(of: feed.path(number)) }
      try feed.unmount()
      feed.origin.stop()
      try feed.mount(written.path, options: ["--read-timeout", "2"])
      let player = try WatchedPlayer(of: feed, ["--loop"])
      // The file that is not whole is passed over.
      #expect(
        player.waits(for: names([1, 3, 1]), timeout: .seconds(40)), "\(player.opened)")
      #expect(player.hasShown("offline, playing from the cache"))
    }

    @Test func whatLeavesTheFeedIsPlayedToItsEndAndThenNoMore() throws {
      var written = films([1...3])
      try written.serve(by: feed)
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed, ["--from", "2", "--loop"])
      #expect(player.waits(for: names([2])))
      written.pages[0].remove(at: 1)
      try written.serve(by: feed)
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).status == 0)
      try player.tell("\"playlist-next\"")
      #expect(player.waits(for: names([2, 3])))
      #expect(try eventually(every: .milliseconds(100)) { try player.list() == names([1, 3]) })
      #expect(
        eventually { player.hasShown("an entry was removed from the feed; playing continues") })
      #expect(player.opened == names([2, 3]))
    }

    @Test func aPlaceIsRememberedOfferedAndTaken() throws {
      let written = films([1...3])
      try written.serve(by: feed)
      try feed.mount(written.path)
      try watch("2", until: 30)

      let offered = try WatchedPlayer(of: feed, ["--from", "2"])
      #expect(eventually { offered.hasShown("stopped at 0:3") })
      #expect(try offered.position < 20)
      try offered.tell("\"quit\"")
      #expect(offered.command.wait(timeout: .seconds(10)) == 0)

      let resumed = try WatchedPlayer(of: feed, ["--resume"])
      #expect(resumed.waits(for: names([2])))
      #expect(try eventually(every: .milliseconds(100)) { try resumed.position >= 29 })
      #expect(eventually { resumed.hasShown("resuming at 0:3") })
      // Near its end a film counts as played. mpv is asked for its position once a second.
      try resumed.tell("\"set_property\", \"speed\", 0.5")
      try resumed.tell("\"seek\", 58, \"absolute\"")
      #expect(resumed.waits(for: names([2, 3])))
      try resumed.tell("\"quit\"")
      #expect(resumed.command.wait(timeout: .seconds(10)) == 0)
      let kept = contents(of: feed.folder + "/state/feedfs/positions.json")
      #expect(kept.contains("\"all\":[]"), "\(kept)")
    }

    /// The next entries are preloaded before they are opened, also for mpv's way of reading.
    @Test func theNextEntriesArePreloadedWhileMPVPlays() throws {
      let written = films([1...4])
      try written.serve(by: feed)
      try feed.mount(written.path)
      let player = try WatchedPlayer(of: feed, mpv: ["--cache-secs=60"])
      #expect(player.waits(for: names([1])))
      for number in [2, 3] {
        try feed.origin.wait(requests: 1, idle: true, below: "/files/\(number).mp4")
      }
      #expect(player.opened == names([1]))
    }

    /// Plays an entry up to a place, and quits.
    private func watch(_ number: String, until seconds: Int) throws {
      let player = try WatchedPlayer(of: feed, ["--from", number])
      #expect(try eventually(every: .milliseconds(100)) { try player.position > 0 })
      try player.tell("\"seek\", \(seconds), \"absolute\"")
      // mpv is asked for its position once a second.
      #expect(
        try eventually(every: .milliseconds(100)) { try player.position > Double(seconds) + 2.5 })
      try player.tell("\"quit\"")
      #expect(player.command.wait(timeout: .seconds(10)) == 0, "\(player.command.errors.text)")
    }

    private func films(_ pages: [ClosedRange<Int>]) -> WrittenFeed {
      WrittenFeed(pages: pages.map { page in page.map { film($0) } })
    }

    private func film(_ number: Int, _ name: String = "long") -> WrittenFeed.Item {
      feed.film(number, name)
    }

    private func names(_ numbers: [Int]) -> [String] {
      numbers.map { feed.name($0) }
    }
  }
}

extension MountedFeed {
  /// Makes a film without sound. `link` puts it to the origin.
  func makeFilm(_ name: String, seconds: Int, padded: Bool = false) throws {
    let outcome = try ChildProcess.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10", "-t",
      "\(seconds)", "-c:v", "mpeg4", "-g", "10", "-movflags", "+faststart",
      "\(folder)/\(name).mp4",
    ])
    guard outcome.status == 0 else { throw TestToolError("ffmpeg: \(outcome.err)") }
    // Pads the film beyond the read-ahead: a film that is complete in the cache never leaves the
    // listing.
    if padded { truncate("\(folder)/\(name).mp4", 24 << 20) }
  }

  /// Returns an item with that film.
  func film(_ number: Int, _ name: String) -> WrittenFeed.Item {
    var item = WrittenFeed.Item(number)
    item.media = "/files/\(number).mp4"
    _ = try? link(name, as: number)
    return item
  }

  /// Makes the film the media of an entry.
  func link(_ name: String, as number: Int) throws {
    _ = try ChildProcess.run(["ln", "-f", "\(folder)/\(name).mp4", "\(media)/\(number).mp4"])
  }
}
