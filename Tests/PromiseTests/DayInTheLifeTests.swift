import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A mounted feed through its life: it grows, shrinks, is reordered and corrected.
  @Suite(.serialized, .timeLimit(.minutes(2)), .enabled(if: canMount))
  struct DayInTheLifeTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
    }

    @Test func namesInodesAndTimesStayWhateverBecomesOfTheFeed() throws {
      var written = WrittenFeed(pages: Self.pages(Array(1...12).map { WrittenFeed.Item($0) }))
      try written.serve(by: feed)
      try feed.mount(written.path, options: ["--refresh", "1"])
      let watch = try ChildProcess([
        "sh", "-c", "while ls \"$1\"; do echo --; done", "sh", feed.mountPoint,
      ])
      defer { watch.killGroup() }

      // Playing the last three entries of each page brings the next page.
      for number in [4, 7, 8, 10, 11, 12] {
        try #require(eventually { access(feed.path(number), F_OK) == 0 })
        _ = try feed.digest(of: feed.path(number))
      }
      var known = try facts()
      #expect(known.keys.sorted() == Array(1...12).map { feed.name($0) })
      let player = try ChildProcess(
        ["sh", "-c", "exec 3<\"$1\"; read -r line; sha256sum <&3", "sh", feed.path(2)],
        keepsInputOpen: true)
      let truth = try feed.truth(of: WrittenFeed.Item(2).file)

      // Five new entries at the top.
      var items = (21...25).map { WrittenFeed.Item($0 - 26) } + written.pages.flatMap(\.self)
      written.pages = Self.pages(items)
      try written.serve(by: feed)
      try #require(try eventually { try feed.entries().count == 17 })
      try expect(known, in: facts())
      #expect(
        try Array(feed.playlist().prefix(6)) == [13, 14, 15, 16, 17, 1].map { feed.name($0) })
      known = try facts()

      // Two entries from the middle go: one of the first page, one of the second.
      items.removeAll { ["item-3", "item-6"].contains($0.id) }
      written.pages = Self.pages(items)
      try written.serve(by: feed)
      try #require(try eventually { try feed.entries().count == 15 })
      for number in [3, 6] { known[feed.name(number)] = nil }
      try expect(known, in: facts())

      // Another order, another token, another id.
      items.swapAt(6, 9)
      for index in items.indices where items[index].id == "item-5" {
        items[index].token = "&token=2"
      }
      for index in items.indices where items[index].id == "item-7" { items[index].id = "renamed" }
      written.pages = Self.pages(items)
      try written.serve(by: feed)
      let order = items.map { item in Self.number(of: item).map { feed.name($0) } ?? "" }
      try #require(try eventually { try feed.playlist() == order })
      try expect(known, in: facts())
      #expect(try facts().count == known.count)
      _ = try feed.digest(of: feed.path(5))
      let asked = try feed.origin.log().map(\.target).filter { $0.contains("Item5.") }
      #expect(asked.contains { $0.contains("token=2") }, "\(asked)")

      // The file that was open all the time.
      try player.write("\n")
      #expect(player.wait(timeout: .seconds(20)) == 0)
      #expect(player.output.text.hasPrefix(truth))
      #expect(watch.isRunning && watch.errors.text.isEmpty)
      watch.killGroup()
      #expect(watch.output.waitForEnd(timeout: .seconds(10)))
      let listings = watch.output.text.split(separator: "--\n").dropLast()
        .map { $0.split(separator: "\n").map(String.init) }
      print("listings while the feed changed: \(listings.count)")
      for listing in listings {
        #expect(Set(listing).count == listing.count)
        #expect(Set([1, 2, 4].map { feed.name($0) }).isSubset(of: listing))
      }

      // The next morning, without a network. The last `ls` may hold the folder for a moment.
      #expect(eventually { (try? feed.unmount()) != nil })
      feed.origin.stop()
      try feed.mount(written.path)
      try expect(known, in: facts())
      #expect(try facts().count == known.count)
      #expect(try feed.playlist() == order)
    }

    /// Inode and modification time of each file, by name.
    private func facts() throws -> [String: String] {
      let outcome = try ChildProcess.run([
        "find", feed.mountPoint, "-maxdepth", "1", "-name", "*.mp4", "-printf", "%f %i %T@\n",
      ])
      let lines = outcome.out.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
      return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), String($0[1])) })
    }

    private func expect(_ known: [String: String], in now: [String: String]) throws {
      for (name, facts) in known { #expect(now[name] == facts, "\(name)") }
    }

    /// Splits the items into pages of four.
    private static func pages(_ items: [WrittenFeed.Item]) -> [[WrittenFeed.Item]] {
      stride(from: 0, to: items.count, by: 4).map { Array(items[$0..<min($0 + 4, items.count)]) }
    }

    /// The number that an item got, derived from its title.
    private static func number(of item: WrittenFeed.Item) -> Int? {
      guard let number = Int(item.title.dropFirst("Item ".count)) else { return nil }
      return number > 0 ? number : number + 5 + 13
    }
  }
}
