import Glibc
import TestSupport
import Testing

extension Promises {
  /// A request that its own deadline cannot end, since the thread for that hangs.
  @Suite(
    .timeLimit(.minutes(4)),
    .enabled(if: geteuid() == 0 && isInstalled("strace"), "needs root and strace"))
  struct WatchdogTests {
    private static let size = 16 << 20
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      // A request is overdue after a minute, the shortest time possible.
      try feed.mount(options: ["--read-timeout", "5"])
    }

    @Test func aReaderThatNothingElseCanEndIsEndedWithTheMount() throws {
      #expect(try ChildProcess.run(["head", "-c", "4096", feed.path(1)]).status == 0)
      // The thread that hears the network notes that an answer broke off. The disk does not let it.
      try feed.origin.fault(.end, below: "/pattern/a", times: 1, after: 1000)
      let disk = try HangingDisk(under: feed, at: "renameat,renameat2", ofCached: false)
      let reader = try feed.reader(of: feed.path(1), at: 8 << 20)
      try #require(feed.waitUntilReading([(reader, feed.path(1))]))
      let daemon = try feed.process

      let overdue = try #require(
        try line("a request of a program is overdue", within: .seconds(90)))
      for words in [
        "by=dd (\(reader.pid))", "waits for=http://127.0.0.1:\(feed.origin.port)",
        "story=length \(Self.size), cached ", "fetches: ", "waits: ", "doing one",
      ] {
        #expect(overdue.contains(words), "\(words) in: \(overdue)")
      }
      // The watchdog looks every quarter of a minute.
      #expect((60..<80).contains { overdue.contains("since=\($0).") }, "\(overdue)")
      #expect(reader.isRunning && feed.isMounted)
      #expect(try ChildProcess.run(["ls", "-l", feed.mountPoint]).status == 0)

      _ = try #require(
        try line("a request of a program can never be answered, so feedfs ends the mount"))
      #expect(reader.wait(timeout: .seconds(5)) == 1)
      #expect(saidError(reader), "\(reader.errors.text)")
      let other = try ChildProcess.run(["ls", feed.mountPoint], timeout: .seconds(5))
      #expect(other.status != 0 && other.err.contains("Transport endpoint is not connected"))

      disk.goOn()
      #expect(daemon.wait(timeout: .seconds(10)) == 0)
      #expect(eventually { !feed.isMounted })
      #expect(try feed.cleanMarks() == [1])
    }

    /// Returns the daemon's first line with `words`, as soon as it appears.
    private func line(_ words: String, within timeout: Duration = .seconds(30)) throws -> Substring?
    {
      let log = try feed.process.errors
      _ = log.wait(timeout: timeout) { $0.contains(words) }
      return log.text.split(separator: "\n").first { $0.contains(words) }
    }
  }
}
