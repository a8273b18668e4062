import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Secrets that were planted in every place that can hold one appear in no output.
  @Suite(.timeLimit(.minutes(2))) struct SecretTests {
    /// The mark in all secrets, plain or in Base64, whose letters depend on the position.
    private static let mark = "pl4nted"
    private static let encoded = ["cGw0bnRlZ", "BsNG50ZW", "wbDRudGVk"]

    private let feed: MountedFeed
    private let elsewhere: OriginProcess

    init() throws {
      feed = try MountedFeed()
      elsewhere = try OriginProcess()
    }

    @Test func nothingThatIsShownHasAPlantedSecret() throws {
      try serve()
      try configure()
      let mounted = try feed.feedfs("mount", feed.mountPoint, "--log-level", "debug")
      #expect(mounted.status == 0, "\(mounted)")
      defer { _ = try? feed.feedfs("unmount", "--force", feed.mountPoint) }
      // Reads the films: one is right, one redirects to a secret, one is refused, one is not there.
      for name in try films() {
        _ = try ChildProcess.run(["timeout", "20", "cat", name], timeout: .seconds(30))
      }
      expectSent()
      var shown = try asked("while all is well")
      // Provokes the messages about trouble.
      try feed.origin.fault(.status, below: "/one", ["code": "403"])
      try feed.origin.fault(.redirect, below: "/two", ["to": "gopher://h/?\(Self.mark)-gopher"])
      for _ in 0..<2 { shown += try asked("in trouble") }
      shown += try refusals()

      let pid = try #require(daemon)
      shown += [
        ("command line", contents(of: "/proc/\(pid)/cmdline")),
        ("environment", contents(of: "/proc/\(pid)/environ")),
        ("mounts", contents(of: "/proc/self/mounts")),
        ("the log", try logs()),
        ("names", try ChildProcess.run(["find", feed.folder, "-printf", "%p %l\n"]).out),
      ]
      for (place, text) in shown {
        #expect(!text.isEmpty, "\(place)")
        for secret in [Self.mark] + Self.encoded {
          #expect(!text.contains(secret), "\(place): \(text)")
        }
      }
    }

    // MARK: Private

    private func serve() throws {
      let port = feed.origin.port
      let authority = "us3r-\(Self.mark):pw-\(Self.mark)@127.0.0.1:\(port)"
      let film = "/pattern/a.mp4?size=100000&amp;seed=1&amp;sig=\(Self.mark)-film"
      func item(_ number: Int, _ address: String) -> String {
        """
        <item><title>Item \(number)</title>
        <guid>\(feed.origin.url("/id/\(number)?sig=\(Self.mark)-id"))</guid>
        <link>http://e.org/\(number)?sig=\(Self.mark)-link</link>
        <media:content url="\(address)" type="video/mp4"><media:subTitle lang="en"
        href="http://127.0.0.1:\(port)/sub?sig=\(Self.mark)-sub"/></media:content></item>
        """
      }
      let page = """
        <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Feed</title>
        <atom:link rel="next" href="http://\(authority)/more?sig=\(Self.mark)-next"/>
        \(item(1, "http://\(authority)\(film)"))
        \(item(2, "http://127.0.0.1:\(port)/pattern/r.mp4?sig=\(Self.mark)-r"))
        \(item(3, "http://127.0.0.1:\(port)/pattern/gone.mp4?sig=\(Self.mark)-gone"))
        \(item(4, "http://127.0.0.1:1/pattern/dead.mp4?sig=\(Self.mark)-dead"))
        </channel></rss>
        """
      for path in ["/one", "/two"] {
        try feed.origin.put(page, at: path, type: "application/rss+xml")
      }
      try feed.origin.fault(.status, below: "/pattern/gone", ["code": "403"])
      try feed.origin.fault(
        .redirect, below: "/pattern/r",
        ["to": "http://x:\(Self.mark)-to@127.0.0.1:\(elsewhere.port)/none?sig=\(Self.mark)-to"])
    }

    private func configure() throws {
      try feed.write(
        """
        read-timeout = 2
        refresh = 1
        [[feed]]
        url = "http://us3r-\(Self.mark):pw-\(Self.mark)@127.0.0.1:\(feed.origin.port)/one?t=\(Self.mark)-1"
        name = "one"
        [[feed]]
        url = "http://127.0.0.1:\(feed.origin.port)/two?t=\(Self.mark)-2"
        name = "two"
        headers = { X-Key = "\(Self.mark)-header", Cookie = "c=\(Self.mark)-cookie" }
        """, to: MountedFeed.configuration)
      try feed.write(
        "machine 127.0.0.1 login us3r-\(Self.mark)-n password pw-\(Self.mark)-n", to: ".netrc")
    }

    /// Checks that the secrets are in use, since unused ones could not be shown.
    private func expectSent() {
      let requests = (try? feed.origin.log()) ?? []
      let words = requests.flatMap { [$0.target] + $0.headers.values }.joined(separator: "\n")
      for secret in ["-1", "-2", "-film", "-r", "-gone", "-header", "-cookie"] {
        #expect(words.contains(Self.mark + secret), "\(secret)")
      }
      #expect(Self.encoded.contains { words.contains($0) })
    }

    /// The output of commands, and the documents and attributes in the mount.
    private func asked(_ time: String) throws -> [(String, String)] {
      var shown: [(String, String)] = []
      for command in [
        ["status", feed.mountPoint], ["status", feed.mountPoint, "--json"],
        ["status", feed.path(1)], ["status", feed.path(1), "--json"], ["doctor"],
        ["doctor", "--json"],
        ["feed", "refresh", feed.mountPoint], ["feed", "more", feed.mountPoint, "--json"],
        ["feed", "list"], ["feed", "list", "--json"], ["feed", "show", feed.origin.url("/one")],
      ] {
        let outcome = try feed.feedfs(command)
        shown.append(("\(command) \(time)", outcome.out + outcome.err))
      }
      let documents = try ChildProcess.run([
        "find", feed.mountPoint, "-type", "f", "(", "-name", "*.json", "-o", "-name", "*.m3u8", ")",
        "-exec", "cat", "{}", "+",
      ])
      shown.append(("documents \(time)", documents.out + documents.err))
      shown.append(("attributes", try films().map { feed.attributes(of: $0) }.joined()))
      return shown
    }

    private func refusals() throws -> [(String, String)] {
      let secret = "http://u:\(Self.mark)@127.0.0.1:1/f?t=\(Self.mark)"
      return try [
        ["mount", feed.folder + "/run", "--nonempty", "--feed", secret, "--read-timeout", "1"],
        ["feed", "show", secret], ["feed", "remove", secret], ["feed", "import", secret],
        ["feed", "show", "ftp://u:\(Self.mark)@h/?\(Self.mark)"],
        ["feed", "show", "http://u:\(Self.mark)@[h/?\(Self.mark)"],
      ].map { command in
        let outcome = try feed.feedfs(command)
        #expect(outcome.status != 0)
        return ("a refusal of \(command)", outcome.out + outcome.err)
      }
    }

    private func films() throws -> [String] {
      try ChildProcess.run(["find", feed.mountPoint, "-name", "0*.mp4"]).out
        .split(separator: "\n").map(String.init)
    }

    private func logs() throws -> String {
      try ChildProcess.run(
        ["find", feed.folder + "/state", "-name", "*.log*", "-exec", "cat", "{}", "+"]
      ).out
    }

    private var daemon: Int? { try? feed.status().pid }
  }
}
