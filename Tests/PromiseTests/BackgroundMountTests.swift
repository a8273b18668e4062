import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// `feedfs mount` as users call it: the daemon runs on in the background and keeps its secrets.
  @Suite(.timeLimit(.minutes(3))) struct BackgroundMountTests {
    private static let secrets = ["hunter2", "t0ken-of-feed", "t0ken-of-film", "us3r"]
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
    }

    @Test func theCommandEndsWhenTheMountAnswersAndTheDaemonLivesOnWithoutIt() throws {
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
      let outcome = try feed.feedfs(
        "mount", feed.mountPoint, "--feed", feed.origin.url("/feed"))
      #expect(outcome == (0, "", ""))
      defer { takeDown() }

      #expect(try ChildProcess.run(["ls", feed.mountPoint]).out.contains("0001.mp4"))
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<(1 << 20), seed: 1))
      let pid = try feed.status().pid
      #expect(getpgid(pid_t(pid)) == pid_t(pid) && getsid(pid_t(pid)) == pid_t(pid))
      #expect(link("/proc/\(pid)/cwd") == "/")
    }

    @Test func theDaemonIsFoundByItsNameAndItsMountPoint() throws {
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
      #expect(try feed.feedfs("mount", feed.origin.url("/feed"), feed.mountPoint) == (0, "", ""))
      defer { takeDown() }

      let pid = try feed.status().pid
      #expect(contents(of: "/proc/\(pid)/comm") == "feedfs\n")
      let words = contents(of: "/proc/\(pid)/cmdline").split(separator: "\0").map(String.init)
      #expect(words == ["feedfs", "mount", feed.mountPoint, "--handed-over"])
      for search in [["pgrep", "-x", "feedfs"], ["pgrep", "-f", feed.mountPoint]]
      where isInstalled("pgrep") {
        let found = try ChildProcess.run(search).out.split(separator: "\n")
        #expect(found.contains("\(pid)"), "\(search): \(found)")
      }
    }

    @Test func theFeedMayStandBeforeTheDirectoryOrBehindIt() throws {
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
      let url = feed.origin.url("/feed")
      for words in [["mount", url, feed.mountPoint], ["mount", feed.mountPoint, url]] {
        let outcome = try ChildProcess.run(
          feed.command(words), environment: feed.environment, timeout: .seconds(30))
        #expect(outcome == (0, "", ""))
        #expect(try ChildProcess.run(["ls", feed.mountPoint]).out.contains("0001.mp4"))
        takeDown()
      }
    }

    /// mount(8) runs `feedfs URL DIRECTORY -o OPTIONS` for an entry of fstab.
    @Test(.enabled(if: geteuid() == 0 && isInstalled("mount.fuse3"), "needs root and mount.fuse3"))
    func mountKnowsTheTypeOfTheFileSystem() throws {
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
      // The program is installed for this test alone, in a name space of its own.
      let script = """
        mount -t tmpfs none /usr/local/bin && ln -s "$1" /usr/local/bin/feedfs || exit
        mount -t fuse.feedfs -o noatime,_netdev,nofail,x-systemd.automount "$2" "$3" || exit
        ls "$3"; grep " $3 " /proc/mounts; /usr/local/bin/feedfs unmount "$3"
        """
      let outcome = try ChildProcess.run(
        [
          "unshare", "--mount", "sh", "-c", script, "sh", BuiltBinary.path("feedfs"),
          feed.origin.url("/feed"), feed.mountPoint,
        ], environment: feed.environment, timeout: .seconds(30))
      #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome)")
      #expect(outcome.out.contains("0001.mp4"))
      #expect(outcome.out.contains(" fuse.feedfs ro,nosuid,nodev"), "\(outcome.out)")
    }

    @Test func anAddressWithoutASchemeIsTriedByHTTPS() throws {
      let outcome = try feed.feedfs("mount", "127.0.0.1:\(feed.origin.port)/feed", feed.mountPoint)
      let tried = "https://127.0.0.1:\(feed.origin.port)/feed"
      #expect(outcome.status == 75)
      #expect(
        outcome.err.contains("/feed has no scheme, so feedfs tries \(tried); without TLS, write "))
      #expect(outcome.err.contains("\nfeedfs: \(tried) "))
    }

    @Test(arguments: [("1", true), ("59", true), ("1m", false)])
    func aRefreshThatPublishersDislikeIsRemarkedOn(_ time: String, isRemarkable: Bool) throws {
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
      let outcome = try feed.feedfs(
        "mount", feed.mountPoint, "--feed", feed.origin.url("/feed"), "--refresh", time)
      defer { takeDown() }
      #expect(outcome.status == 0)
      #expect(outcome.err.contains("too often for most publishers") == isRemarkable)
      #expect(outcome.err.isEmpty != isRemarkable)
    }

    @Test func noSecretOfAnAddressIsToBeSeenFromOutside() throws {
      var film = PatternFile(name: "a", size: 1 << 20)
      film.url = withSecrets("\(film.path)&token=t0ken-of-film")
      try feed.serve([film])
      let outcome = try feed.feedfs(
        "mount", feed.mountPoint, "--feed", withSecrets("/feed?token=t0ken-of-feed"),
        "--log-level", "debug", "--refresh", "1")
      #expect(outcome.status == 0, "\(outcome.err)")
      defer { takeDown() }
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<(1 << 20), seed: 1))
      try provokeWords()

      let pid = try feed.status().pid
      expectNoSecret("command line", contents(of: "/proc/\(pid)/cmdline"))
      expectNoSecret("environment", contents(of: "/proc/\(pid)/environ"))
      expectNoSecret("mounts", contents(of: "/proc/self/mounts"))
      expectNoSecret("status", try feed.feedfs("status", feed.mountPoint).out)
      expectNoSecret("status as JSON", try feed.feedfs("status", feed.mountPoint, "--json").out)
      expectNoSecret("attributes", feed.attributes(of: feed.path(1)))
      expectNoSecret("file names", try ChildProcess.run(["find", feed.folder]).out)
      let log = try ChildProcess.run(
        ["find", feed.folder + "/state", "-name", "*.log", "-exec", "cat", "{}", "+"])
      #expect(log.out.contains("mounted"))
      expectNoSecret("log", log.out)
      expectNoSecret("a refusal", try refusal())
    }

    /// Causes errors of the feed and of a film, which appear in the log and the status.
    private func provokeWords() throws {
      try feed.origin.fault(.status, below: "/", ["code": "403"])
      let count = try feed.origin.log(below: "/feed").count
      try feed.origin.wait(requests: count + 2, below: "/feed", timeout: .seconds(20))
      #expect(try eventually { try feed.status().feeds[0].error != nil })
    }

    private func refusal() throws -> String {
      mkdir(feed.folder + "/second", 0o755)
      let outcome = try feed.feedfs(
        "mount", feed.folder + "/second", "--feed", withSecrets("/feed?token=t0ken-of-feed"))
      #expect(outcome.status == 75)
      return outcome.out + outcome.err
    }

    private func withSecrets(_ path: String) -> String {
      "http://us3r:hunter2@127.0.0.1:\(feed.origin.port)\(path)"
    }

    private func expectNoSecret(_ place: String, _ text: String) {
      #expect(!text.isEmpty, "nothing to be seen: \(place)")
      for secret in Self.secrets { #expect(!text.contains(secret), "\(place): \(text)") }
    }

    private func takeDown() {
      _ = try? feed.feedfs("unmount", "--force", feed.mountPoint)
    }
  }
}
