import Glibc
import TestSupport
import Testing

extension Promises {
  /// The start of a mount: what there is when the command returns, what is left if the daemon is ended
  /// while it starts, and what is said if it cannot start.
  @Suite(.timeLimit(.minutes(5))) struct StartTests {
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 300_000)])
    }

    @Test func aMountCanBeReadAndAskedAsSoonAsTheCommandHasReturned() throws {
      for turn in 1...10 {
        let outcome = try mount()
        #expect(outcome == (0, "", ""), "turn \(turn)")
        let status = try feed.feedfs("status", feed.mountPoint, "--json")
        let attributes = feed.attributes(of: feed.mountPoint)
        let answer = try feed.ask("GET", "/v1/mount")
        let listing = try ChildProcess.run(["ls", feed.mountPoint])
        _ = try feed.feedfs("unmount", feed.mountPoint)

        #expect(status.status == 0, "turn \(turn): \(status.err)")
        #expect(attributes.contains("user.feedfs.socket="), "turn \(turn)")
        #expect(answer.contains(feed.mountPoint), "turn \(turn)")
        #expect(listing.out.contains("0001.mp4"), "turn \(turn)")
      }
    }

    /// A signal that comes at a call of the daemon, in its turn in each thread.
    struct End: Sendable, CustomStringConvertible {
      let call: String
      let turn: Int
      let signal: String

      var description: String { "\(call), \(turn), \(signal)" }

      var tracer: [String] {
        [
          "strace", "-D", "-f", "-q", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
          "inject=\(call):signal=\(signal):when=\(turn)",
        ]
      }

      private static let moments = [
        ("flock", 1), ("/^mkdir", 1), ("/^mkdir", 4), ("fsync", 1), ("fsync", 2), ("fsync", 3),
        ("connect", 1), ("sendto", 1), ("recvfrom", 1), ("clone", 1), ("clone3", 2), ("clone3", 6),
        ("/^socket", 1), ("/^socket", 3), ("bind", 1), ("bind", 2), ("listen", 1), ("accept4", 1),
        ("writev", 1),
      ]

      /// The ends that this run tries.
      static var chosen: [End] {
        Scale.trials(7, of: 2 * moments.count).map { trial in
          let (call, turn) = moments[trial / 2 % moments.count]
          return End(call: call, turn: turn, signal: trial % 2 == 0 ? "SIGKILL" : "SIGTERM")
        }
      }
    }

    @Test(
      .enabled(if: canMount && isInstalled("strace"), "strace is not installed"),
      arguments: End.chosen)
    func aDaemonThatIsEndedWhileItStartsLeavesNothing(end: End) throws {
      let signal = end.signal
      let command = try feed.command([
        "mount", feed.mountPoint, "--foreground", "--feed", feed.origin.url("/feed"),
      ])
      let daemon = try ChildProcess(
        end.tracer + command, environment: feed.environment)
      if daemon.wait(timeout: .seconds(5)) == nil {
        // There was no such call.
        _ = try feed.feedfs("unmount", "--force", feed.mountPoint)
        _ = daemon.wait(timeout: .seconds(5))
      }

      #expect(!daemon.isRunning)
      // The helper of libfuse may miss the end of a daemon that was killed; the next mount does not.
      #expect(eventually { !feed.isMounted } || signal == "SIGKILL" && isDead)
      let sockets = try ChildProcess.run(["ls", feed.folder + "/run/feedfs"]).out
      #expect(signal == "SIGKILL" || sockets.isEmpty, "\(sockets)")
      let status = try feed.feedfs("status")
      #expect(!status.out.contains(feed.mountPoint), "\(status)")
      let next = try mount()
      #expect(next == (0, "", ""))
      #expect(try feed.bytes(of: feed.path(1)) == Pattern.bytes(0..<300_000, seed: 1))
      _ = try feed.feedfs("unmount", feed.mountPoint)
    }

    @Test(arguments: [
      ("libxml2.so.2", "libxml2 cannot be loaded"), ("libcurl.so.4", "libcurl cannot be loaded"),
    ])
    func aMissingLibraryIsToldInOneLine(library: String, words: String) throws {
      // The loader finds this one first, and cannot use it.
      try feed.write("", to: "lib/" + library)
      let outcome = try mount(["LD_LIBRARY_PATH": feed.folder + "/lib"])
      #expect(MountedFeed.isRefusal(outcome, 69, words), "\(outcome)")
      #expect(outcome.err.contains("apt install"))
      #expect(!feed.isMounted)
      #expect(try ChildProcess.run(["ls", feed.folder + "/run/feedfs"]).out == "")
    }

    @Test func aMountThatWasReadOnceNeedsNoLibxml2() throws {
      #expect(try mount() == (0, "", ""))
      let truth = try feed.bytes(of: feed.path(1))
      _ = try feed.feedfs("unmount", feed.mountPoint)
      feed.origin.stop()
      try feed.write("", to: "lib/libxml2.so.2")

      #expect(try mount(["LD_LIBRARY_PATH": feed.folder + "/lib"]) == (0, "", ""))
      #expect(try feed.bytes(of: feed.path(1)) == truth)
      _ = try feed.feedfs("unmount", feed.mountPoint)
    }

    @Test func aMistakeInTheOptionsLeavesNoProcess() throws {
      let outcome = try feed.feedfs(
        "mount", feed.mountPoint, "--feed", feed.origin.url("/feed"), "--limit-rate", "fast")
      #expect(
        MountedFeed.isRefusal(outcome, 64, "'fast' is invalid for '--limit-rate"), "\(outcome)")
      let others = try ChildProcess.run(["pgrep", "-f", feed.mountPoint]).out
      #expect(others.isEmpty, "\(others)")
    }

    /// True if no process serves the mount any more.
    private var isDead: Bool {
      (try? ChildProcess.run(["ls", feed.mountPoint]))?.err.contains("not connected") ?? false
    }

    /// Mounts as users do: the command returns, and the daemon goes on.
    private func mount(
      _ variables: [String: String?] = [:]
    ) throws -> (status: Int32, out: String, err: String) {
      try ChildProcess.run(
        feed.command(["mount", feed.mountPoint, "--feed", feed.origin.url("/feed")]),
        environment: feed.environment.merging(variables) { $1 }, timeout: .seconds(30))
    }
  }
}
