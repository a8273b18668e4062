import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Several feeds in one mount.
  @Suite(.serialized, .timeLimit(.minutes(3))) struct FeedSetTests {
    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try serve(by: feed)
      return feed
    }

    private func feed() throws -> MountedFeed {
      let feed = try MountedFeed()
      try serve(by: feed)
      return feed
    }

    private func serve(by feed: any Drive) throws {
      for (name, numbers) in [("one", 1...2), ("two", 3...5)] {
        try WrittenFeed(
          pages: [numbers.map { WrittenFeed.Item($0) }], title: "Feed \(name)", path: "/\(name)"
        ).serve(by: feed)
      }
    }

    @Test(arguments: DriveKind.all)
    func eachOfSeveralFeedsHasAFolderWithInodesOfItsOwn(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/one", options: ["--feed", feed.origin.url("/two")])
      #expect(try feed.names().sorted() == ["Feed one", "Feed two"])
      #expect(
        try feed.names(in: "Feed two").sorted() == [
          "0001.mp4", "0002.mp4", "0003.mp4", "by-title", "new", "playlist.m3u8", "started",
        ])
      #expect(try feed.bytes(of: feed.mountPoint + "/Feed two/0002.mp4") == truth(4))
      let inodes = try inodes(of: feed)
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
      #expect(Set(inodes).isSubset(of: try self.inodes(of: feed)))
    }

    /// Each of the mounts would give the next number to another entry.
    @Test func theSameFeedIsNotMountedTwiceAlsoWithAnotherCache() throws {
      let feed = try feed()
      try feed.mount("/one")
      let other = feed.folder + "/other"
      try #require(mkdir(other, 0o700) == 0)
      let outcome = try feed.feedfs(
        "mount", other, "--feed", feed.origin.url("/one"), "--cache-dir", feed.folder + "/cache2")
      #expect(outcome.status == 75, "\(outcome.err)")
    }

    /// The host is private: the user typed it for one feed, and the other feed is a stranger's.
    @Test(arguments: DriveKind.all)
    func whatWasTypedForOneFeedIsNotForAnother(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      let stranger = feed.origin.url("/two").replacing("127.0.0.1", with: "localhost")
      try feed.mount("/one", options: ["--feed", stranger])
      #expect(try feed.bytes(of: feed.mountPoint + "/Feed one/0001.mp4") == truth(1))
      try feed.settle()
      try feed.origin.reset()
      #expect(try feed.failure(ofReading: feed.mountPoint + "/Feed two/0001.mp4") != 0)
      #expect(try feed.mediaRequests().isEmpty)
    }

    @Test func userNameAndPasswordGoToWhatLiesBesideTheirFeedAndNowhereElse() throws {
      let feed = try feed()
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
      let feed = try feed()
      let file = feed.folder + "/a, allow_other.m3u"
      _ = try ChildProcess.run(
        ["sh", "-c", "printf %s \"$1\" >\"$2\"", "sh", "#EXTM3U\nhttp://127.0.0.1:9/a.mp4\n", file])
      let outcome = try feed.feedfs("mount", feed.mountPoint, "--feed", file)
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(try feed.names().contains("0001.mp4"))
      #expect(try feed.feedfs("unmount", feed.mountPoint).status == 0)
    }

    @Test(arguments: DriveKind.all)
    func aNewcomerOfTheSameTitleTakesNoFolderAway(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount("/one", options: ["--feed", feed.origin.url("/two")])
      let inodes = try inodes(of: feed)
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
      #expect(try feed.names(in: "Feed one").contains("0002.mp4"))
      #expect(try feed.names(in: "Feed one (2)").count == 5)
      #expect(Set(inodes).isSubset(of: try self.inodes(of: feed)))
    }

    /// Twenty feeds, three of them dead: one refuses, one is not there, one never answers.
    @Test(arguments: DriveKind.all)
    func aListIsMountedThoughSomeOfItsFeedsAreDead(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
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
      #expect(start < .seconds(8).here)
      #expect(try feed.names().count == 20)
      #expect(
        try feed.names(in: "Number 7").sorted() == [
          "0001.mp4", "by-title", "new", "playlist.m3u8", "started",
        ])
      #expect(try eventually { try feed.status().feeds.count { $0.error != nil } >= 2 })
      #expect(try feed.status().feeds.count { $0.refreshed == nil } == 3)
      try feed.unmount()

      // Again without any network.
      feed.origin.stop()
      let again = try measured { try feed.mount("/list") }
      print("again without a network: \(again)")
      #expect(
        try feed.names(in: "Number 7").sorted() == [
          "0001.mp4", "by-title", "new", "playlist.m3u8", "started",
        ])
    }

    /// The bytes of an item with this number.
    private func truth(_ number: Int) -> [UInt8] {
      let file = WrittenFeed.Item(number).file
      return Pattern.bytes(0..<file.size, seed: file.seed)
    }

    /// The inodes of everything in the mount but what is about the mount itself.
    private func inodes(of feed: any Drive) throws -> [String] {
      var found = ["\(try feed.look(at: feed.mountPoint).inode)"]
      var folders = [""]
      while let folder = folders.popLast() {
        for name in try feed.names(in: folder) {
          let path = folder.isEmpty ? name : folder + "/" + name
          let facts = try feed.look(at: feed.mountPoint + "/" + path)
          found.append("\(facts.inode)")
          // Both show links of `by-title`.
          let isView = ["new", "started"].contains(name)
          if facts.isFolder, !isView { folders.append(path) }
        }
      }
      return found
    }
  }
}
