import Control
import TestSupport
import Testing

extension Promises {
  /// Rules, names of their own and `keep` on one feed, in one mount.
  @Suite(.timeLimit(.minutes(2)), .enabled(if: canMount)) struct KeptNamesTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try serve(1...5)
    }

    private func serve(_ numbers: ClosedRange<Int>) throws {
      try WrittenFeed(pages: [numbers.map { WrittenFeed.Item($0) }]).serve(by: feed)
    }

    private func subscribe(_ lines: String...) throws {
      let own = ["url = \"\(feed.origin.url("/written"))\"", "names = \"title\""]
      let text = "[[feed]]\n" + (own + lines).map { $0 + "\n" }.joined()
      let script =
        "mkdir -p \"$2\"; cd \"$2\"; printf %s \"$1\" >config.toml; chmod 600 config.toml"
      _ = try ChildProcess.run(["sh", "-c", script, "sh", text, feed.folder + "/.config/feedfs"])
    }

    private func names() throws -> [String] {
      try feed.names(in: "").filter { $0.hasSuffix(".mp4") }.sorted()
    }

    private func item(_ numbers: Int...) -> [String] { numbers.map { "Item \($0).mp4" } }

    /// The names of the files that are kept, and of those that are complete.
    private func files() throws -> (kept: [String], complete: [String]) {
      let files = try feed.status().files.sorted { $0.name < $1.name }
      return (
        files.filter { $0.kept == true }.map(\.name),
        files.filter { $0.state == .complete }.map(\.name)
      )
    }

    private func inodes() throws -> [String: UInt64] {
      let pairs = try names().map { ($0, try feed.look(at: feed.mountPoint + "/" + $0).inode) }
      return Dictionary(pairs) { first, _ in first }
    }

    @Test func namesStayKeptEntriesObeyTheRulesAndARuleTakenBackBringsTheNameBack() throws {
      try subscribe("keep = 2")
      try feed.mountSubscriptions()
      #expect(try eventually { try files() == (item(1, 2), item(1, 2)) })
      let all = try inodes()
      #expect(all.keys.sorted() == item(1, 2, 3, 4, 5))

      // The rule comes first: the next one is kept instead.
      try subscribe("keep = 2", "skip = \"item 2\"")
      #expect(try eventually { try names() == item(1, 3, 4, 5) })
      #expect(try eventually { try files() == (item(1, 3), item(1, 3)) })
      #expect(try inodes() == all.filter { $0.key != "Item 2.mp4" })

      // A new entry wants the name of one that is left out, and does not get it.
      var again = WrittenFeed.Item(0)
      again.title = "Item 2"
      again.media = "/pattern/again.mp4"
      let other = Pattern.bytes(0..<9000, seed: 1)
      try feed.origin.put(other, at: "/pattern/again.mp4", type: "video/mp4")
      var items = [again]
      for number in 1...5 { items.append(WrittenFeed.Item(number)) }
      try WrittenFeed(pages: [items]).serve(by: feed)
      _ = try feed.feedfs("feed", "refresh", feed.mountPoint)
      try feed.origin.reset()
      try subscribe("keep = 2")
      let second = "Item 2 (2).mp4"
      #expect(try eventually { try names() == (item(1, 2, 3, 4, 5) + [second]).sorted() })
      #expect(try eventually { try files().kept == (item(1) + [second]).sorted() })
      #expect(try eventually { try files().complete.contains(second) })
      #expect(try inodes().filter { $0.key != second } == all)
      // Its bytes stayed in the cache, and nobody played what is no longer kept.
      #expect(try files().complete == (item(1, 2, 3) + [second]).sorted())
      try feed.settle()
      #expect(try feed.mediaRequests().allSatisfy { $0.path == "/pattern/again.mp4" })

      // So it is after a kill.
      let before = try inodes()
      try feed.kill()
      try feed.mountSubscriptions()
      #expect(try inodes() == before)
      #expect(try eventually { try files().kept == (item(1) + [second]).sorted() })
    }
  }
}
