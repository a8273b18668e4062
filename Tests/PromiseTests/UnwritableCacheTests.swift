import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A cache that takes nothing costs only the cache: all reads are right.
  @Suite(.timeLimit(.minutes(3))) struct UnwritableCacheTests {
    private static let size = 30 << 20
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([
        PatternFile(name: "a", size: Self.size), PatternFile(name: "b", size: 1 << 20, seed: 2),
      ])
    }

    @Test func withoutFreeSpaceNothingIsKeptAndAllIsReadRight() throws {
      try feed.mount(options: ["--min-free", "100%"])

      try expectWhole()
      try expectRandomReads()
      #expect(try feed.storedBytes() == 0)
      let status = try feed.status()
      #expect(status.cache.problem?.contains("space") == true, "\(status.cache)")
      #expect(try feed.feedfs("status", feed.mountPoint).out.contains("nothing is cached"))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root for a disk of its own"))
    func aDiskThatFillsUpWhileReadingDoesNoHarm() throws {
      mkdir(feed.cacheDirectory, 0o700)
      try #require(
        Glibc.mount("tmpfs", feed.cacheDirectory, "tmpfs", 0, "size=4m,mode=0700") == 0)
      defer { umount2(feed.cacheDirectory, Int32(MNT_DETACH)) }
      try feed.mount(options: ["--min-free", "0"])

      try expectWhole()
      try expectRandomReads()
      #expect(try feed.status().cache.problem != nil)
      #expect(try feed.process.isRunning)
    }

    @Test func aCacheThatIsRemovedWhileMountedDoesNoHarm() throws {
      try feed.mount()
      #expect(try ChildProcess.run(["head", "-c", "4096", feed.path(1)]).status == 0)
      _ = try ChildProcess.run(["rm", "-rf", feed.cacheDirectory])

      try expectWhole()
      #expect(try feed.bytes(of: feed.path(2)) == Pattern.bytes(0..<(1 << 20), seed: 2))
      #expect(try feed.process.isRunning)
      try feed.unmount()
    }

    /// A cache without any access, or without write access, as on a read-only disk.
    @Test(
      .unless(OrdinaryUser.obstacle),
      arguments: ["a-rwx", "a-w"])
    func aCacheThatMayNotBeWrittenAnyMoreDoesNoHarm(mode: String) throws {
      let feed = try MountedFeed(by: OrdinaryUser())
      let files = (1...3).map { PatternFile(name: "\($0)", size: 3 << 20, seed: UInt64($0)) }
      try feed.serve(files)
      let truths = try files.map { try feed.truth(of: $0) }
      try feed.mount()
      #expect(try feed.digest(of: feed.path(1)) == truths[0])
      _ = try ChildProcess.run(["chmod", "-R", mode, feed.cacheDirectory])

      for _ in 1...2 {
        for number in 1...3 {
          #expect(try feed.digest(of: feed.path(number)) == truths[number - 1])
        }
      }
      #expect(try feed.process.isRunning)
      // The cache can be written again, and nothing in it is wrong.
      _ = try ChildProcess.run(["chmod", "-R", "u+rwX", feed.cacheDirectory])
      try feed.kill()
      try feed.mount()
      for number in 1...3 {
        #expect(try feed.digest(of: feed.path(number)) == truths[number - 1])
      }
    }

    private func expectWhole() throws {
      let child = try ChildProcess(["sha256sum", feed.path(1)])
      #expect(child.wait(timeout: .seconds(40)) == 0, "\(child.errors.text)")
      let url = feed.origin.url("/pattern/a.mp4?size=\(Self.size)&seed=1")
      let truth = try ChildProcess.run(["sh", "-c", "curl -sf '\(url)' | sha256sum"])
      #expect(child.output.text.prefix(64) == truth.out.prefix(64))
    }

    /// Reads to and fro, which drops earlier bytes from the memory.
    private func expectRandomReads() throws {
      for offset in [29 << 20, 3, 17 << 20, (9 << 20) - 5, 3 << 20, (30 << 20) - (64 << 10)] {
        let reader = try feed.reader(of: feed.path(1), at: offset)
        #expect(reader.wait(timeout: .seconds(20)) == 0, "\(reader.errors.text)")
        #expect(
          reader.output.bytes == Pattern.bytes(offset..<offset + (64 << 10), seed: 1), "\(offset)")
      }
    }
  }
}
