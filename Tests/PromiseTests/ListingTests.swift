import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A listing shows each name once; a look at a head costs little.
  @Suite(.timeLimit(.minutes(3))) struct ListingTests {
    @Test(arguments: DriveKind.all)
    func everyNameIsListedOnceWhileTheFeedGrows(on drive: DriveKind) throws {
      let feed = try drive.drive()
      try feed.serveItems(1...2_000)
      try feed.mount(options: ["--refresh", "1"])
      let listing = try feed.openFolder(feed.mountPoint)
      var names = try listing.next(100)

      // New entries at the top, as usual in feeds, and one in the middle.
      try feed.serveItems(Array(3_000...3_009) + Array(1...1_000) + [4_000] + Array(1_001...2_000))
      try #require(try eventually { try feed.status().files.count == 2_011 })
      names += try listing.next(.max)

      let entries = names.filter { $0.hasSuffix(".mp4") }
      #expect(Set(entries).count == entries.count)
      let before = (1...2_000).map { feed.path($0).dropFirst(feed.mountPoint.utf8.count + 1) }
      #expect(Set(before.map(String.init)).subtracting(entries).isEmpty)
      #expect(try feed.names().count { $0.hasSuffix(".mp4") } == 2_011)
      #expect(try feed.mediaRequests().isEmpty)
    }

    /// `ls -l` asks for a file's label and for its access list. It asks no more after ENOTSUP.
    @Test(
      arguments: DriveKind.all,
      [("security.selinux", ENOTSUP), ("system.posix_acl_access", ENOTSUP), ("user.x", ENODATA)])
    func aListingNeedNotAskForOtherAttributesOfEachFile(
      on drive: DriveKind, attribute: (name: String, errno: Int32)
    ) throws {
      let feed = try drive.drive()
      try feed.serveItems(1...2)
      try feed.mount()
      for path in [feed.path(1), feed.mountPoint] {
        let failure = #expect(throws: ReadFailure.self) {
          try feed.attribute(attribute.name, of: path)
        }
        #expect(failure?.errno == attribute.errno)
      }
    }

    /// A program is known by the name of its file.
    @Test(arguments: zip(["ffprobe", "head"], [Figure.lookedFetch, .firstFetch]))
    func aProgramThatLooksAtAFilmGetsItsHeadInOneRequest(_ program: String, fetch: Figure) throws {
      let feed = try MountedFeed()
      try feed.mount("/synthetic.xml?entries=1&size=\(64 << 20)")
      let looker = "\(feed.folder)/\(program)"
      _ = try ChildProcess.run(["ln", "-s", "/usr/bin/head", looker])
      let outcome = try ChildProcess.run([looker, "-c", "1", feed.path(1)])
      #expect(outcome.status == 0, "\(outcome.err)")
      try feed.settle()
      let asked = try feed.origin.log(below: "/pattern/")
      #expect(asked.map(\.range) == ["bytes=0-\(fetch.bytes - 1)"])
    }

    @Test func aProgramThatOpensAFilmTwiceFindsTheFetchOfItsFirstOpen() throws {
      let feed = try MountedFeed()
      try feed.origin.network(latency: .milliseconds(30), rate: 5_000_000)
      try feed.mount("/synthetic.xml?entries=1&size=\(64 << 20)")
      try feed.openTwice(feed.path(1))
      try feed.settle()
      let asked = try feed.origin.log(below: "/pattern/")
      #expect(asked.map(\.range) == ["bytes=0-\(Figure.lookedFetch.bytes - 1)"])
    }

    @Test(.enabled(if: isInstalled("file"), "file(1) is not installed"))
    func lookingAtFiftyHeadsIsCheap() throws {
      let feed = try MountedFeed()
      try feed.mount("/synthetic.xml?entries=50&size=\(64 << 20)")
      let outcome = try ChildProcess.run(["sh", "-c", "file \"$1\"/*.mp4", "sh", feed.mountPoint])
      #expect(outcome.status == 0)
      #expect(outcome.out.split(separator: "\n").count == 50)
      try feed.settle()
      let totals = try feed.origin.statistics().paths.filter { $0.key.hasPrefix("/pattern/") }
      #expect(totals.count == 50)
      print("file: \(totals.values.map(\.requests).max() ?? 0) requests, at most,")
      print("and \((totals.values.map(\.bytesSent).max() ?? 0) >> 10) KiB of a file")
      let most = Figure.headRequests.count
      #expect(totals.values.allSatisfy { $0.requests <= most && $0.bytesSent <= 2 << 20 })
    }
  }
}

extension Drive {
  /// Serves a feed of entries with these numbers, in this order.
  fileprivate func serveItems(_ numbers: some Sequence<Int>) throws {
    try serve(numbers.map { PatternFile(name: "item\($0)", size: 1 << 20) })
  }
}
