import Blocks
import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Commands that steer a running mount, wherever they are typed.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount)) struct SteeringCommandTests {
    /// Each command, and its output.
    private static let commands: [(words: [String], says: String)] = [
      (["pause"], "PLACE is paused"), (["resume"], "PLACE is online"),
      (["offline"], "PLACE is offline"), (["online"], "PLACE is online"),
      (["limit", "2M"], "PLACE is online, limited to 2.0 MiB/s"),
      (["limit"], "PLACE is online, limited to 2.0 MiB/s"),
      (["limit", "off"], "PLACE is online"), (["limit"], "PLACE is online, without a limit"),
      (["metered"], "PLACE is online, not metered"),
      (["metered", "on"], "PLACE is online, metered"), (["metered"], "PLACE is online, metered"),
      (["metered", "off"], "PLACE is online"),
      (["feed", "refresh"], "refreshed 1 of 1 feeds"),
      (["feed", "more"], "0 new entries; the feed has no further page"),
    ]
    private static let shapes = ["refresh": "RefreshOutcome", "more": "MoreOutcome"]
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
    }

    @Test func onAPipeEachSaysHowTheMountIsFrom() throws {
      try feed.mount()
      for command in Self.commands {
        let outcome = try feed.feedfs(command.words + [feed.mountPoint])
        #expect(outcome.status == 0 && outcome.err.isEmpty)
        #expect(outcome.out == said(command.says) + "\n")
      }
    }

    @Test func onATerminalTheyAreTheSame() throws {
      try feed.mount()
      for command in Self.commands {
        let line = try feed.command(command.words + [feed.mountPoint])
        let outcome = try Terminal.run(line, columns: 200, environment: feed.environment)
        #expect(outcome.status == 0)
        #expect(outcome.text == said(command.says) + "\r\n")
      }
    }

    @Test func theJSONIsAsItIsDocumented() throws {
      try feed.mount()
      for command in Self.commands {
        let message = Self.shapes[command.words.last ?? ""] ?? "SteeringOutcome"
        let shape = try DocumentedShape(message)
        let outcome = try feed.feedfs(command.words + [feed.mountPoint, "--json"])
        #expect(try outcome.status == 0 && shape.faults(of: AnyJSON(outcome.out)) == [])
      }
    }

    @Test func withoutAMountTheySaySo() throws {
      for command in Self.commands {
        let outcome = try feed.feedfs(command.words + [feed.mountPoint])
        #expect(MountedFeed.isRefusal(outcome, 66, "no feed is mounted"), "\(outcome)")
      }
    }

    @Test func aDaemonThatIsStoppedOrDeadIsSaidNotToAnswer() throws {
      try feed.mount()
      try feed.killWithoutATrace()
      for command in Self.commands {
        let outcome = try feed.feedfs(command.words + [feed.mountPoint])
        #expect([66, 69, 75].contains(outcome.status), "\(outcome)")
        #expect(outcome.err.split(separator: "\n").count == 1 && outcome.out.isEmpty)
      }
    }

    @Test(.unless(OrdinaryUser.obstacle))
    func anothersMountIsNotTheirsToSteer() throws {
      try feed.mount()
      let user = try OrdinaryUser()
      var environment = feed.environment
      environment["XDG_RUNTIME_DIR"] = .some(nil)
      chmod(feed.folder, 0o755)
      for command in Self.commands {
        let outcome = try ChildProcess.run(
          user.run([user.feedfs] + command.words + [feed.mountPoint]), environment: environment)
        #expect([75, 77].contains(outcome.status), "\(outcome)")
        #expect(outcome.err.split(separator: "\n").count == 1 && outcome.out.isEmpty)
      }
      for options in [[], ["--force"]] {
        let outcome = try ChildProcess.run(
          user.run([user.feedfs, "unmount", feed.mountPoint] + options), environment: environment)
        #expect(outcome.status == 77 && outcome.out.isEmpty, "\(outcome)")
        #expect(outcome.err.split(separator: "\n").count == 1, "\(outcome)")
      }
      #expect(try feed.status().mode == .online)
    }

    private func said(_ words: String) -> String {
      words.replacing("PLACE", with: feed.mountPoint)
    }
  }
}
