import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The requests that commands send to a running mount.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct ControlSocketTests {
    private let feed: MountedFeed
    private var written = WrittenFeed(
      pages: [(1...2).map { WrittenFeed.Item($0) }, [WrittenFeed.Item(3)]])

    init() throws {
      feed = try MountedFeed()
      try written.serve(by: feed)
      try feed.mount(written.path)
    }

    @Test func aFeedIsReadWhenItsUserWantsIt() throws {
      var changed = written
      changed.pages[0].insert(WrittenFeed.Item(0), at: 0)
      try changed.serve(by: feed)
      let outcome = try feed.feedfs("feed", "refresh", feed.mountPoint)
      let news = "refreshed 1 of 1 feeds\n1 new in Written: \"Item 0\"\n"
      #expect(outcome.status == 0 && outcome.out == news, "\(outcome)")
      #expect(try feed.entries() == [1, 2, 3])

      try feed.origin.remove(written.path)
      let failed = try feed.feedfs("feed", "refresh", feed.mountPoint)
      #expect(failed.status == 75 && failed.err.contains("404"), "\(failed.err)")
      #expect(try feed.entries() == [1, 2, 3])
    }

    @Test func theNextPageComesWhenItsUserWantsIt() throws {
      let outcome = try feed.feedfs("feed", "more", feed.mountPoint)
      #expect(outcome.out == "1 new entry; the feed has no further page\n", "\(outcome.err)")
      #expect(try feed.entries() == [1, 2, 3])
      let again = try feed.feedfs("feed", "more", feed.mountPoint)
      #expect(again.status == 0 && again.out.hasPrefix("0 new entries"))
      let other = try feed.feedfs("feed", "more", feed.mountPoint, "--feed", "nobody")
      #expect(other.status == 66 && other.err.contains("no feed of that name"))
    }

    @Test func theSocketAnswersOthersThanTheCommandsToo() throws {
      let status = try feed.ask("GET", "/v1/status")
      #expect(try Wire.decode(MountStatus.self, from: Array(status.utf8)).files.count == 2)
      #expect(try feed.ask("GET", "/v1/refresh").contains("error"))
      for target in [
        "/v1/more?feed=%", "/v1/more?feed=%FF", "//", "/v1/%2e%2e", "/v1/status?\u{7F}",
      ] {
        _ = try feed.ask("POST", target)
      }
      #expect(try feed.ask("POST", "/v1/more").contains("added"))
    }

    @Test func aStatusCanBeAskedForByParts() throws {
      func status(_ query: String) throws -> MountStatus {
        let answer = try feed.ask("GET", "/v1/status" + query)
        return try Wire.decode(MountStatus.self, from: Array(answer.utf8))
      }
      let second = try status("?from=1&count=5")
      #expect(second.files.map(\.name) == ["0002.mp4"] && second.from == 1)
      #expect(try status("?count=1").files.map(\.name) == ["0001.mp4"])
      #expect(try feed.ask("GET", "/v1/status?from=x").contains("error"))

      let before = try status("").revision
      #expect(try status("?since=\(before)").files == [])
      #expect(try ChildProcess.run(["head", "-c", "1", feed.path(2)]).status == 0)
      let news = try status("?since=\(before)")
      #expect(news.files.contains { $0.name == "0002.mp4" && $0.cached > 0 })
      #expect(news.since == before && news.gone == [])

      var changed = written
      changed.pages[0].removeFirst()
      changed.pages[0].insert(WrittenFeed.Item(0), at: 0)
      changed.pages[0].append(WrittenFeed.Item(9))
      try changed.serve(by: feed)
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).status == 0)
      let later = news.revision
      let outcome = try feed.feedfs(
        "status", feed.mountPoint, "--json", "--since", "\(later)")
      let listed = try Wire.decode(MountStatus.self, from: Array(outcome.out.utf8))
      #expect(listed.files.contains { $0.title == "Item 9" })
      // A revision of an earlier mount is of no use.
      #expect(try status("?since=1").since == nil)
      #expect(try status("?since=1").files.count == status("").files.count)
      #expect(try feed.feedfs("status", feed.mountPoint, "--from", "1").status == 64)
    }

    /// The mount survives any request.
    @Test(arguments: [
      "\r\n\r\n", "GET", "GET /v1/status HTTP/9.9\r\n\r\n",
      "GET /v1/status HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 500_000) + "\r\n\r\n",
      "POST /v1/more HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n"
        + String(repeating: "x", count: 200_000),
    ]) func whatIsNoRequestHarmsNobody(text: String) throws {
      _ = try ChildProcess.run([
        "python3", "-c",
        """
        import socket,sys
        s = socket.socket(socket.AF_UNIX); s.settimeout(2); s.connect(sys.argv[1])
        try:
          s.sendall(eval(sys.argv[2]).encode()); s.recv(100)
        except OSError: pass
        """, feed.socket, Self.python(text),
      ])
      #expect(try feed.ask("GET", "/v1/status").contains("schema"))
    }

    @Test func theSocketIsItsOwnersAloneAndGoesWithTheMount() throws {
      let path = try feed.socket
      let facts = try ChildProcess.run(["stat", "-c", "%a %F", feed.folder + "/run/feedfs", path])
      #expect(facts.out.hasPrefix("700 directory\n"))
      try feed.unmount()
      #expect(access(path, F_OK) != 0)
      #expect(try feed.feedfs("feed", "refresh", feed.mountPoint).status == 66)
    }

    /// logind removes the runtime directory at the last logout, and makes it again at the next login.
    @Test func theSocketComesBackAfterALogout() throws {
      let run = feed.folder + "/run"
      #expect(try ChildProcess.run(["rm", "-rf", run]).status == 0)
      mkdir(run, 0o700)
      let paused = try feed.feedfs("pause", feed.mountPoint)
      #expect(paused == (0, "\(feed.mountPoint) is paused\n", ""))
      #expect(try feed.feedfs("limit", feed.mountPoint).out.contains(" is paused, "))
    }

    /// Returns `text` as a Python expression: a long run of one letter would not fit into an
    /// argument.
    private static func python(_ text: String) -> String {
      text.split(separator: "x", omittingEmptySubsequences: false).count > 1000
        ? "'\(text.prefix { $0 != "x" })'.replace('|', '\\r\\n') + 'x' * \(text.count)"
          .replacing("\r\n", with: "|")
        : "'\(text.replacing("\r\n", with: "\\r\\n"))'"
    }
  }
}
