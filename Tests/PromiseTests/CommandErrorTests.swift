import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A command that cannot do its work says so in one line, with an exit code of sysexits(3).
  @Suite(.timeLimit(.minutes(3))) struct CommandErrorTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
      try feed.origin.put("<!DOCTYPE html><html><body>Hello", at: "/page", type: "text/html")
    }

    /// A `feedfs mount` that must fail.
    struct Refusal: CustomTestStringConvertible, Sendable {
      let testDescription: String
      let code: Int32
      /// Words that the line must contain.
      let says: String
      /// The path of the feed at the origin, or its whole address.
      var feed = "/feed"
      /// A path below the folder of the test.
      var mountPoint = "mount"
      var options: [String] = []

      init(
        _ description: String, _ code: Int32, says: String, feed: String = "/feed",
        mountPoint: String = "mount", options: [String] = []
      ) {
        testDescription = description
        self.code = code
        self.says = says
        self.feed = feed
        self.mountPoint = mountPoint
        self.options = options
      }
    }

    private static let refusals = [
      Refusal("no such mount point", 66, says: "mkdir", mountPoint: "nowhere"),
      Refusal("a file as mount point", 66, says: "not a directory", mountPoint: "file"),
      Refusal("a directory that is not empty", 73, says: "--nonempty", mountPoint: "full"),
      Refusal("another scheme", 64, says: "http", feed: "ftp://127.0.0.1/feed"),
      Refusal("a URL without a host", 64, says: "host", feed: "http://"),
      Refusal("no URL at all", 64, says: "http", feed: "videos"),
      Refusal("an empty URL", 64, says: "empty", feed: ""),
      Refusal("an origin that is not there", 75, says: "answer", feed: "http://127.0.0.1:1/feed"),
      Refusal("a feed that is not there", 69, says: "404", feed: "/nothing"),
      Refusal("a page", 66, says: "HTML page", feed: "/page"),
      Refusal("a film", 66, says: "binary data", feed: "/pattern/a.mp4?size=100000"),
      Refusal("an unknown kind of sidecar", 64, says: "covers,nfo", options: ["--sidecars", "x"]),
      Refusal("a share of more than all", 64, says: "--min-free", options: ["--min-free", "101%"]),
      Refusal("no block of addresses", 64, says: "10.0.0.0/8", options: ["--allow-private", "x"]),
      Refusal("a second feed that is none", 64, says: "http", options: ["--feed", "ftp://b.org/"]),
    ]

    @Test(arguments: refusals) func aMountThatCannotBeIsRefusedInOneLine(refusal: Refusal) throws {
      _ = try ChildProcess.run(["mkdir", feed.folder + "/full"])
      _ = try ChildProcess.run(["touch", feed.folder + "/full/x", feed.folder + "/file"])
      let url = refusal.feed.hasPrefix("/") ? feed.origin.url(refusal.feed) : refusal.feed
      for way in [[], ["--foreground"], ["-f"]] {
        try expectRefusal(
          refusal.code, says: refusal.says, at: feed.folder + "/" + refusal.mountPoint, url,
          refusal.options + way)
      }
      #expect(!feed.isMounted)
    }

    /// Scripts try again later after 75, and only then.
    @Test(
      arguments: [(401, 77), (403, 77), (404, 69), (410, 69), (429, 75), (500, 75), (503, 75)]
        as [(Int, Int32)])
    func theExitCodeTellsWhetherAnotherTryMayHelp(answer: Int, code: Int32) throws {
      try feed.origin.fault(.status, below: "/feed", ["code": "\(answer)"])
      let says = [429, 503].contains(answer) ? "busy" : "status \(answer)"
      for command in [["mount", feed.mountPoint, "--feed"], ["feed", "show"], ["feed", "add"]] {
        let outcome = try feed.feedfs(command + [feed.origin.url("/feed")])
        #expect(MountedFeed.isRefusal(outcome, code, says), "\(command): \(outcome)")
      }
    }

    @Test func aCacheThatOthersMayWriteIsRefused() throws {
      mkdir(feed.cacheDirectory, 0o700)
      chmod(feed.cacheDirectory, 0o777)
      try expectRefusal(77, says: "chmod go-w")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root to give a directory away"))
    func aCacheOfAnotherUserIsRefused() throws {
      mkdir(feed.cacheDirectory, 0o700)
      chown(feed.cacheDirectory, 65534, 65534)
      try expectRefusal(77, says: "user 65534")
    }

    @Test func aMountPointInUseIsRefused() throws {
      try feed.mount()
      let mend = "`feedfs unmount \(feed.mountPoint)` unmounts it"
      try expectRefusal(75, says: "has a mount already; \(mend)")
      #expect(try feed.bytes(of: feed.path(1)).count == 1 << 20)
    }

    @Test func theSameFeedIsNotMountedTwiceOverOneCache() throws {
      try feed.mount()
      mkdir(feed.folder + "/second", 0o755)
      try expectRefusal(
        75, says: "process \(feed.process.pid)", at: feed.folder + "/second",
        feed.origin.url("/feed"))
      #expect(try feed.bytes(of: feed.path(1)).count == 1 << 20)
    }

    /// The kernel's table of mounts has the path without links.
    @Test func aMountBehindALinkIsFoundByTheLink() throws {
      mkdir(feed.folder + "/real", 0o755)
      mkdir(feed.folder + "/real/mount", 0o755)
      for (name, target) in [("parent", "real"), ("link", "real/mount")] {
        #expect(symlink(target, feed.folder + "/" + name) == 0)
      }
      for place in ["link", "parent/mount"].map({ feed.folder + "/" + $0 }) {
        let mounted = try feed.feedfs("mount", feed.origin.url("/feed"), place)
        #expect(mounted == (0, "", ""))
        for other in ["link", "parent/mount", "real/mount"].map({ feed.folder + "/" + $0 }) {
          let told = try feed.feedfs("status", other)
          #expect(told.out.contains(feed.folder + "/real/mount,"), "\(told)")
          #expect(try feed.feedfs("status", other + "/0001.mp4").out.contains("by title"))
        }
        #expect(try feed.feedfs("cache", "fetch", place + "/0001.mp4").out.contains("1 file"))
        #expect(try feed.feedfs("unmount", place) == (0, "", ""))
      }
    }

    /// In the foreground libfuse has a line of its own about it.
    @Test func ofMountOptionsThatAreNoneOnlyThoseOfTheUserAreNamed() throws {
      let outcome = try feed.feedfs(
        "mount", feed.origin.url("/feed"), feed.mountPoint, "-o", "fly")
      #expect(MountedFeed.isRefusal(outcome, 64, "the mount options fly are not"), "\(outcome)")
    }

    @Test func aMissingFeedIsAskedFor() throws {
      let outcome = try feed.feedfs("mount", feed.mountPoint)
      #expect(outcome.status == 64)
      #expect(isOneLine(outcome.err) && outcome.err.contains("feedfs mount URL"))
    }

    @Test(
      arguments: [
        ("mount --speed 9", "see `feedfs help mount`"), ("mount", "see `feedfs help mount`"),
        ("fly", "has no command \"fly\"; it has mount, unmount, status"),
        ("cache fly away", "`feedfs cache` has no command \"fly\"; it has list, path"),
        ("unmount a b", "see `feedfs help unmount`"), ("umount a b", "see `feedfs help umount`"),
        ("mount http://example.org/feed", "no directory is given"),
        ("completion tcsh", "see `feedfs help completion`"),
        ("limit a b c", "see `feedfs help limit`"),
        ("limit fast", "fast is not a rate: write it as"),
        ("help mount --fly", "see `feedfs help mount`"),
        ("help fly", "`feedfs` has no command \"fly\"; it has mount"),
        ("help cache fly", "`feedfs cache` has no command \"fly\"; it has list"),
        ("metered maybe", "maybe is neither on nor off"),
        ("cache fetch --next 1 x", "give either files or --next"),
        ("--fly", "see `feedfs help`"),
      ])
    func whatIsNoCommandIsAMistakeInUse(line: String, says: String) throws {
      let arguments = line.split(separator: " ").map(String.init)
      let outcome = try ChildProcess.run([BuiltBinary.path("feedfs")] + arguments)
      #expect(outcome.status == 64)
      #expect(outcome.out.isEmpty)
      #expect(isOneLine(outcome.err) && outcome.err.contains(says), "\(outcome.err)")
    }

    @Test func theOldNameOfUnmountIsUnderstoodToo() throws {
      try feed.mount()
      #expect(try feed.feedfs("umount", feed.mountPoint) == (0, "", ""))
      #expect(try feed.process.wait(timeout: .seconds(10)) == 0)
    }

    @Test(arguments: ["status", "unmount"])
    func withoutAMountThereIsNothingToTellOrToTakeDown(command: String) throws {
      for place in [feed.mountPoint, feed.folder + "/nowhere"] {
        let outcome = try feed.feedfs(command, place)
        #expect(outcome.status == 66)
        #expect(isOneLine(outcome.err) && outcome.err.contains("no feed is mounted at \(place)"))
      }
    }

    @Test(arguments: ["--version", "-V", "-v", "version", "--help", "help", "help cache list"])
    func questionsAboutTheProgramAreAnswered(question: String) throws {
      let words = question.split(separator: " ").map(String.init)
      let outcome = try ChildProcess.run([BuiltBinary.path("feedfs")] + words)
      #expect(outcome.status == 0 && !outcome.out.isEmpty && outcome.err.isEmpty)
    }

    @Test func theStatusNamesFilesSizesAndStates() throws {
      try feed.serve([
        PatternFile(name: "a", size: 1 << 20), PatternFile(name: "b", size: 2 << 20),
        PatternFile(name: "c", size: 3 << 20),
      ])
      try feed.mount()
      // After the last file there is nothing to preload.
      _ = try feed.bytes(of: feed.path(3))
      #expect(try ChildProcess.run(["head", "-c", "200000", feed.path(2)]).status == 0)
      try feed.origin.wait(idle: true, below: "/pattern/b")

      let status = try feed.status()
      #expect(status.files.map(\.name) == ["0001.mp4", "0002.mp4", "0003.mp4"])
      #expect(status.files.map(\.title) == ["a", "b", "c"])
      #expect(status.files.map(\.size) == [1 << 20, 2 << 20, 3 << 20])
      #expect(status.files.map(\.state) == [.empty, .partial, .complete])
      #expect(status.files[0].cached == 0 && status.files[2].cached == 3 << 20)
      #expect(status.mountPoint == feed.mountPoint && status.feeds[0].error == nil)
      #expect(status.pid == Int(try feed.process.pid))
      #expect(status.origins.map(\.origin) == ["http://127.0.0.1:\(feed.origin.port)"])
      let table = try feed.feedfs("status", feed.mountPoint, "--all").out
      for words in ["0002.mp4", "complete", "3.0 MiB of 3.0 MiB", "empty", "reachable"] {
        #expect(table.contains(words), "\(table)")
      }
    }

    @Test func aFeedIsShownFromItsAddressAndFromAFile() throws {
      let url = feed.origin.url("/feed")
      let file = feed.folder + "/feed.xml"
      #expect(try ChildProcess.run(["curl", "-sfo", file, url]).status == 0)
      for place in [url, file] {
        let outcome = try feed.feedfs("feed", "show", "--json", place)
        #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.err)")
        let shown = try Wire.decode(Shown.self, from: Array(outcome.out.utf8))
        #expect(shown.feed.title == "test")
        #expect(shown.entries.map(\.title) == ["a"])
        #expect(try feed.feedfs("feed", "show", place).out.contains("0001.mp4"))
      }
      try feed.origin.put(
        #"{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [{"id": "1"}]}"#,
        at: "/empty", type: "application/feed+json")
      let empty = try feed.feedfs("feed", "show", feed.origin.url("/empty"))
      #expect(empty.status == 0 && empty.out.contains("--all says why"), "\(empty)")
      for (place, code) in [(feed.folder + "/nothing", 66), (feed.origin.url("/page"), 66)] {
        let outcome = try feed.feedfs("feed", "show", place)
        #expect(outcome.status == code && isOneLine(outcome.err), "\(outcome)")
      }
    }

    /// The fields of `feed show --json` that the tests read.
    private struct Shown: Decodable {
      struct Titled: Decodable {
        let title: String
      }

      let feed: Titled
      let entries: [Titled]
    }

    private func expectRefusal(_ code: Int32, says words: String) throws {
      try expectRefusal(code, says: words, at: feed.mountPoint, feed.origin.url("/feed"))
    }

    private func expectRefusal(
      _ code: Int32, says words: String, at mountPoint: String, _ url: String,
      _ options: [String] = []
    ) throws {
      let outcome = try feed.feedfs(["mount", mountPoint, "--feed", url] + options)
      #expect(outcome.status == code, "\(options): \(outcome)")
      #expect(isOneLine(outcome.err) && outcome.err.contains(words), "\(outcome.err)")
      #expect(outcome.out.isEmpty)
    }

    private func isOneLine(_ text: String) -> Bool {
      text.hasPrefix("feedfs: ") && text.hasSuffix("\n")
        && text.utf8.count(where: { $0 == 10 }) == 1
    }
  }
}
