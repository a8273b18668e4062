import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// New, started, played.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct MarkTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
    }

    private func serve(_ numbers: ClosedRange<Int>) throws {
      var items = numbers.map { WrittenFeed.Item($0) }
      for place in items.indices {
        items[place].size = 4 << 20
        items[place].more = """
          <itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">4</itunes:duration>
          """
      }
      try WrittenFeed(pages: [items]).serve(by: feed)
    }

    /// Reads a part of a file as a program of that name does, and keeps it open for a time.
    private func read(_ path: String, megabytes: Int, as program: String, seconds: Double) throws {
      let copy = feed.folder + "/" + program
      let script =
        "cp /bin/sh \"$0\"; \"$0\" -c 'exec 3<\"$1\"; head -c $2 <&3 >/dev/null; sleep $3' x \"$1\" $2 $3"
      let outcome = try ChildProcess.run(
        ["sh", "-c", script, copy, path, "\(megabytes << 20)", "\(seconds)"])
      #expect(outcome.status == 0, "\(outcome)")
    }

    private func mark(_ number: Int) throws -> String {
      try feed.attribute("user.feedfs.mark", of: feed.path(number))
    }

    private func names(_ folder: String) throws -> [String] {
      try feed.names(in: folder).map {
        try feed.target(ofLink: "\(feed.mountPoint)/\(folder)/\($0)")
      }
      .sorted()
    }

    @Test func whatIsPlayedIsNoLongerNewAndACopyIsNoPlaying() throws {
      try serve(1...4)
      try feed.mount("/written")
      #expect(try (1...4).map { try mark($0) } == ["new", "new", "new", "new"])
      #expect(try names("new") == (1...4).map { "../000\($0).mp4" })
      #expect(try names("started") == [])

      // The file behind the one that plays is fetched ahead, and the kernel may read it by itself.
      try read(feed.path(2), megabytes: 2, as: "mpv", seconds: 0.1)
      try read(feed.path(1), megabytes: 4, as: "mpv", seconds: 3)
      _ = try ChildProcess.run(["cp", feed.path(3), feed.folder + "/copy.mp4"])
      _ = try eventually { try mark(1) == "played" && mark(2) == "started" }
      let marks = try (1...4).map { try mark($0) }
      #expect(marks == ["played", "started", "new", "new"])
      try #require(try eventually { try names("new") == ["../0003.mp4", "../0004.mp4"] })
      #expect(try names("started") == ["../0002.mp4"])
      #expect(try feed.status().files.map(\.mark) == ["played", "started", "new", "new"])
      let document = try feed.text(of: feed.mountPoint + "/.feedfs/feed.json")
      #expect(document.contains("\"mark\" : \"played\""))

      // The marks stay.
      try feed.unmount()
      try feed.mount("/written")
      #expect(try (1...4).map { try mark($0) } == ["played", "started", "new", "new"])
      #expect(try names("started") == ["../0002.mp4"])
      let path = feed.mountPoint + "/new/" + (try #require(try feed.names(in: "new").first))
      #expect(try feed.bytes(of: path).count == 4 << 20)
    }

    @Test func aRefreshNamesWhatCame() throws {
      try serve(3...4)
      try feed.mount("/written")
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).out == "refreshed 1 of 1 feeds\n")
      try serve(1...4)
      #expect(
        try feed.feedfs("feed", "refresh", feed.mountPoint).out
          == "refreshed 1 of 1 feeds\n2 new in Written: \"Item 1\", \"Item 2\"\n")
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).out == "refreshed 1 of 1 feeds\n")
    }
  }
}
