import Control
import Dispatch
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The kernel alone reads a complete file, and readers notice nothing but the speed.
  @Suite(
    .timeLimit(.minutes(2)),
    .unless(Passthrough.obstacle))
  struct PassthroughTests {
    private static let size = 4 << 20 + 4_321
    private let feed: MountedFeed
    private let disk: CacheDisk
    private let truth = Pattern.bytes(0..<size, seed: 1)

    init() throws {
      feed = try MountedFeed()
      disk = try CacheDisk(for: feed, megabytes: 64)
      try feed.serve([PatternFile(name: "a", size: Self.size)])
    }

    // MARK: Which files

    @Test func aFileLeavesTheDaemonWhenItBecomesCompleteAndOpenHandlesGoOn() throws {
      try feed.mount()
      #expect(try eventually { try feed.status().passthrough == true })
      let old = try MountedFile(feed.path(1))
      #expect(try old.read(0..<100_000) == Array(truth[..<100_000]))
      #expect(try !passesThrough())
      #expect(try old.readAll() == truth)

      #expect(try eventually { try passesThrough() })
      #expect(try !old.passesThrough(past: feed.process))
      let new = try MountedFile(feed.path(1))
      #expect(try new.readAll() == truth)
      #expect(try old.readAll() == truth)
      #expect(try new.status().st_ino == old.status().st_ino)
      #expect(try new.status().st_size == Self.size)
      #expect(feed.attributes(of: feed.path(1)).contains("user.feedfs.state=complete"))
    }

    @Test func afterACleanStopTheFirstOpenPassesThrough() throws {
      try complete()
      try feed.unmount()
      feed.origin.stop()
      try feed.mount()
      #expect(try MountedFile(feed.path(1)).passesThrough(past: feed.process, within: .seconds(10)))
      #expect(try MountedFile(feed.path(1)).readAll() == truth)
    }

    @Test func withoutLeaveTheDaemonAnswers() throws {
      try complete()
      try feed.unmount()
      try feed.mount(options: ["--no-passthrough"])
      #expect(try feed.status().passthrough == false)
      #expect(try !passesThrough())
      #expect(try MountedFile(feed.path(1)).readAll() == truth)
    }

    @Test(arguments: [0, 2_000_000, size - 1])
    func afterAKillNoByteIsPassedThroughThatWasNotCompared(flipped: Int) throws {
      try complete()
      try feed.kill()
      let data = try #require(try disk.data().first)
      try flip(data, at: flipped)

      try feed.mount()
      let first = try MountedFile(feed.path(1))
      // Before the wrong block is found, and after it was fetched again.
      for _ in 0..<20 {
        let file = try MountedFile(feed.path(1))
        #expect(try file.read(flipped..<flipped + 1) == [truth[flipped]])
      }
      #expect(try first.readAll() == truth)
      #expect(try eventually { try passesThrough() })
      #expect(try MountedFile(feed.path(1)).readAll() == truth)
    }

    @Test func aFileWithAHoleIsNotPassedThroughWhileItCannotBeMended() throws {
      try complete()
      try feed.kill()
      let data = try #require(try disk.data().first)
      let punched = try ChildProcess.run(["fallocate", "-p", "-o", "1000000", "-l", "70000", data])
      try #require(punched.status == 0)
      feed.origin.stop()

      try feed.mount(options: ["--read-timeout", Duration.seconds(1).option])
      let file = try MountedFile(feed.path(1))
      #expect(try file.failure(of: 1_000_000..<1_010_000) == EIO)
      #expect(try file.read(2_000_000..<2_100_000) == Array(truth[2_000_000..<2_100_000]))
      #expect(try !passesThrough())
      #expect(try MountedFile(feed.path(1)).failure(of: 1_000_000..<1_010_000) == EIO)
    }

    @Test func anotherVersionAtTheOriginIsAnotherFile() throws {
      try feed.origin.describe(below: "/pattern/", cacheControl: "max-age=0")
      try complete()
      let old = try MountedFile(feed.path(1))
      let inode = try old.status().st_ino
      try feed.origin.version(1, below: "/pattern/")
      #expect(try eventually { try MountedFile(feed.path(1)).status().st_ino != inode })
      #expect(
        try MountedFile(feed.path(1)).readAll() == Pattern.bytes(0..<Self.size, seed: 2))
      #expect(try eventually { try passesThrough() })
      #expect(try old.passesThrough(past: feed.process, within: .seconds(10)))
      #expect(try old.readAll() == truth)
    }

    // MARK: Ways of reading

    @Test(arguments: WayOfReading.allCases)
    func everyWayOfReadingGivesTheSameBytes(way: WayOfReading) throws {
      try complete()
      let file = try MountedFile(feed.path(1))
      #expect(try file.with { way.read($0, Self.size) } == truth)
      #expect(try file.passesThrough(past: feed.process, within: .seconds(10)))
    }

    @Test(arguments: ["cp FILE COPY", "dd if=FILE of=COPY iflag=direct bs=64K"])
    func programsReadItAsAnyFile(command: String) throws {
      try complete()
      let copy = feed.folder + "/copy"
      let words = command.split(separator: " ").map {
        String($0).replacing("FILE", with: feed.path(1)).replacing("COPY", with: copy)
      }
      let outcome = try ChildProcess.run(words)
      #expect(outcome.status == 0, "\(outcome.err)")
      #expect(try feed.bytes(of: copy) == truth)
    }

    // MARK: Refusal by the kernel

    /// With a cache on overlayfs, the kernel offers passthrough but then refuses the file.
    @Test(.enabled(if: contents(of: "/proc/filesystems").contains("overlay")))
    func aKernelThatRefusesIsNotSeenByReaders() throws {
      let cache = feed.cacheDirectory
      for name in ["lower", "upper", "work"] { mkdir("\(cache)/\(name)", 0o700) }
      let layers = "lowerdir=\(cache)/lower,upperdir=\(cache)/upper,workdir=\(cache)/work"
      try #require(Glibc.mount("overlay", cache, "overlay", 0, layers) == 0)
      defer { umount2(cache, Int32(MNT_DETACH)) }

      try feed.mount()
      #expect(try MountedFile(feed.path(1)).readAll() == truth)
      try feed.unmount()
      try feed.mount()
      #expect(try eventually { try feed.status().passthrough == true })
      #expect(try MountedFile(feed.path(1)).readAll() == truth)
      #expect(try feed.status().passthrough == false)
      #expect(try !passesThrough())
    }

    // MARK: The end

    @Test func aMountWhoseFilesPassThroughIsBusyAndEndsAtOnceWhenItIsTold() throws {
      try complete()
      let file = try MountedFile(feed.path(1))
      #expect(try file.passesThrough(past: feed.process, within: .seconds(10)))
      let busy = try measured("unmount of a busy mount") {
        try feed.feedfs("unmount", feed.mountPoint).status
      }
      #expect(busy.result != 0 && busy.time < .seconds(8).here)
      #expect(try file.readAll() == truth)

      let daemon = try feed.process
      let end = measured("SIGTERM") {
        daemon.terminate()
        return daemon.wait(timeout: .seconds(10))
      }
      #expect(end.result == 0 && end.time < .seconds(8).here)
      #expect(!feed.isMounted)
      // Passthrough needs no daemon.
      #expect(try file.readAll() == truth)
    }

    // MARK: Private

    /// Mounts and reads the file until it passes through.
    private func complete() throws {
      try feed.mount()
      #expect(try MountedFile(feed.path(1)).readAll() == truth)
      try #require(try eventually { try passesThrough() })
    }

    /// Whether a new open of the file passes through.
    private func passesThrough() throws -> Bool {
      try MountedFile(feed.path(1)).passesThrough(past: feed.process)
    }

    private func flip(_ path: String, at offset: Int) throws {
      let file = open(path, O_RDWR | O_CLOEXEC)
      defer { close(file) }
      var byte: UInt8 = 0
      guard pread(file, &byte, 1, offset) == 1 else { throw TestToolError("\(path) is not read") }
      byte ^= 0x10
      guard pwrite(file, &byte, 1, offset) == 1 else { throw TestToolError("\(path) stays") }
    }
  }
}
