import Glibc
import TestSupport
import Testing

extension Promises {
  /// An origin that has stopped answering holds up only the readers that need it.
  @Suite(.timeLimit(.minutes(Claim.minutes)), .whateverLengthTheFeedClaims)
  struct StalledOriginTests {
    private static let size = 16 << 20
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
    }

    @Test(arguments: [SIGKILL, SIGINT], [nil, 1000])
    func aReaderInTheMiddleOfAFileIsGoneAtOnceWhenItIsToldTo(signal: Int32, after: Int?) throws {
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.mount()
      #expect(try head(of: feed.path(1)) == Pattern.bytes(0..<4096, seed: 1))
      try feed.origin.fault(.stall, below: "/pattern/a", after: after)
      let reader = try feed.plainReader(of: feed.path(1), from: 8 << 20)
      try #require(feed.waitUntilReading([(reader, feed.path(1))]))

      try expectEnd(of: reader, by: signal)
    }

    @Test(arguments: [SIGKILL, SIGINT])
    func aReaderThatWaitsForTheProofOfTheSizeIsGoneAtOnceWhenItIsToldTo(signal: Int32) throws {
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.mount()
      try feed.origin.fault(.stall, below: "/pattern/a")
      let reader = try feed.plainReader(of: feed.path(1), from: 0)
      try feed.origin.wait(requests: 1, below: "/pattern/a")

      try expectEnd(of: reader, by: signal)
    }

    @Test func sixtyFourWaitingReadersHoldUpNobodyElseAndAllGetTheirBytes() throws {
      let other = try OriginProcess()
      let cold = (1...4).map { PatternFile(name: "cold\($0)", size: Self.size, seed: UInt64($0)) }
      var elsewhere = PatternFile(name: "elsewhere", size: 1 << 20, seed: 6)
      elsewhere.url = other.url(elsewhere.path)
      try feed.serve(cold + [PatternFile(name: "kept", size: 1 << 20, seed: 5), elsewhere])
      try feed.mount()
      for number in 1...4 { _ = try head(of: feed.path(number)) }
      let kept = Pattern.bytes(0..<(1 << 20), seed: 5)
      #expect(try feed.bytes(of: feed.path(5)) == kept)
      try feed.origin.fault(.stall, below: "/pattern/cold")

      let readers = try (0..<Figure.waitingReaders.count).map { index in
        let number = 1 + index % 4
        let start = (1 + index / 4 % 15) << 20 | (index / 60) << 19
        let child = try feed.reader(of: feed.path(number), at: start)
        return (child: child, path: feed.path(number), seed: UInt64(number), start: start)
      }
      try #require(feed.waitUntilReading(readers.map { ($0.child, $0.path) }))

      let listing = Figure.listing.limit
      try expect("stat", ["stat", feed.path(1), feed.path(6)], within: listing)
      try expect("ls -l", ["ls", "-l", feed.mountPoint], within: listing)
      let cached = Figure.cachedBytes.limit
      try expect("a second open", ["head", "-c", "4096", feed.path(1)], within: cached)
      try expect("cached bytes", ["cat", feed.path(5)], kept, within: cached)
      try expect(
        "cached bytes from the daemon",
        ["dd", "if=\(feed.path(5))", "iflag=direct", "bs=128K", "status=none"], kept,
        within: cached)
      try expect(
        "another origin", ["cat", feed.path(6)], Pattern.bytes(0..<(1 << 20), seed: 6),
        within: listing)
      #expect(readers.allSatisfy { $0.child.isRunning })

      try feed.origin.clear(resume: true)
      for reader in readers {
        #expect(reader.child.wait(timeout: .seconds(30)) == 0)
        let bytes = reader.start..<reader.start + (64 << 10)
        #expect(reader.child.output.bytes == Pattern.bytes(bytes, seed: reader.seed))
      }
    }

    @Test(.enabled(if: hasPython, "needs python3"))
    func aReaderThatHandlesItsAlarmsIsNotDisturbedByThem() throws {
      let reader = try alarmedReader()
      try feed.origin.clear(resume: true)

      #expect(reader.wait(timeout: .seconds(20)) == 0)
      #expect(reader.output.bytes == Pattern.bytes(8 << 20..<(8 << 20) + (64 << 10), seed: 1))
      let asked = try feed.mediaRequests().filter { $0.fault == "stall" }
      #expect(asked.count == 1, "an alarm cancelled what the reader waited for")
    }

    @Test(.enabled(if: hasPython, "needs python3"))
    func aReaderThatHadAnAlarmCanStillBeKilled() throws {
      try expectEnd(of: try alarmedReader(), by: SIGKILL)
    }

    private static let hasPython = (try? ChildProcess.run(["python3", "-c", ""]))?.status == 0

    /// Starts a reader that waits in a direct read, which signals interrupt, with an alarm pending.
    private func alarmedReader() throws -> ChildProcess {
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.mount()
      _ = try head(of: feed.path(1))
      try feed.origin.fault(.stall, below: "/pattern/a")
      let program = """
        import mmap, os, signal, sys
        signal.signal(signal.SIGALRM, lambda *_: None)
        file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
        buffer = mmap.mmap(-1, 65536)
        signal.setitimer(signal.ITIMER_REAL, 0.5, 0.1)
        count = os.preadv(file, [buffer], 8 << 20)
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.buffer.write(buffer[:count])
        """
      let reader = try ChildProcess(["python3", "-c", program, feed.path(1)])
      try feed.origin.wait(requests: 2, below: "/pattern/a")
      try #require(eventually { hasPendingAlarm(reader) }, "the alarm did not come")
      return reader
    }

    private func hasPendingAlarm(_ child: ChildProcess) -> Bool {
      contents(of: "/proc/\(child.pid)/status").split(separator: "\n").contains { line in
        guard line.hasPrefix("ShdPnd:"), let mask = line.split(separator: "\t").last else {
          return false
        }
        return (UInt64(mask, radix: 16) ?? 0) & 1 << UInt64(SIGALRM - 1) != 0
      }
    }

    private func head(of path: String) throws -> [UInt8] {
      let child = try ChildProcess(["head", "-c", "4096", path])
      #expect(child.wait(timeout: .seconds(20)) == 0)
      return child.output.bytes
    }

    private func expectEnd(of reader: ChildProcess, by signal: Int32) throws {
      let (status, time) = measured("a waiting reader's end by signal \(signal)") {
        reader.signal(signal)
        return reader.wait(timeout: .seconds(10))
      }
      #expect(status == 128 + signal)
      #expect(time < Figure.killed.limit)
    }

    private func expect(
      _ what: String, _ command: [String], _ bytes: [UInt8]? = nil, within limit: Duration
    ) throws {
      let (child, time) = try measured(what) {
        let child = try ChildProcess(command)
        #expect(child.wait(timeout: .seconds(20)) == 0, "\(what): \(child.errors.text)")
        return child
      }
      #expect(time < limit, "\(what)")
      if let bytes { #expect(child.output.bytes == bytes, "\(what)") }
    }
  }
}
