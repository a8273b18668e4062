import Control
import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

extension Promises {
  /// Subscriptions that come and go while their mount is in use.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct ComingFeedsTests {
    private let feed: MountedFeed
    private let views = ["by-title", "new", "playlist.m3u8", "started"]
    private var configuration: String { feed.folder + "/.config/feedfs/config.toml" }

    init() throws {
      feed = try MountedFeed()
      for (name, numbers) in [("One", 1...2), ("Two", 3...5), ("Three", 6...6)] {
        try WrittenFeed(
          pages: [numbers.map { WrittenFeed.Item($0) }], title: name, path: "/\(name)"
        ).serve(by: feed)
      }
    }

    @Test func theSecondFeedGetsAFolderBesideTheFirst() throws {
      try add("One")
      try feed.mountSubscriptions()
      let alone = try facts(["0001.mp4", "0002.mp4", "by-title", "playlist.m3u8", ".feedfs"])
      var open: MountedFile? = try MountedFile(path("0002.mp4"))
      let playlist = try feed.bytes(of: path("playlist.m3u8"))

      let told = try add("Two")
      #expect(told.contains(path("Two")))
      #expect(try feed.names().sorted() == ["0001.mp4", "0002.mp4", "Two"] + views)
      #expect(
        try feed.names(in: "Two").sorted() == ["0001.mp4", "0002.mp4", "0003.mp4"] + views)
      #expect(try feed.bytes(of: path("Two/0003.mp4")) == truth(5))
      #expect(try open?.read(0..<1000) == Array(truth(2)[..<1000]))
      open = nil
      #expect(try facts(Array(alone.keys)) == alone)
      #expect(try feed.bytes(of: path("playlist.m3u8")) == playlist)
      #expect(try feed.names(in: "by-title").count == 2)
      #expect(try feed.names(in: ".feedfs").sorted() == ["feed.json", "status.json"])
      #expect(try feed.status().files.map(\.name).sorted().contains("Two/0002.mp4"))

      // So it is after a restart, in whatever order the file has them.
      let both = try facts(["Two/0001.mp4", "Two"])
      try feed.unmount()
      try write(["Two", "One"])
      try feed.mountSubscriptions()
      #expect(try facts(Array(alone.keys)) == alone)
      #expect(try facts(["Two/0001.mp4", "Two"]) == both)
    }

    /// No folder has a name that a file of a listing at the root may get later.
    @Test func aFolderHidesNoFileOfAListing() throws {
      try feed.origin.put(
        "<title>Index of /v/</title><pre><a href=\"../\">../</a>\n<a href=\"a.mp4\">a.mp4</a></pre>",
        at: "/v/", type: "text/html")
      try WrittenFeed(pages: [[WrittenFeed.Item(7)]], title: "b.mp4", path: "/b").serve(by: feed)
      try add("v/")
      try feed.mountSubscriptions()
      try add("b")
      #expect(try feed.names().sorted() == ["a.mp4", "b.mp4 (2)", "playlist.m3u8"])
    }

    @Test func aFeedThatIsRemovedGoesWhenNothingOfItIsOpen() throws {
      for name in ["One", "Two"] { try add(name) }
      try feed.mountSubscriptions()
      #expect(try feed.names().sorted() == ["One", "Two"])
      #expect(eventually { (try? feed.names(in: "Two").contains("0002.mp4")) ?? false })
      let before = try facts(["Two/0001.mp4"])
      _ = try feed.bytes(of: path("Two/0002.mp4"))
      var open: MountedFile? = try MountedFile(path("Two/0001.mp4"))
      _ = try open?.read(0..<1000)

      #expect(try said("feed", "remove", feed.origin.url("/Two")).contains(path("Two")))
      #expect(try feed.status().feeds.map(\.leaving) == [nil, true])
      #expect(try open?.read(200_000..<201_000) == Array(truth(3)[200_000..<201_000]))
      #expect(try feed.names().sorted() == ["One", "Two"])
      open = nil
      #expect(try eventually { try feed.names() == ["One"] })
      #expect(try eventually { try feed.failure(ofReading: path("Two/0002.mp4")) == ENOENT })
      #expect(try eventually { try feed.status().feeds.count == 1 })

      // Its cache stays, and it comes back as it was.
      try feed.origin.reset()
      try add("Two")
      #expect(try facts(["Two/0001.mp4"]) == before)
      #expect(try feed.bytes(of: path("Two/0002.mp4")) == truth(4))
      #expect(try feed.mediaRequests().isEmpty)
    }

    @Test func theFeedAtTheRootGoesAndComesBackToIt() throws {
      for name in ["One"] { try add(name) }
      try feed.mountSubscriptions()
      let before = try facts(["0001.mp4", "by-title"])
      for name in ["Two", "Three"] { try add(name) }
      _ = try said("feed", "remove", feed.origin.url("/One"))
      #expect(try eventually { try feed.names().sorted() == ["Three", "Two"] })
      #expect(try eventually { try feed.failure(ofReading: path("0001.mp4")) == ENOENT })
      let folders = try facts(["Two/0001.mp4", "Three/0001.mp4"])
      try feed.unmount()
      try feed.mountSubscriptions()
      #expect(try feed.names().sorted() == ["Three", "Two"])
      try add("One")
      #expect(try facts(["0001.mp4", "by-title"]) == before)
      #expect(try facts(["Two/0001.mp4", "Three/0001.mp4"]) == folders)
    }

    /// Editors write the file, or put another one in its place.
    @Test func theFileIsWatched() throws {
      try add("One")
      try feed.mountSubscriptions()
      let before = try facts(["0001.mp4"])
      try write(["One", "Two"])
      #expect(try eventually { try feed.names().contains("Two") })
      let two = try facts(["Two/0001.mp4"])
      let open = try MountedFile(path("Two/0001.mp4"))
      try write(["One", "Two"], replacing: true, names: ["Two": "talks"])
      #expect(try eventually { try feed.names().contains("talks") })
      #expect(try !feed.names().contains("Two"))
      #expect(try facts(["talks/0001.mp4"]).values.map(\.inode) == two.values.map(\.inode))
      #expect(try open.read(0..<1000) == Array(truth(3)[..<1000]))
      #expect(try facts(["0001.mp4"]) == before)
    }

    /// The command has read the file, and waits for a feed; the watch has not begun.
    @Test func aChangeBeforeTheWatchBeginsIsSeen() throws {
      try add("One")
      try feed.origin.reset()
      try feed.origin.fault(.slowhead, below: "/One", times: 1, ["value": "3000"])
      let start = DispatchQueue(label: "start")
      let ended = Mutex<Result<Void, any Error>?>(nil)
      start.async { [feed] in
        let result = Result { try feed.mountSubscriptions() }
        ended.withLock { $0 = result }
      }
      try feed.origin.wait(requests: 1, below: "/One")
      try write(["One", "Two"])
      start.sync {}
      try ended.withLock { $0 }?.get()
      #expect(try eventually { try feed.names().contains("Two") })
    }

    @Test func rulesHoldAtOnceAndAreTakenBackAtOnce() throws {
      try add("Two")
      try feed.mountSubscriptions()
      let before = try facts(["0001.mp4", "0002.mp4", "0003.mp4"])
      var open: MountedFile? = try MountedFile(path("0001.mp4"))
      _ = try open?.read(0..<1000)
      #expect(try said("cache", "pin", path("0002.mp4")).hasPrefix("pinned"))

      // A rule that leaves out everything: what is open or pinned stays.
      try write(["Two"], more: "skip = '/./'\n")
      #expect(try eventually { try feed.entries() == [1, 2] })
      #expect(try open?.read(200_000..<201_000) == Array(truth(3)[200_000..<201_000]))
      open = nil
      #expect(try eventually { try feed.entries() == [2] })
      _ = try said("cache", "unpin", path("0002.mp4"))
      #expect(try eventually { try feed.entries() == [] })
      #expect(try feed.status().feeds[0].leftOut == 3)
      #expect(try feed.names(in: "new") == [])

      // A mistake leaves the rules in force.
      try write(["Two"], more: "skip = '/(/'\n")
      #expect(
        try eventually { try feed.status().subscriptions?.contains("missing closing") == true })
      #expect(try feed.entries() == [])
      try write(["Two"])
      #expect(try eventually { try feed.entries() == [1, 2, 3] })
      #expect(try facts(Array(before.keys)) == before)
      #expect(try feed.status().feeds[0].leftOut == nil)
      #expect(try feed.bytes(of: path("0003.mp4")) == truth(5))
      try write(["Two"], more: "newest = 1\n")
      #expect(try eventually { try feed.entries() == [1] })
    }

    @Test func aFileThatIsWrongLeavesTheOldSubscriptionsInForce() throws {
      try add("One")
      try feed.mountSubscriptions()
      for text in ["[[feed]]\nurl = 1\n", "[[feed]\n", nil] {
        try write(["One", "Two"])
        #expect(try eventually { try feed.status().feeds.count == 2 })
        try write(text: text)
        #expect(try eventually { try feed.status().subscriptions != nil })
        #expect(try feed.status().subscriptions?.contains("config.toml") == true)
        #expect(try feed.names().contains("0001.mp4") && feed.names().contains("Two"))
      }
      try write(["One"])
      #expect(try eventually { try !feed.names().contains("Two") })
      #expect(try feed.status().subscriptions == nil)
    }

    @Test func aFeedThatDoesNotAnswerAndAListComeToo() throws {
      try add("One")
      try feed.mountSubscriptions()
      let outlines = ["Two", "Three"].map {
        "<outline type=\"rss\" xmlUrl=\"\(feed.origin.url("/\($0)"))\"/>"
      }
      try feed.origin.put(
        "<opml version=\"2.0\"><body>\(outlines.joined())</body></opml>", at: "/list",
        type: "text/x-opml")
      try write(
        text: """
          [[feed]]
          url = "\(feed.origin.url("/One"))"
          [[feed]]
          url = "\(feed.origin.url("/list"))"
          [[feed]]
          url = "http://127.0.0.1:9/feed"
          name = "dead"
          """)
      #expect(try eventually { Set(try feed.names()).isSuperset(of: ["Two", "Three", "dead"]) })
      #expect(try feed.status().feeds.contains { $0.folder == "dead" && $0.refreshed == nil })
      #expect(try feed.bytes(of: path("Three/0001.mp4")) == truth(6))
    }

    /// The mount was made for one feed: what the user subscribes to is another matter.
    @Test func aMountOfCertainFeedsStaysAsItIs() throws {
      try feed.mount("/One")
      let told = try add("Two")
      #expect(!told.contains(feed.mountPoint))
      #expect(try feed.names().sorted() == ["0001.mp4", "0002.mp4"] + views)
    }

    // MARK: Parts

    @discardableResult
    private func add(_ name: String) throws -> String {
      try said("feed", "add", feed.origin.url("/\(name)"))
    }

    private func said(_ arguments: String...) throws -> String {
      let outcome = try feed.feedfs(arguments)
      #expect(outcome.status == 0, "\(outcome.err)")
      return outcome.out
    }

    private func path(_ name: String) -> String { feed.mountPoint + "/" + name }

    private func facts(_ names: [String]) throws -> [String: FileFacts] {
      try Dictionary(
        uniqueKeysWithValues: names.map { ($0, try feed.look(at: path($0)).inodeAlone) })
    }

    private func truth(_ number: Int) -> [UInt8] {
      let file = WrittenFeed.Item(number).file
      return Pattern.bytes(0..<file.size, seed: file.seed)
    }

    /// Writes the configuration as an editor does.
    private func write(
      _ feeds: [String], replacing: Bool = false, names: [String: String] = [:],
      more: String = ""
    ) throws {
      let text = feeds.map { name in
        "[[feed]]\nurl = \"\(feed.origin.url("/\(name)"))\"\n"
          + (names[name].map { "name = \"\($0)\"\n" } ?? "")
      }.joined()
      try write(text: text + more, replacing: replacing)
    }

    private func write(text: String?, replacing: Bool = false) throws {
      let place = replacing ? configuration + "~" : configuration
      guard let text else { return _ = try ChildProcess.run(["rm", configuration]) }
      _ = try ChildProcess.run(
        ["sh", "-c", "printf %s \"$1\" >\"$2\"; chmod 600 \"$2\"", "sh", text, place])
      if replacing { try #require(rename(place, configuration) == 0) }
    }
  }
}

extension FileFacts {
  /// The facts that stay whatever is known of a size.
  fileprivate var inodeAlone: FileFacts { FileFacts(inode: inode, size: 0, isFolder: isFolder) }
}
