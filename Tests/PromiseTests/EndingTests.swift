import Glibc
import TestSupport
import Testing

extension Promises {
  /// A mount ends at once and in order when told to; unless forced, not while it is in use.
  @Suite(.timeLimit(.minutes(3))) struct EndingTests {
    private static let size = 16 << 20
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.mount()
    }

    /// A way to end a mount that is in use.
    enum Force: CaseIterable, Sendable {
      case sigterm, sigint, sigintTwice, sighup, unmountForce

      func end(_ daemon: ChildProcess, of feed: MountedFeed) throws {
        switch self {
        case .sigterm: daemon.signal(SIGTERM)
        case .sigint: daemon.signal(SIGINT)
        case .sigintTwice: for _ in 1...2 { daemon.signal(SIGINT) }
        case .sighup: daemon.signal(SIGHUP)
        case .unmountForce:
          let outcome = try feed.feedfs("unmount", "--force", feed.mountPoint)
          guard outcome.status == 0 else { throw TestToolError("not ended: \(outcome.err)") }
        }
      }
    }

    @Test(arguments: Force.allCases)
    func twentyFourStalledReadsDoNotKeepADaemonFromEnding(force: Force) throws {
      try readHead()
      try feed.origin.fault(.stall, below: "/pattern/a")
      let readers = try (0..<24).map { index in
        (try feed.reader(of: feed.path(1), at: (1 + index % 15) << 20), feed.path(1))
      }
      try #require(feed.waitUntilReading(readers))

      let daemon = try feed.process
      let (status, time) = try measured("\(force) with 24 stalled reads") {
        try force.end(daemon, of: feed)
        return daemon.wait(timeout: .seconds(10))
      }
      #expect(status == 0)
      #expect(time < Figure.ending.time.here)
      for (reader, _) in readers {
        #expect(reader.wait(timeout: .seconds(5)) == 1)
        #expect(saidError(reader), "\(reader.errors.text)")
      }
      try expectEmptyAndClean()
    }

    @Test func aDaemonThatIsStoppedDoesNotKeepItsReaders() throws {
      try readHead()
      try feed.origin.fault(.stall, below: "/pattern/a")
      let reader = try feed.plainReader(of: feed.path(1), from: 8 << 20)
      try #require(feed.waitUntilReading([(reader, feed.path(1))]))
      let daemon = try feed.process
      daemon.freeze()
      defer { daemon.signal(SIGCONT) }

      let outcome = try feed.feedfs("unmount", "--force", feed.mountPoint)
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(reader.wait(timeout: .seconds(20)) == 1)
      #expect(eventually { !feed.isMounted })
    }

    @Test func aMountThatIsTakenAwayLazilyServesWhoReadsItToTheEnd() throws {
      try readHead()
      try feed.origin.fault(.stall, below: "/pattern/a")
      let readers = try (0..<24).map { index in
        (try feed.reader(of: feed.path(1), at: (1 + index % 15) << 20), feed.path(1))
      }
      try #require(feed.waitUntilReading(readers))

      #expect(try ChildProcess.run(["fusermount3", "-uz", feed.mountPoint]).status == 0)
      #expect(!feed.isMounted)
      #expect(readers.allSatisfy { $0.0.isRunning })
      try feed.origin.clear(resume: true)
      for (index, (reader, _)) in readers.enumerated() {
        #expect(reader.wait(timeout: .seconds(30)) == 0, "\(reader.errors.text)")
        let start = (1 + index % 15) << 20
        #expect(reader.output.bytes == Pattern.bytes(start..<start + (64 << 10), seed: 1))
      }
      // A mount namespace that somebody else makes meanwhile has a copy of the mount, until it ends.
      #expect(try feed.process.wait(timeout: .seconds(120)) == 0)
      try expectEmptyAndClean()
    }

    /// A way to take down an idle mount.
    enum Way: CaseIterable, Sendable {
      case umount, fusermount, feedfs

      func take(down mountPoint: String, of feed: MountedFeed) throws -> Int32 {
        switch self {
        case .umount: try ChildProcess.run(["umount", mountPoint]).status
        case .fusermount: try ChildProcess.run(["fusermount3", "-u", mountPoint]).status
        case .feedfs: try feed.feedfs("unmount", mountPoint).status
        }
      }
    }

    @Test(arguments: Way.allCases.filter { $0 != .umount || geteuid() == 0 })
    func aBusyMountStaysAndAnIdleOneIsFlushed(way: Way) throws {
      try readHead()
      try feed.origin.fault(.stall, below: "/pattern/a")
      let reader = try feed.reader(of: feed.path(1), at: 8 << 20)
      try #require(feed.waitUntilReading([(reader, feed.path(1))]))

      let busy = try measured("\(way) of a busy mount") {
        try way.take(down: feed.mountPoint, of: feed)
      }
      #expect(busy.result != 0)
      #expect(busy.time < Figure.ending.time.here)
      #expect(reader.isRunning && feed.isMounted)
      try feed.origin.clear(resume: true)
      #expect(reader.wait(timeout: .seconds(20)) == 0)
      #expect(reader.output.bytes == Pattern.bytes(8 << 20..<(8 << 20) + (64 << 10), seed: 1))

      let daemon = try feed.process
      let idle = try measured("\(way) of an idle mount") {
        let status = try way.take(down: feed.mountPoint, of: feed)
        return (status: status, end: daemon.wait(timeout: .seconds(10)))
      }
      #expect(idle.result == (0, 0))
      #expect(idle.time < Figure.ending.time.here)
      try expectEmptyAndClean()
    }

    @Test func aMountWhoseDaemonDiedIsReplacedByTheNextOne() throws {
      let daemon = try feed.process
      for helper in try helpers(of: daemon.pid) { Glibc.kill(helper, SIGKILL) }
      daemon.signal(SIGKILL)
      _ = daemon.wait(timeout: .seconds(10))
      let dead = try ChildProcess.run(["ls", feed.mountPoint])
      try #require(dead.err.contains("Transport endpoint is not connected"), "\(dead)")

      try feed.mount()
      try readHead()
      try feed.unmount()
      #expect(!feed.isMounted)
    }

    /// The helper of a dead daemon cleans up, and must not take the next mount for its own.
    @Test func aMountMadeStraightAfterAKillStays() throws {
      for _ in 0..<4 {
        let daemon = try feed.process
        let old = try helpers(of: daemon.pid)
        daemon.signal(SIGKILL)
        _ = daemon.wait(timeout: .seconds(10))
        try feed.mount()
        #expect(eventually { old.allSatisfy { Glibc.kill($0, 0) != 0 } })
        try readHead()
        #expect(feed.isMounted)
      }
      try feed.unmount()
    }

    /// The children of the daemon: the fusermount3 that would clean up after it.
    private func helpers(of pid: pid_t) throws -> [pid_t] {
      let found = try ChildProcess.run(["pgrep", "-P", "\(pid)"])
      return found.out.split(separator: "\n").compactMap { pid_t($0) }
    }

    private func readHead() throws {
      #expect(try ChildProcess.run(["head", "-c", "4096", feed.path(1)]).status == 0)
    }

    private func expectEmptyAndClean() throws {
      #expect(!feed.isMounted)
      #expect(try ChildProcess.run(["ls", "-A", feed.mountPoint]).out == "")
      #expect(try feed.cleanMarks() == [1])
    }
  }
}
