import TestSupport
import Testing

extension Promises {
  /// Text of strangers steers no terminal, wherever it is printed.
  @Suite(.timeLimit(.minutes(2))) struct TerminalTests {
    /// Characters that clear a screen, reverse text, or break a line.
    private static let evil = "\u{9B}2J\u{202E}gpm.4\u{2066}\u{85}\u{2028}\u{61C}"

    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      let escapes = "&#x1b;[2J&#x1b;]0;owned&#7;&#x9b;31m"
      let link = feed.origin.url("/pattern/a.mp4?size=100000&amp;seed=1")
      try feed.origin.put(
        """
        <?xml version="1.1"?><rss version="2.0"><channel><title>T\(Self.evil)\(escapes)</title>
        <item><guid isPermaLink="false">g\(Self.evil)</guid><title>E\(Self.evil)\(escapes)</title>
        <enclosure url="\(link)" type="video/mp4\(Self.evil)"/></item>
        <item><guid>h</guid><title>F</title>
        <enclosure url="http://127.0.0.1:1/\(Self.evil)x.mp4" type="video/mp4"/></item>
        </channel></rss>
        """, at: "/feed", type: "application/rss+xml")
    }

    @Test func nothingThatCommandsPrintSteersATerminal() throws {
      try feed.origin.fault(
        .status, below: "/pattern/", ["code": "403"])
      try feed.mount(options: ["--log-level", "debug", "--read-timeout", "2", "--refresh", "1"])
      for name in try feed.names().filter({ $0.hasSuffix(".mp4") }) {
        _ = try ChildProcess.run(["cat", feed.mountPoint + "/" + name])
      }
      // The feed is now a page, with a hostile title and type.
      try feed.origin.put(
        "<!DOCTYPE html><title>\(Self.evil)</title>", at: "/feed",
        type: "text/html; x=\u{1B}[2J")
      let count = try feed.origin.log(below: "/feed").count
      try feed.origin.wait(requests: count + 2, below: "/feed", timeout: .seconds(30))

      let url = feed.origin.url("/feed")
      let outcomes = try [
        ["status", feed.mountPoint], ["status", feed.mountPoint, "--json"],
        ["status", feed.mountPoint, "--all"], ["status", feed.path(1)],
        ["status", feed.path(1), "--json"], ["doctor", url], ["doctor", url, "--json"],
        ["feed", "show", url], ["feed", "refresh", feed.mountPoint],
        ["feed", "refresh", feed.mountPoint, "--json"],
        ["feed", "more", feed.mountPoint, "--json"],
        ["mount", feed.mountPoint, "--feed", "http://e.org/\(Self.evil)\u{1B}[2J"],
        ["mount", feed.folder + "/\(Self.evil)\u{1B}[2J", "--feed", url],
        ["feed", "show", "/\(Self.evil)\u{1B}]0;owned\u{7}"], ["\u{1B}[2J\(Self.evil)"],
      ].map { (command: $0, outcome: try feed.feedfs($0)) }
      for (command, outcome) in outcomes {
        expectPlain(outcome.out + outcome.err, "\(command)")
        #expect(!(outcome.out + outcome.err).isEmpty)
      }
      expectPlain(try feed.process.errors.text, "log")
      for name in [".feedfs/status.json", ".feedfs/feed.json", "playlist.m3u8"] {
        expectPlain(try ChildProcess.run(["cat", feed.mountPoint + "/" + name]).out, name)
      }
      expectPlain(try ChildProcess.run(["find", feed.mountPoint]).out, "names")
      expectPlain(
        try ChildProcess.run(["find", feed.mountPoint, "-printf", "%l\n"]).out, "links")
      expectPlain(feed.attributes(of: feed.path(1)), "attributes")
    }

    @Test func nothingOfAFeedOrListThatIsShownSteersATerminal() throws {
      for command in [["feed", "show"], ["feed", "show", "--json"], ["feed", "show", "--all"]] {
        let outcome = try feed.feedfs(command + [feed.origin.url("/feed")])
        #expect(outcome.status == 0 && !outcome.out.isEmpty, "\(outcome.err)")
        expectPlain(outcome.out + outcome.err, "\(command)")
      }
      try feed.write(
        "<opml><body><outline type='rss' text='L\(Self.evil)' xmlUrl='http://e.org/f'/></body></opml>",
        to: "list.opml")
      #expect(try feed.feedfs("feed", "import", feed.folder + "/list.opml").status == 0)
      for command in [["feed", "list"], ["feed", "list", "--json"], ["feed", "export"]] {
        let outcome = try feed.feedfs(command)
        #expect(outcome.status == 0 && outcome.out.contains("e.org"), "\(outcome.err)")
        expectPlain(outcome.out, "\(command)")
      }
    }

    private func expectPlain(_ text: String, _ place: String) {
      let evil = text.unicodeScalars.filter { scalar in
        if scalar == "\n" { return false }
        return scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
          || ["\u{2028}", "\u{2029}"].contains(scalar)
      }
      #expect(evil.isEmpty, "\(place): \(evil.map(\.value)) in \(text.debugDescription)")
    }
  }
}
