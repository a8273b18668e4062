import Control
import Glibc
import Synchronization
import TestSupport
import Testing

extension Promises {
  /// Clearing harms no reader, and pinned files stay.
  @Suite(.timeLimit(.minutes(3))) struct CacheClearingTests {
    private static let size = 8 << 20

    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try serve(by: feed)
      return feed
    }

    private func feed() throws -> MountedFeed {
      let feed = try MountedFeed()
      try serve(by: feed)
      return feed
    }

    private func serve(by feed: any Drive) throws {
      try feed.serve(
        (1...8).map { PatternFile(name: "\($0)", size: Self.size, seed: UInt64($0)) })
    }

    @Test(arguments: DriveKind.all, [["0001.mp4"], []])
    func whoReadsWhatIsClearedGoesOn(on drive: DriveKind, names: [String]) throws {
      let feed = try feed(on: drive)
      try feed.mount()
      let readers = Crowd()
      let count = Mutex(0)
      for _ in 1...3 {
        try readers.join {
          repeat { try readThrice(1, of: feed) } while count.withLock { $0 } < 2
        }
      }
      while !readers.wait(until: .now + .milliseconds(30)) {
        _ = try feed.change(.clear(names))
        count.withLock { $0 += 1 }
      }
      #expect(readers.failures == [])
      #expect(try feed.verify([]) == [:])
    }

    /// The kernel reads a complete file without the daemon, where it can.
    @Test func aCompleteFileThatIsOpenIsClearedAndBothItsOldAndItsNewReadersAreRight() throws {
      let feed = try feed()
      try feed.mount()
      #expect(try isRight(1, of: feed))
      try feed.settle()
      let old = try MountedFile(feed.path(1))
      let half = Self.size / 2
      #expect(try old.read(0..<half) == Pattern.bytes(0..<half, seed: 1))
      #expect(try feed.cache("clear").status == 0)
      #expect(try feed.kept()["0001.mp4"]?.cached ?? 0 < Self.size)
      #expect(try old.readAll() == Pattern.bytes(0..<Self.size, seed: 1))
      try old.forgetPages()
      #expect(try old.readAll() == Pattern.bytes(0..<Self.size, seed: 1))
      #expect(try isRight(1, of: feed))
    }

    @Test func theDiskHasItsSpaceBackThoughTheFileIsOpen() throws {
      let feed = try feed()
      try feed.mount(options: ["--no-passthrough"])
      let reader = try MountedFile(feed.path(1))
      #expect(try reader.readAll() == Pattern.bytes(0..<Self.size, seed: 1))
      try feed.settle()
      #expect(try feed.cache("clear", "0001.mp4").status == 0)
      #expect(try eventually { try !hasUnlinkedFiles(feed) })
      #expect(try feed.kept()["0001.mp4"]?.stored ?? 0 < 1 << 20)
    }

    /// Reads are right after the kill, whatever the kill left of the files.
    @Test(
      .enabled(if: AttachedTracer.isThere, "strace is not installed, or not root's"),
      arguments: 1...6)
    func aDaemonThatIsKilledWhileItClearsLeavesNothingWrong(at call: Int) throws {
      let feed = try feed()
      try feed.mount()
      for number in 1...3 { #expect(try isRight(number, of: feed)) }
      try feed.settle()
      // Three entries have two files each, which are unlinked one by one.
      let tracer = try AttachedTracer(
        to: feed,
        ["-e", "trace=/^unlink", "-e", "inject=/^unlink:signal=SIGKILL:when=\(call)"])
      defer { tracer.detach() }
      let clearing = try ChildProcess(
        [BuiltBinary.path("feedfs"), "cache", "clear", "--cache-dir", feed.cacheDirectory],
        environment: feed.environment)
      #expect(try feed.process.wait(timeout: .seconds(20)) == 128 + SIGKILL)
      try feed.kill()
      _ = clearing.wait(timeout: .seconds(20))
      try feed.mount()
      for number in 1...3 { #expect(try isRight(number, of: feed)) }
      #expect(try feed.cache("verify").out.contains("nothing is wrong"))
    }

    // MARK: Pins

    @Test(arguments: DriveKind.all)
    func aPinnedFileComesByItselfAndStaysWhenTheCacheIsFull(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      // Room for a quarter of the feed.
      try feed.mount(options: ["--cache-size", "16M", "--min-free", "0"])
      #expect(try feed.change(.pin(["0002.mp4"])).files == ["0002.mp4"])
      #expect(try eventually { try feed.kept()["0002.mp4"]?.isComplete == true })
      for number in [1, 3, 4, 5, 6, 7, 8] { #expect(try isRight(number, of: feed)) }
      #expect(try feed.usedSpace <= 20 << 20)
      #expect(try feed.kept()["0002.mp4"]?.isComplete == true)
      try feed.settle()
      feed.origin.stop()
      #expect(try isRight(2, of: feed))
    }

    @Test(.enabled(if: geteuid() == 0, "a disk of its own can only be had by root"))
    func aPinThatCannotBeWrittenDownIsRefused() throws {
      let feed = try MountedFeed()
      let disk = try CacheDisk(for: feed, megabytes: 8)
      try feed.serve([PatternFile(name: "a", size: 1 << 20)])
      try feed.mount(options: ["--min-free", "0"])
      let filler = feed.cacheDirectory + "/filler"
      let filled = try ChildProcess.run(["dd", "if=/dev/zero", "of=\(filler)", "bs=64K"])
      #expect(filled.err.contains("No space left"))
      #expect(MountedFeed.isRefusal(try feed.cache("pin", "0001.mp4"), 69, "pin again"))

      #expect(unlink(filler) == 0)
      #expect(try feed.cache("pin", "0001.mp4").out == "pinned 1 file\n")
      let pinned = try ChildProcess.run(["find", feed.cacheDirectory, "-name", "pinned"])
      #expect(pinned.out.hasSuffix("/pinned\n"), "\(pinned)")
      try feed.unmount()
      withExtendedLifetime(disk) {}
    }

    @Test func aPinIsFinishedAfterAKillAndWhereAnotherMountNeedsTheRoomItStays() throws {
      let feed = try feed()
      try feed.mount()
      try feed.origin.network(latency: .milliseconds(1), rate: 2 << 20)
      #expect(try feed.cache("pin", "0001.mp4", "0002.mp4").status == 0)
      try feed.origin.wait(requests: 1, below: "/pattern/1.")
      try feed.kill()
      try feed.origin.network(latency: .zero, rate: 0)
      try feed.mount()
      #expect(
        try eventually {
          let kept = try feed.kept()
          return kept["0001.mp4"]?.isComplete == true && kept["0002.mp4"]?.isComplete == true
        })
      try feed.unmount()

      let other = try MountedFeed(sharing: feed)
      try other.serve(
        (1...4).map { PatternFile(name: "\($0)", size: Self.size, seed: UInt64($0)) })
      try other.mount(options: ["--cache-size", "24M", "--min-free", "0"])
      for number in 1...4 { _ = try MountedFile(other.path(number)).readAll() }
      try other.unmount()
      feed.origin.stop()
      try feed.mount()
      #expect(try isRight(1, of: feed))
      #expect(try isRight(2, of: feed))
    }

    @Test(arguments: DriveKind.all)
    func aPinnedFileStaysInTheListingWhenItsFeedDropsIt(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount()
      #expect(try feed.change(.pin(["0002.mp4"])).files == ["0002.mp4"])
      try feed.serve(
        ([1] + (3...8)).map { PatternFile(name: "\($0)", size: Self.size, seed: UInt64($0)) })
      #expect(try feed.refresh().errors == [])
      #expect(try feed.names().contains("0002.mp4"))
      #expect(try eventually { try feed.kept()["0002.mp4"]?.isComplete == true })
      #expect(try feed.change(.unpin(["0002.mp4"])).files == ["0002.mp4"])
      #expect(try feed.change(.clear(["0002.mp4"])).files == ["0002.mp4"])
      #expect(try eventually { try !feed.names().contains("0002.mp4") })
    }

    @Test(arguments: DriveKind.all) func whatIsPinnedAwaitsItsOrigin(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.mount()
      try feed.origin.fault(.status, below: "/pattern/1.", ["code": "503"])
      let pinned = try feed.change(.pin(["0001.mp4", "0002.mp4"]))
      #expect(pinned.files == ["0001.mp4", "0002.mp4"])
      #expect(try eventually { try feed.kept()["0002.mp4"]?.isComplete == true })
      try feed.origin.clear(below: "/pattern/")
      #expect(
        try eventually(within: .seconds(60)) { try feed.kept()["0001.mp4"]?.isComplete == true })
    }

    // MARK: Private

    private func isRight(_ number: Int, of feed: any Drive) throws -> Bool {
      try feed.open(feed.path(number)).readAll()
        == Pattern.bytes(0..<Self.size, seed: UInt64(number))
    }

    /// Reads a file three times, past the page cache.
    private func readThrice(_ number: Int, of feed: any Drive) throws {
      let file = try feed.open(feed.path(number))
      for _ in 0..<3 {
        for start in stride(from: 0, to: Self.size, by: 1 << 20) {
          let range = start..<start + 1 << 20
          guard try file.read(range) == Pattern.bytes(range, seed: UInt64(number)) else {
            throw TestToolError("wrong bytes in \(range)")
          }
        }
        try (file as? MountedFile)?.forgetPages()
      }
    }

    /// Whether the daemon has unlinked data files open.
    private func hasUnlinkedFiles(_ feed: MountedFeed) throws -> Bool {
      let pid = try feed.process.pid
      let open = try ChildProcess.run(["ls", "-l", "/proc/\(pid)/fd"]).out
      return open.contains(".data (deleted)")
    }
  }
}
