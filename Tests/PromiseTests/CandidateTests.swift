import TestSupport
import Testing

extension Promises {
  /// Entries that have several addresses, or only a web page.
  @Suite(.serialized, .timeLimit(.minutes(3))) struct CandidateTests {
    private let best = PatternFile(name: "best", size: 900_000, seed: 1)
    private let other = PatternFile(name: "other", size: 500_000, seed: 2)

    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try serve([best, other], by: feed)
      return feed
    }

    @Test(arguments: DriveKind.all)
    func theNextCandidateIsPlayedWhereTheFirstIsGone(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.origin.fault(.status, below: "/pattern/best", ["code": "404"])
      let truth = Pattern.bytes(0..<other.size, seed: other.seed)
      try feed.mount("/candidates")
      #expect(try feed.bytes(of: feed.path(1)) == truth)
      try feed.unmount()

      // The second candidate stays chosen, also when the first is back.
      try feed.origin.clear()
      try feed.settle()
      let before = try feed.mediaBytes()
      try feed.mount("/candidates")
      #expect(try feed.bytes(of: feed.path(1)) == truth)
      #expect(try feed.mediaBytes() == before)
    }

    @Test(arguments: DriveKind.all)
    func theNextCandidateIsPlayedWhereTheFirstHasNoRanges(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.origin.fault(.status200, below: "/pattern/best")
      let truth = Pattern.bytes(0..<other.size, seed: other.seed)
      try feed.mount("/candidates")
      #expect(try feed.bytes(of: feed.path(1)) == truth)
    }

    @Test(arguments: DriveKind.all)
    func whereNoneHasRangesTheBestIsReadFromItsBeginning(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      let truth = Pattern.bytes(0..<best.size, seed: best.seed)
      try feed.origin.fault(.status200, below: "/pattern/")
      try feed.mount("/candidates")
      #expect(try feed.bytes(of: feed.path(1)) == truth)
    }

    /// The resolver is a script of the test that records its arguments.
    @Test func aWebPageIsPlayedByWhatTheResolverFindsThere() throws {
      let feed = try MountedFeed()
      let page = "https://video.example/watch?v=1&x=';touch%20\(feed.folder)/hacked"
      try feed.origin.put(
        """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>t</title>
        <item><guid>1</guid><title>One</title><link>\(page.split(separator: "&").joined(separator: "&amp;"))</link>
        <media:content medium="video" duration="61"><media:player url="https://p.example/"/>
        </media:content></item></channel></rss>
        """, at: "/pages", type: "application/rss+xml")
      try feed.mount("/pages")
      // Without a resolver, the page itself would be read.
      #expect(try feed.entries() == [1])
      try feed.unmount()

      let script = feed.folder + "/resolver"
      let text = """
        #!/bin/sh
        echo "$@" >>"\(feed.folder)/asked"
        echo "warning: not an address"
        test $(wc -l <"\(feed.folder)/asked") = 1 && echo '\(feed.origin.url("/gone"))?expires=9999999999' ||
          echo '\(feed.origin.url(other.path))'
        """
      _ = try ChildProcess.run([
        "sh", "-c", "printf '%s' \"$1\" >\"$2\" && chmod +x \"$2\"", "sh", text, script,
      ])
      _ = try ChildProcess.run([
        "sh", "-c",
        "mkdir -p \"$1\" && printf 'resolver = [\"%s\", \"-g\", \"--\", \"{url}\"]' \"$2\" >\"$1/config.toml\"",
        "sh", feed.folder + "/.config/feedfs", script,
      ])
      let truth = try feed.truth(of: other)
      try feed.mount("/pages")
      #expect(try eventually { try feed.entries() == [1] })
      #expect(try feed.origin.log().allSatisfy { $0.path == "/pages" })
      // The first answer leads nowhere, so the resolver is asked again.
      #expect(try feed.digest(of: feed.path(1)) == truth)
      let asked = try ChildProcess.run(["cat", feed.folder + "/asked"]).out
      #expect(asked == "-g -- \(page)\n-g -- \(page)\n")
      #expect(try ChildProcess.run(["test", "-e", feed.folder + "/hacked"]).status != 0)
    }

    private func serve(_ files: [PatternFile], by feed: any Drive) throws {
      let contents = files.enumerated().map { index, file in
        let url = feed.origin.url(file.path).split(separator: "&").joined(separator: "&amp;")
        return "<media:content url=\"\(url)\" type=\"video/mp4\" height=\"\(1080 - index * 360)\"/>"
      }
      try feed.origin.put(
        """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>t</title>
        <item><guid>1</guid><title>One</title><media:group>\(contents.joined())</media:group></item>
        </channel></rss>
        """, at: "/candidates", type: "application/rss+xml")
    }
  }
}
