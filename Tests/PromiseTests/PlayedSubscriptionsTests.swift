import Glibc
import TestSupport
import Testing

extension Promises {
  /// The user changes `config.toml` while `feedfs play` plays the mount of its feeds.
  @Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: isInstalled("mpv") && isInstalled("ffmpeg"), "mpv or ffmpeg is not installed"))
  struct PlayedSubscriptionsTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.makeFilm("long", seconds: 60, padded: true)
      for (number, title) in ["One", "Two"].enumerated() {
        let page = (1...3).map { feed.film(3 * number + $0, "long") }
        try WrittenFeed(pages: [page], title: title, path: "/\(title)").serve(by: feed)
      }
    }

    /// The user gives the feed another name in `config.toml`, which renames its folder.
    @Test func aFeedThatIsRenamedWhileItPlaysGoesOn() throws {
      try subscribe([("One", ""), ("Two", "name = \"Old\"")])
      try feed.mountSubscriptions()
      #expect(try eventually { try feed.names().contains("Old") })
      let player = try WatchedPlayer(of: feed, ["--feed", "Old"])
      #expect(player.waits(for: names([1])))
      #expect(try eventually(every: .milliseconds(100)) { try player.position > 0 })

      try subscribe([("One", ""), ("Two", "name = \"New\"")])
      #expect(try eventually { try feed.names().contains("New") })
      #expect(
        try eventually(within: .seconds(30)) { try paths(player).contains("/New/0002.mp4") },
        "\(player.story)")
      #expect(try !paths(player).contains("/Old/0002.mp4"))
      let place = try player.position
      #expect(try eventually(every: .milliseconds(100)) { try player.position > place + 1 })
      #expect(player.opened == names([1]))
      for (word, next) in [("next", 2), ("prev", 1), ("next", 2), ("next", 3)] {
        try player.tell("\"playlist-\(word)\"")
        let path = "/New/" + feed.name(next)
        #expect(
          try eventually(every: .milliseconds(100)) {
            try player.ask("\"get_property\", \"path\"").hasSuffix(path)
          },
          "\(player.story)")
        #expect(try eventually(every: .milliseconds(100)) { try player.position > 0 })
      }
      #expect(try player.list() == names([1, 2, 3]))
      for words in ["removed from", "new in the feed", "cannot be played", "does not answer"] {
        #expect(!player.hasShown(words), "\(words)")
      }
    }

    /// Files keep their names until the next mount.
    @Test func aFeedWhoseNamesChangeWhileItPlaysGoesOn() throws {
      try subscribe([("One", "")])
      try feed.mountSubscriptions()
      #expect(try eventually { try feed.names().contains("0003.mp4") })
      let player = try WatchedPlayer(of: feed)
      #expect(player.waits(for: names([1])))

      try subscribe([("One", "names = \"title\""), ("Two", "")])
      // From then on the mount goes by the new file.
      #expect(try eventually { try feed.names().contains("Two") })
      let place = try player.position
      #expect(try eventually(every: .milliseconds(100)) { try player.position > place + 1 })
      try player.tell("\"playlist-next\"")
      #expect(player.waits(for: names([1, 2])), "\(player.story)")
      expectNoComplaint(of: player)
      try player.tell("\"quit\"")
      #expect(player.command.wait(timeout: .seconds(10)) == 0, "\(player.command.errors.text)")

      try feed.unmount()
      try feed.mountSubscriptions()
      #expect(try eventually { try feed.names().contains("Item 2.mp4") })
    }

    @Test func aFeedThatJoinsTheMountJoinsTheList() throws {
      try subscribe([("One", "")])
      try feed.mountSubscriptions()
      #expect(try eventually { try feed.names().contains("0003.mp4") })
      let player = try WatchedPlayer(of: feed)
      #expect(player.waits(for: names([1])))
      #expect(try feed.feedfs("feed", "add", feed.origin.url("/Two")).status == 0)
      #expect(
        try eventually(within: .seconds(30), every: .milliseconds(100)) {
          try player.list() == names([1, 2, 3, 1, 2, 3])
        },
        "\(player.story)")
      #expect(try paths(player).contains("/Two/0003.mp4"))
      #expect(player.opened == names([1]))
      var order = [1]
      for next in [2, 3, 1] {
        try player.tell("\"playlist-next\"")
        order.append(next)
        #expect(player.waits(for: names(order)), "\(player.story)")
      }
      #expect(try player.ask("\"get_property\", \"path\"").hasSuffix("/Two/0001.mp4"))
      expectNoComplaint(of: player)
    }

    // MARK: Parts

    /// Writes subscriptions to feeds, each with further lines.
    private func subscribe(_ feeds: [(path: String, more: String)]) throws {
      let tables = feeds.map { path, more in
        "[[feed]]\nurl = \"\(feed.origin.url("/\(path)"))\"\n\(more)\n"
      }
      try feed.write(tables.joined(), to: MountedFeed.configuration)
    }

    private func paths(_ player: WatchedPlayer) throws -> String {
      try player.ask("\"get_property_string\", \"playlist\"")
    }

    private func expectNoComplaint(of player: WatchedPlayer) {
      for words in ["removed from", "cannot be played", "does not answer"] {
        #expect(!player.hasShown(words), "\(words)")
      }
    }

    private func names(_ numbers: [Int]) -> [String] {
      numbers.map { feed.name($0) }
    }
  }
}
