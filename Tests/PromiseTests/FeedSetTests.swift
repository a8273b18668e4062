import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Several feeds in one mount.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct FeedSetTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      for (name, numbers) in [("one", 1...2), ("two", 3...5)] {
        try WrittenFeed(
          pages: [numbers.map { WrittenFeed.Item($0) }], title: "Feed \(name)", path: "/\(name)"
        ).serve(by: feed)
      }
    }

    @Test func eachOfSeveralFeedsHasAFolderWithInodesOfItsOwn() throws {
      try feed.mount("/one", options: ["--feed", feed.origin.url("/two")])
      #expect(try feed.names().sorted() == ["Feed one", "Feed two"])
      #expect(
        try list("Feed two") == ["0001.mp4", "0002.mp4", "0003.mp4", "by-title", "playlist.m3u8"])
      let truth = try feed.truth(of: WrittenFeed.Item(4).file)
      #expect(try feed.digest(of: feed.mountPoint + "/Feed two/0002.mp4") == truth)
      let inodes = try inodes()
      #expect(Set(inodes).count == inodes.count)
      #expect(try feed.status().files.map(\.name).contains("Feed two/0003.mp4"))
      try feed.unmount()

      // One feed more, and one with a new title: names and inodes stay.
      try WrittenFeed(
        pages: [(1...2).map { WrittenFeed.Item($0) }], title: "Another title", path: "/one"
      ).serve(by: feed)
      try feed.mount(
        "/two", options: ["--feed", feed.origin.url("/one"), "--feed", feed.origin.url("/feed")])
      #expect(Set(try feed.names()).isSuperset(of: ["Feed one", "Feed two"]))
      #expect(Set(inodes).isSubset(of: try self.inodes()))
    }

    /// Each of the mounts would give the next number to another entry.
    @Test func theSameFeedIsNotMountedTwiceAlsoWithAnotherCache() throws {
      try feed.mount("/one")
      let other = feed.folder + "/other"
      try #require(mkdir(other, 0o700) == 0)
      let outcome = try feed.feedfs(
        "mount", other, "--feed", feed.origin.url("/one"), "--cache-dir", feed.folder + "/cache2")
      #expect(outcome.status == 75, "\(outcome.err)")
    }

    /// The host is private: the user typed it for one feed, and the other feed is a stranger's.
    @Test func whatWasTypedForOneFeedIsNotForAnother() throws {
      let stranger = feed.origin.url("/two").replacing("127.0.0.1", with: "localhost")
      try feed.mount("/one", options: ["--feed", stranger])
      let own = try feed.truth(of: WrittenFeed.Item(1).file)
      #expect(try feed.digest(of: feed.mountPoint + "/Feed one/0001.mp4") == own)
      try feed.origin.reset()
      let other = try ChildProcess.run(["cat", feed.mountPoint + "/Feed two/0001.mp4"])
      #expect(other.status != 0 && other.out.isEmpty)
      #expect(try feed.mediaRequests().isEmpty)
    }

    @Test func userNameAndPasswordGoToWhatLiesBesideTheirFeedAndNowhereElse() throws {
      let url = feed.origin.url("/one").replacing("://", with: "://me:secret@")
      let other = feed.origin.url("/two")
      let child = try feed.feedfs("mount", feed.mountPoint, "--feed", url, "--feed", other)
      #expect(child.status == 0, "\(child.err)")
      for name in ["one", "two"] {
        _ = try feed.digest(of: feed.mountPoint + "/Feed \(name)/0001.mp4")
      }
      let requests = try feed.origin.log()
      for request in requests {
        let isOwn = request.path == "/one" || request.path.contains("Item1")
        #expect((request.headers["authorization"] != nil) == isOwn, "\(request.target)")
      }
      #expect(requests.contains { $0.path.contains("Item1") })
      #expect(try feed.feedfs("unmount", feed.mountPoint).status == 0)
    }

    @Test func aFileWithACommaInItsNameIsMounted() throws {
      let file = feed.folder + "/a, allow_other.m3u"
      _ = try ChildProcess.run(
        ["sh", "-c", "printf %s \"$1\" >\"$2\"", "sh", "#EXTM3U\nhttp://127.0.0.1:9/a.mp4\n", file])
      let outcome = try feed.feedfs("mount", feed.mountPoint, "--feed", file)
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(try feed.names().contains("0001.mp4"))
      #expect(try feed.feedfs("unmount", feed.mountPoint).status == 0)
    }

    @Test func aNewcomerOfTheSameTitleTakesNoFolderAway() throws {
      try feed.mount("/one", options: ["--feed", feed.origin.url("/two")])
      let inodes = try inodes()
      try feed.unmount()
      try WrittenFeed(pages: [[WrittenFeed.Item(9)]], title: "Feed one", path: "/new")
        .serve(by: feed)
      // Mounted alone first: among others, the mount waits only briefly for it and would name it by
      // its host.
      try feed.mount("/new")
      try feed.unmount()
      try feed.mount(
        "/new", options: ["--feed", feed.origin.url("/two"), "--feed", feed.origin.url("/one")])
      #expect(try feed.names().sorted() == ["Feed one", "Feed one (2)", "Feed two"])
      #expect(try list("Feed one").contains("0002.mp4") && list("Feed one (2)").count == 3)
      #expect(Set(inodes).isSubset(of: try self.inodes()))
    }

    /// Twenty feeds, three of them dead: one refuses, one is not there, one never answers.
    @Test func aListIsMountedThoughSomeOfItsFeedsAreDead() throws {
      for number in 1...17 {
        try WrittenFeed(
          pages: [[WrittenFeed.Item(number)]], title: "Number \(number)", path: "/list-\(number)"
        ).serve(by: feed)
      }
      try feed.origin.put("", at: "/silent", type: "text/plain")
      try feed.origin.fault(.stall, below: "/silent")
      let dead = ["http://127.0.0.1:9/feed", feed.origin.url("/gone"), feed.origin.url("/silent")]
      let outlines = ((1...17).map { feed.origin.url("/list-\($0)") } + dead).map {
        "<outline type=\"rss\" xmlUrl=\"\($0)\"/>"
      }
      let opml = "<opml version=\"2.0\"><body>\(outlines.joined())</body></opml>"
      try feed.origin.put(opml, at: "/list", type: "text/x-opml")

      let start = try measured { try feed.mount("/list") }
      print("20 feeds, 3 dead: \(start)")
      // The mount does not wait for a silent feed.
      #expect(start < .seconds(8))
      #expect(try feed.names().count == 20)
      #expect(try list("Number 7") == ["0001.mp4", "by-title", "playlist.m3u8"])
      #expect(try eventually { try feed.status().feeds.count { $0.error != nil } >= 2 })
      #expect(try feed.status().feeds.count { $0.refreshed == nil } == 3)
      try feed.unmount()

      // Again without any network.
      feed.origin.stop()
      let again = try measured { try feed.mount("/list") }
      print("again without a network: \(again)")
      #expect(try list("Number 7") == ["0001.mp4", "by-title", "playlist.m3u8"])
    }

    private func list(_ folder: String) throws -> [String] {
      let outcome = try ChildProcess.run(["ls", feed.mountPoint + "/" + folder])
      return outcome.out.split(separator: "\n").map(String.init)
    }

    private func inodes() throws -> [String] {
      let outcome = try ChildProcess.run(["find", feed.mountPoint, "-printf", "%i %P\n"])
      return outcome.out.split(separator: "\n").filter { !$0.contains(".feedfs") }
        .map { String($0.prefix { $0 != " " }) }
    }
  }
}
