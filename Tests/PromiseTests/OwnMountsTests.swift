import Blocks
import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Commands apply to all mounts of this user, and to no others.
  ///
  /// An ordinary user does everything in a namespace of its own, so other mounts do not matter.
  @Suite(
    .timeLimit(.minutes(3)),
    .unless(OrdinaryUser.obstacle))
  struct OwnMountsTests {
    private let user: OrdinaryUser
    private let feed: MountedFeed
    private let second: String

    init() throws {
      user = try OrdinaryUser()
      feed = try MountedFeed(by: user)
      second = feed.folder + "/second"
      mkdir(second, 0o755)
      try user.own([second])
      try feed.serve([PatternFile(name: "a", size: 300_000), PatternFile(name: "b", size: 9)])
      try feed.origin.put(
        #"{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [{"id": "1"}]}"#,
        at: "/empty", type: "application/feed+json")
    }

    private func mountSecond() throws {
      let outcome = try feed.feedfs("mount", second, "--feed", feed.origin.url("/empty"))
      #expect(outcome.status == 0, "\(outcome)")
    }

    private func unmountSecond() {
      _ = try? feed.feedfs("unmount", "--force", second)
    }

    private func from(
      _ place: String, _ words: [String]
    ) throws -> (status: Int32, out: String, err: String) {
      try ChildProcess.run(
        user.run(["env", "-C", place, user.feedfs] + words), environment: feed.environment)
    }

    @Test func withoutAPlaceAllOfThemAreSteeredAndToldOf() throws {
      try feed.mount()
      try mountSecond()
      defer { unmountSecond() }
      for (command, mode) in [("pause", "paused"), ("resume", "online"), ("offline", "offline")] {
        let outcome = try feed.feedfs(command)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.out.contains("\(feed.mountPoint) is \(mode)"), "\(outcome.out)")
        #expect(outcome.out.contains("\(second) is \(mode)"), "\(outcome.out)")
      }
      let status = try feed.feedfs("status")
      #expect(status.out.split(separator: "\n").count == 2 && status.out.contains(second))
      let all = try Wire.decode(
        [MountStatus].self, from: Array(feed.feedfs("status", "--json").out.utf8))
      #expect(Set(all.map(\.mountPoint)) == [feed.mountPoint, second])
      #expect(all.allSatisfy { $0.mode == .offline })
    }

    @Test func theMountAroundTheWorkingDirectoryWins() throws {
      try feed.mount()
      try mountSecond()
      defer { unmountSecond() }
      #expect(MountedFeed.isRefusal(try feed.feedfs("play"), 64, "several feeds are mounted"))
      #expect(try from(feed.mountPoint, ["status", "0001.mp4"]).out.hasPrefix("0001.mp4"))
      #expect(try from(feed.mountPoint, ["cache", "pin", "0001.mp4"]).out == "pinned 1 file\n")
      #expect(try feed.status().files[0].pinned)
    }

    @Test func anothersMountIsNeitherMeantNorNamed() throws {
      try feed.mount()
      let theirs = feed.folder + "/theirs"
      mkdir(theirs, 0o755)
      let inside = ["nsenter", "--mount=/proc/\(try feed.process.pid)/ns/mnt"]
      var root = feed.environment
      for name in ["XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
        root[name] = feed.folder + "/root-" + name
        mkdir(feed.folder + "/root-" + name, 0o700)
      }
      let made = try ChildProcess.run(
        inside + [
          BuiltBinary.path("feedfs"), "mount", theirs, "--feed", feed.origin.url("/empty"),
          "--allow-other",
        ], environment: root)
      #expect(made.status == 0, "\(made)")
      defer { _ = try? ChildProcess.run(inside + ["umount", "-l", theirs]) }
      for words in [["status"], ["pause"], ["resume"], ["cache", "list"], ["doctor"]] {
        let outcome = try feed.feedfs(words)
        #expect(outcome.status == 0 || words == ["doctor"], "\(words): \(outcome)")
        #expect(!(outcome.out + outcome.err).contains(theirs), "\(words): \(outcome)")
      }
    }

    @Test func aNameMeansTheMountedFileAndNotOneOfYesterday() throws {
      try feed.mount()
      #expect(try feed.cache("fetch", "0001.mp4").status == 0)
      try feed.unmount()
      try feed.origin.put(
        """
        <?xml version="1.0"?><rss version="2.0"><channel><title>today</title><item><title>n</title>
        <guid>n</guid><enclosure url="\(feed.origin.url("/pattern/n.mp4"))?size=300000&amp;seed=9"
        length="300000" type="video/mp4"/></item></channel></rss>
        """, at: "/today", type: "application/rss+xml")
      try feed.mount("/today")
      // No byte of the mounted file is cached yet.
      #expect(
        MountedFeed.isRefusal(try feed.cache("path", "0001.mp4"), 66, "is not cached"))
      #expect(try feed.cache("pin", "0001.mp4").status == 0)
      #expect(try feed.status().files[0].pinned)
      #expect(try feed.cache("clear", "0001.mp4").status == 69)
      let old = try feed.cache("path", "test/0001.mp4")
      #expect(old.status == 0, "\(old)")
      #expect(MountedFeed.isRefusal(try feed.cache("path", "0002.mp4"), 66, "0002.mp4"))
    }
  }
}
