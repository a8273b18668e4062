import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Refusals of `feedfs status`: no mount, no daemon, no answer, no permission.
  @Suite(.timeLimit(.minutes(3))) struct StatusRefusalTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
    }

    private func expectRefusal(_ code: Int32, _ words: String) throws {
      for options in [[], ["--json"], ["--watch"], ["--watch", "--json"]] {
        let outcome = try feed.feedfs(["status", feed.mountPoint] + options)
        #expect(MountedFeed.isRefusal(outcome, code, words), "\(options): \(outcome)")
      }
    }

    @Test func withoutAMountItSaysSo() throws {
      try expectRefusal(66, "no feed is mounted at \(feed.mountPoint)")
      let file = try feed.feedfs("status", feed.path(1))
      #expect(MountedFeed.isRefusal(file, 66, "no feed is mounted at"), "\(file)")
    }

    @Test func aFileThatIsNotThereIsSaidNotToBe() throws {
      try feed.mount()
      let outcome = try feed.feedfs("status", feed.path(7))
      #expect(MountedFeed.isRefusal(outcome, 66, "no file of that name"), "\(outcome)")
    }

    @Test func aDeadDaemonIsSaidToBeDead() throws {
      try feed.mount()
      try feed.killWithoutATrace()
      try #require(feed.isMounted, "the mount should be there, without a daemon")
      try expectRefusal(69, "is dead; mount the feed again")

      let taken = try feed.feedfs("unmount", feed.mountPoint)
      #expect(taken.status == 0, "\(taken.err)")
      try expectRefusal(66, "no feed is mounted at")
    }

    @Test func aDaemonThatDoesNotAnswerIsNotWaitedForLong() throws {
      try feed.mount()
      try feed.process.freeze()
      let (outcome, time) = try measured("status of a stopped daemon") {
        try feed.feedfs("status", feed.mountPoint)
      }
      #expect(MountedFeed.isRefusal(outcome, 69, "does not answer"), "\(outcome)")
      #expect(time < .seconds(9).here)
      try feed.process.signal(SIGCONT)
      #expect(try feed.feedfs("status", feed.mountPoint).status == 0)
    }

    // MARK: Other users

    /// Runs `feedfs status` as another user, whose runtime directory is not the daemon's.
    private func asStranger(_ options: [String]) throws -> (status: Int32, out: String, err: String)
    {
      let user = try OrdinaryUser()
      var environment = feed.environment
      environment["XDG_RUNTIME_DIR"] = .some(nil)
      chmod(feed.folder, 0o755)
      return try ChildProcess.run(
        user.run([user.feedfs, "status", feed.mountPoint] + options), environment: environment)
    }

    @Test(.unless(OrdinaryUser.obstacle))
    func anothersMountIsTheirsToLookAt() throws {
      try feed.mount()
      for options in [[], ["--json"], ["--watch"]] {
        let outcome = try asStranger(options)
        #expect(MountedFeed.isRefusal(outcome, 77, "another user's"), "\(outcome)")
      }
    }

    @Test(.unless(OrdinaryUser.obstacle))
    func whoMayReadAMountMayLookAtItsStatus() throws {
      try feed.mount(options: ["--allow-other"])
      let outcome = try asStranger(["--json"])
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(try Wire.decode(MountStatus.self, from: Array(outcome.out.utf8)).files.count == 1)
    }

    /// Asks the named socket as the user of the given number; prints that it connected, and the
    /// answer.
    ///
    /// curl takes a connection that is closed at once for one that was never made.
    private static let conversation = """
      import os, socket, sys
      os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
      door = socket.socket(socket.AF_UNIX)
      door.settimeout(10)
      door.connect(sys.argv[1])
      print("connected", flush=True)
      try:
        door.sendall(b"GET /v1/status HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
        while text := door.recv(65536): print(text)
      except ConnectionError: pass
      """

    /// The mode of the directory is the first line of defence; here it has failed.
    @Test(.enabled(if: geteuid() == 0, "another user can only be had by root"))
    func theSocketAnswersNobodyElseWhateverItsMode() throws {
      try feed.mount()
      let folder = feed.folder + "/run/feedfs"
      let name = String(try ChildProcess.run(["ls", folder]).out.split(separator: "\n")[0])
      for path in [feed.folder, feed.folder + "/run", folder, "\(folder)/\(name)"] {
        chmod(path, 0o777)
      }
      // Runs inside of the folder, since the folders above may be closed to a stranger.
      let question = ["env", "-C", folder, "python3", "-c", Self.conversation, name]
      #expect(try ChildProcess.run(question + ["0"]).out.contains("schema"))
      let other = try ChildProcess.run(question + ["65534"])
      #expect(other.out == "connected\n", "\(other)")
      #expect(try ChildProcess.run(question + ["0"]).out.contains("schema"))
    }
  }
}
