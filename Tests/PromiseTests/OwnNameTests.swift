import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The files of a listing are called as at their server, and stay so.
  @Suite(.timeLimit(.minutes(2))) struct OwnNameTests {
    private static let films = ["My.Show.S01E01.mp4", "My.Show.S01E02.mp4", "talk.webm"]
    private static let numbers = ["0001.mp4", "0002.mp4", "0003.webm"]
    private static let views = ["by-title", "new", "started"]

    private func put(_ names: [String], on origin: OriginProcess) throws {
      let rows = names.map { "<a href=\"\($0)\">\($0)</a> 2026-05-01 10:00 30000\n" }
      try origin.put(
        "<title>Index of /v/</title><pre><a href=\"../\">../</a>\n\(rows.joined())</pre>",
        at: "/v/",
        type: "text/html")
      for name in names {
        let type = name.hasSuffix(".vtt") ? "text/vtt" : "video/mp4"
        try origin.put(truth(name), at: "/v/\(name)", type: type)
      }
    }

    private func truth(_ name: String) -> [UInt8] {
      Pattern.bytes(0..<30_000, seed: UInt64(name.utf8.reduce(0) { $0 * 7 + Int($1) }))
    }

    private func names(_ feed: any Drive) throws -> [String] {
      try feed.names(in: "").filter { $0 != "playlist.m3u8" }.sorted()
    }

    private func mounted(_ options: [String] = [], on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try put(Self.films, on: feed.origin)
      try feed.mount("/v/", options: options)
      return feed
    }

    @Test(arguments: DriveKind.all)
    func aListingsFilesAreFoundOnceUnderTheirOwnNames(on drive: DriveKind) throws {
      let feed = try drive.drive()
      try put(Self.films + ["talk.en.vtt"], on: feed.origin)
      try feed.mount("/v/")
      #expect(try names(feed) == (Self.films + ["talk.en.vtt"]).sorted())
      for missing in ["by-title", "0001.mp4", "my.show.s01e01.mp4", "talk.vtt"] {
        #expect(throws: (any Error).self) { try feed.look(at: "\(feed.mountPoint)/\(missing)") }
      }
      for name in Self.films + ["talk.en.vtt"] {
        #expect(try feed.bytes(of: "\(feed.mountPoint)/\(name)") == truth(name))
      }
      let lines = try feed.text(of: feed.mountPoint + "/playlist.m3u8").split(separator: "\n")
      #expect(lines.filter { !$0.hasPrefix("#") }.map(String.init) == Self.films)
      let document = try feed.text(of: feed.mountPoint + "/.feedfs/feed.json")
      #expect(Self.films.allSatisfy { document.contains("\"name\" : \"\($0)\"") })
    }

    /// Commands mean a file by its name, whatever it is.
    @Test(arguments: DriveKind.all)
    func commandsTakeTheirNames(on drive: DriveKind) throws {
      let feed = try mounted(on: drive)
      #expect(try feed.status().files.map(\.name) == Self.films)
      let details = try feed.details(of: feed.mountPoint + "/talk.webm")
      #expect(details.file.name == "talk.webm" && details.titleName == "talk.webm")
      _ = try feed.change(.pin(["My.Show.S01E02.mp4"]))
      try feed.fetch(["talk.webm"])
      #expect(
        try eventually {
          let kept = try feed.kept().filter { $0.value.cached == 30_000 }.keys.sorted()
          return kept == ["My.Show.S01E02.mp4", "talk.webm"]
        })
    }

    @Test(arguments: DriveKind.all)
    func namesAndInodesStayWhateverComesAndThroughARestart(on drive: DriveKind) throws {
      let feed = try mounted(on: drive)
      func inodes() throws -> [UInt64] {
        try Self.films.map { try feed.look(at: "\(feed.mountPoint)/\($0)").inode }
      }
      let before = try inodes()
      try put(["A.Film.mp4", "MY.SHOW.S01E01.mp4"] + Self.films, on: feed.origin)
      _ = try feed.refresh()
      let all = Self.films + ["A.Film.mp4", "MY.SHOW.S01E01 (2).mp4"]
      #expect(try names(feed) == all.sorted())
      #expect(try inodes() == before)
      try feed.unmount()
      try feed.mount("/v/")
      #expect(try names(feed) == all.sorted())
      #expect(try inodes() == before)
      #expect(
        try feed.bytes(of: feed.mountPoint + "/MY.SHOW.S01E01 (2).mp4")
          == truth("MY.SHOW.S01E01.mp4"))
    }

    /// Pin, cached bytes and inode stay with a file that gets another name. Its earlier name is gone.
    @Test(arguments: DriveKind.all)
    func theUserMayHaveOtherNamesLater(on drive: DriveKind) throws {
      let feed = try mounted(["--names", "number"], on: drive)
      #expect(try names(feed) == Self.numbers + Self.views)
      _ = try feed.change(.pin(["0001.mp4"]))
      #expect(try feed.bytes(of: feed.mountPoint + "/0001.mp4") == truth(Self.films[0]))
      let inode = try feed.look(at: feed.mountPoint + "/0002.mp4").inode
      try feed.unmount()
      try feed.mount("/v/")
      #expect(try names(feed) == Self.numbers + Self.views, "known files keep their names")
      try feed.unmount()

      try feed.mount("/v/", options: ["--names", "origin"])
      #expect(try names(feed) == Self.films)
      #expect(throws: (any Error).self) { try feed.look(at: feed.mountPoint + "/0001.mp4") }
      #expect(try feed.look(at: "\(feed.mountPoint)/\(Self.films[1])").inode == inode)
      #expect(try feed.status().files.first { $0.pinned }?.name == Self.films[0])
      let requests = try feed.origin.log(below: "/v/My.Show.S01E01").count
      #expect(try feed.bytes(of: "\(feed.mountPoint)/\(Self.films[0])") == truth(Self.films[0]))
      #expect(try feed.origin.log(below: "/v/My.Show.S01E01").count == requests)
      try feed.unmount()
      try feed.mount("/v/")
      #expect(try names(feed) == Self.films)
      try feed.unmount()
      try feed.mount("/v/", options: ["--names", "number"])
      #expect(try names(feed) == Self.numbers + Self.views)
    }

    @Test(arguments: DriveKind.all)
    func aFeedsFilesAreCalledByTheirTitlesWhereTheUserSaysSo(on drive: DriveKind) throws {
      let feed = try drive.drive()
      var items = [WrittenFeed.Item(1), WrittenFeed.Item(2)]
      for place in items.indices {
        items[place].media = items[place].file.path
        items[place].title = "../S01E01: \"Caches\""
      }
      try WrittenFeed(pages: [items]).serve(by: feed)
      try feed.mount("/written", options: ["--names", "title"])
      let all = ["⧸S01E01: \"Caches\" (2).mp4", "⧸S01E01: \"Caches\".mp4"]
      #expect(try names(feed) == all)
      #expect(
        try feed.bytes(of: feed.mountPoint + "/" + all[1]) == Pattern.bytes(0..<300_000, seed: 1999)
      )
    }
  }
}
