import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The feeds in the configuration file.
  @Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: canMount))
  struct SubscriptionTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try WrittenFeed(pages: [[WrittenFeed.Item(1)]], title: "One", path: "/one").serve(by: feed)
      try WrittenFeed(pages: [[WrittenFeed.Item(2)]], title: "Two", path: "/two").serve(by: feed)
    }

    @Test func whatIsSubscribedToIsMountedWithoutBeingNamed() throws {
      let one = feed.origin.url("/one?key=secret")
      #expect(try said("feed", "add", one).hasPrefix("added"))
      #expect(try said("feed", "add", one).contains("one of your subscriptions already"))
      #expect(
        try said("feed", "add", feed.origin.url("/two"), "--name", "second").hasPrefix("added"))
      let list = try said("feed", "list")
      #expect(list.contains("second") && list.contains("/one") && !list.contains("secret"))

      let json = try said("feed", "list", "--json")
      #expect(!json.contains("secret"))
      #expect(try DocumentedShape("FeedList").faults(of: AnyJSON(json)) == [])

      try feed.mountSubscriptions()
      #expect(try feed.names().sorted() == ["One", "second"])
      try feed.unmount()

      let exported = try said("feed", "export")
      #expect(exported.contains("/one?key=secret") && exported.contains("<opml"))
      #expect(try said("feed", "remove", "second").hasPrefix("removed"))
      #expect(try said("feed", "remove", one).hasPrefix("removed"))
      #expect(try feed.feedfs("feed", "remove", one).status == 66)
      #expect(try said("feed", "list").contains("no subscriptions"))

      let path = feed.folder + "/list.opml"
      _ = try ChildProcess.run(["sh", "-c", "printf %s \"$1\" >\"$2\"", "sh", exported, path])
      #expect(try said("feed", "import", path) == "added 2 of 2 feeds\n")
      #expect(try said("feed", "import", path) == "added 0 of 2 feeds\n")

      let single = feed.folder + "/one.xml"
      #expect(try ChildProcess.run(["curl", "-sfo", single, one]).status == 0)
      let refused = try feed.feedfs("feed", "import", single)
      #expect(MountedFeed.isRefusal(refused, 66, "\(single) is a feed, not a list"), "\(refused)")
    }

    @Test func anExportTellsWhatAnImportLeavesOut() throws {
      let file = feed.folder + "/list.m3u"
      try feed.write("#EXTM3U\n\(feed.origin.url("/a.mp4"))\n", to: "list.m3u")
      #expect(try said("feed", "add", feed.origin.url("/one")).hasPrefix("added"))
      #expect(try feed.feedfs("feed", "export").err == "")
      #expect(try said("feed", "add", file).hasPrefix("added"))
      let exported = try feed.feedfs("feed", "export")
      #expect(exported.status == 0 && exported.out.contains("list.m3u"))
      #expect(exported.err.contains("1 subscription is a file of this computer"), "\(exported.err)")
    }

    @Test func withoutAnyFeedOneIsToldHowToAddOne() throws {
      let outcome = try feed.feedfs("mount", feed.mountPoint)
      #expect(outcome.status == 64 && outcome.err.contains("feedfs feed add"))
    }

    @Test(
      arguments: [
        ("cache-size = '20X'", "line 1: cache-size has to be written as bytes"),
        ("\nlimit-rate = 'fast'", "line 2: limit-rate has to be written as bytes a second"),
        ("player = mpv", "line 1: player: the value needs quotes"),
        ("[[feed]]\nurl = '127.0.0.1:80/x'", "line 2: url: "),
        ("[[feed]]\nname = 'x'\nurl = 'ftp://a.org/'", "line 3: url: "),
        ("[[feed]]\nurl = 'http://a.org/'\nheaders = {\"a b\" = 'c'}", "line 3: headers: "),
        (
          "# x\nproxy = 'ftp://p'",
          "line 2: proxy: proxy in config.toml is not the address of a proxy"
        ),
        ("allow-private = ['home']", "line 1: allow-private: \"home\" is not a block"),
        ("cacert = '/nowhere.pem'", "line 1: cacert: "),
        ("pins = { 'a.org' = 'x' }", "line 1: pins: "),
      ])
    func aMistakeInTheFileIsToldWithItsLineAndItsKey(text: String, says: String) throws {
      try feed.write(text, to: ".config/feedfs/config.toml")
      for command in [["mount", feed.mountPoint], ["feed", "list"]] {
        let outcome = try feed.feedfs(command)
        #expect(outcome.status == 78 && outcome.out.isEmpty, "\(command): \(outcome)")
        #expect(outcome.err.contains("config.toml: \(says)"), "\(outcome.err)")
        #expect(outcome.err.utf8.count { $0 == 10 } == 1)
      }
    }

    @Test(arguments: ["fed = 1", "\\377", "[[feed]]\nurl = 1"])
    func aFileThatIsWrongIsToldInOneLineWithItsPlace(text: String) throws {
      _ = try said("feed", "add", feed.origin.url("/one"))
      let path = feed.folder + "/.config/feedfs/config.toml"
      _ = try ChildProcess.run(["sh", "-c", "printf \"$1\" >\"$2\"", "sh", text, path])
      for command in [
        ["mount", feed.mountPoint], ["feed", "list"], ["feed", "add", "http://x/"],
      ] {
        let outcome = try feed.feedfs(command)
        #expect(outcome.status == 78 && outcome.err.contains("config.toml"), "\(outcome.err)")
        #expect(outcome.err.split(separator: "\n").count == 1)
      }
    }

    @Test(arguments: [
      "min-free = 'much'", "allow-private = ['10.0.0.0/99']", "[[feed]]\nurl = 'gopher://h/'",
    ])
    func aValueThatCannotBeUsedIsTheFilesMistakeWhateverIsTyped(text: String) throws {
      _ = try said("feed", "add", feed.origin.url("/one"))
      let path = feed.folder + "/.config/feedfs/config.toml"
      _ = try ChildProcess.run(["sh", "-c", "printf \"$1\" >\"$2\"", "sh", text, path])
      let outcome = try feed.feedfs(["mount", feed.mountPoint, "--feed", feed.origin.url("/one")])
      #expect(outcome.status == 78 && outcome.err.contains("config.toml"), "\(outcome.err)")
    }

    @Test func aFileThatIsALinkStaysOneAndKeepsItsMode() throws {
      _ = try said("feed", "add", feed.origin.url("/one"))
      let path = feed.folder + "/.config/feedfs/config.toml"
      let real = feed.folder + "/real.toml"
      #expect(try ChildProcess.run(["stat", "-c", "%a", path]).out == "600\n")
      _ = try ChildProcess.run(["mv", path, real])
      chmod(real, 0o640)
      symlink("../../real.toml", path)
      _ = try said("feed", "add", feed.origin.url("/two"))
      #expect(try ChildProcess.run(["readlink", path]).out == "../../real.toml\n")
      #expect(try ChildProcess.run(["stat", "-c", "%a", real]).out == "640\n")
      #expect(try said("feed", "list").contains("/two"))
    }

    @Test(arguments: ["/dev/null", "nowhere", "."])
    func whatIsNoFileIsNeverReplaced(target: String) throws {
      let folder = feed.folder + "/.config/feedfs"
      _ = try ChildProcess.run(["mkdir", "-p", folder])
      symlink(target, folder + "/config.toml")
      let outcome = try feed.feedfs("feed", "add", feed.origin.url("/one"))
      #expect(outcome.status != 0 && outcome.out.isEmpty && outcome.err.contains("config.toml"))
      #expect(try ChildProcess.run(["ls", "-A", folder]).out == "config.toml\n")
      #expect(try ChildProcess.run(["readlink", folder + "/config.toml"]).out == target + "\n")
    }

    @Test func twoWhoAddAtOnceBothHaveTheirWay() throws {
      let children = try (1...8).map { number in
        try ChildProcess(
          [BuiltBinary.path("feedfs"), "feed", "add", "--force", "http://host-\(number).example/"],
          environment: feed.environment)
      }
      for child in children { #expect(child.wait(timeout: .seconds(20)) == 0) }
      #expect(try said("feed", "list").split(separator: "\n").count == 8)
    }

    /// Subscriptions count as typed, and are reached wherever they are, so a list must add no
    /// private host.
    @Test func aListFromTheWebBringsNobodyAtHomeIn() throws {
      let home = [
        "http://192.168.1.1/", "http://127.0.0.9/", "http://2130706441/", "http://0x7f.9/",
        "http://[::1]/", "http://localhost/", "http://router/", "http://nas.local/",
        "http://x.localhost/", "file:///etc/passwd", "ftp://e.org/",
      ]
      let outlines = (home + ["http://e.org/feed", feed.origin.url("/one")]).map {
        "<outline type='rss' text='t' xmlUrl='\($0)'/>"
      }
      try feed.origin.put(
        "<opml version='2.0'><body>\(outlines.joined())</body></opml>", at: "/list",
        type: "text/x-opml")
      _ = try said("feed", "import", feed.origin.url("/list"))
      let list = try said("feed", "list").split(separator: "\n").map(String.init)
      #expect(
        list.count == 2 && list.allSatisfy { $0.contains("e.org") || $0.contains("/one") })
    }

    @Test func whatIsTypedHoldsBeforeTheFile() throws {
      _ = try said("feed", "add", feed.origin.url("/one"))
      let path = feed.folder + "/.config/feedfs/config.toml"
      let text = "min-free = \"100%\"\n"
      _ = try ChildProcess.run(["sh", "-c", "printf %s \"$1\" >\"$2\"", "sh", text, path])
      for (options, isKept) in [([], false), (["--min-free", "1M"], true)] {
        try feed.mount("/one", options: options)
        _ = try feed.digest(of: feed.path(1))
        #expect(try (feed.status().cache.problem == nil) == isKept)
        try feed.unmount()
      }
    }

    private func said(_ arguments: String...) throws -> String {
      let outcome = try ChildProcess.run(
        [BuiltBinary.path("feedfs")] + arguments, environment: feed.environment)
      guard outcome.status == 0 else { throw TestToolError("\(arguments): \(outcome.err)") }
      return outcome.out
    }
  }
}
