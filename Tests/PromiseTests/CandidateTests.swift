import TestSupport
import Testing

extension Promises {
  /// Entries that have several addresses, or only a web page.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct CandidateTests {
    private let feed: MountedFeed
    private let best = PatternFile(name: "best", size: 900_000, seed: 1)
    private let other = PatternFile(name: "other", size: 500_000, seed: 2)

    init() throws {
      feed = try MountedFeed()
      try serve([best, other])
    }

    @Test func theNextCandidateIsPlayedWhereTheFirstIsGone() throws {
      try feed.origin.fault(.status, below: "/pattern/best", ["code": "404"])
      let truth = try feed.truth(of: other)
      try feed.mount("/candidates")
      #expect(try feed.digest(of: feed.path(1)) == truth)
      try feed.unmount()

      // The second candidate stays chosen, also when the first is back.
      try feed.origin.clear()
      try feed.settle()
      let before = try feed.mediaBytes()
      try feed.mount("/candidates")
      #expect(try feed.digest(of: feed.path(1)) == truth)
      #expect(try feed.mediaBytes() == before)
    }

    @Test func theNextCandidateIsPlayedWhereTheFirstHasNoRanges() throws {
      try feed.origin.fault(.status200, below: "/pattern/best")
      let truth = try feed.truth(of: other)
      try feed.mount("/candidates")
      #expect(try feed.digest(of: feed.path(1)) == truth)
    }

    @Test func whereNoneHasRangesTheBestIsReadFromItsBeginning() throws {
      let truth = try feed.truth(of: best)
      try feed.origin.fault(.status200, below: "/pattern/")
      try feed.mount("/candidates")
      #expect(try feed.digest(of: feed.path(1)) == truth)
    }

    /// The resolver is a script of the test that records its arguments.
    @Test func aWebPageIsPlayedByWhatTheResolverFindsThere() throws {
      let page = "https://video.example/watch?v=1&x=';touch%20\(feed.folder)/hacked"
      try feed.origin.put(
        """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>t</title>
        <item><guid>1</guid><title>One</title><link>\(page.split(separator: "&").joined(separator: "&amp;"))</link>
        <media:content medium="video" duration="61"><media:player url="https://p.example/"/>
        </media:content></item></channel></rss>
        """, at: "/pages", type: "application/rss+xml")
      try feed.mount("/pages")
      #expect(try feed.entries().isEmpty)
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
      // The mount starts from its snapshot, which has no entries, and reads the feed afterwards.
      #expect(try eventually { try feed.entries() == [1] })
      #expect(try feed.origin.log().allSatisfy { $0.path == "/pages" })
      // The first answer leads nowhere, so the resolver is asked again.
      #expect(try feed.digest(of: feed.path(1)) == truth)
      let asked = try ChildProcess.run(["cat", feed.folder + "/asked"]).out
      #expect(asked == "-g -- \(page)\n-g -- \(page)\n")
      #expect(try ChildProcess.run(["test", "-e", feed.folder + "/hacked"]).status != 0)
    }

    private func serve(_ files: [PatternFile]) throws {
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
