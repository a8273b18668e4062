import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The disk of the cache accepts writes, but fails to make them durable.
  @Suite(.timeLimit(.minutes(4)))
  struct FailingDiskTests {
    private static let file = PatternFile(name: "a", size: 48 << 20)
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([Self.file])
    }

    @Test(arguments: PowerDisk.FileSystem.allCases.filter(\.isThere))
    func whatTheDiskThrowsAwayIsNeverRead(_ kind: PowerDisk.FileSystem) throws {
      let disk = try FailingDisk(for: feed, kind, room: 6 << 20)
      try feed.mount(options: ["--min-free", "0"])
      let player = try ChildProcess(["cat", feed.path(1)])
      // Long enough for several flushes: before, while and after they fail.
      var random = SeededRandom(seed: 1)
      let opened = try open()
      let end = ContinuousClock.now + .seconds(5)
      while .now < end {
        let start = random.below(Self.file.size - 100_000)
        _ = try opened.with { posix_fadvise($0, 0, 0, POSIX_FADV_DONTNEED) }
        try disk.forgetPages()
        try read(start..<start + 1 + random.below(100_000), of: opened)
      }
      #expect(player.wait(timeout: .seconds(60)) == 0)
      let whole = 0..<Self.file.size
      #expect(
        player.output.bytes.elementsEqual(whole, of: Pattern.bytes(whole, seed: Self.file.seed)))
      try disk.forgetPages()
      try readAll()
      #expect(try feed.process.isRunning)

      // Durable bytes are right, and lost ones are fetched again.
      try feed.kill()
      try feed.mount(options: ["--min-free", "0"])
      try readAtRandom(seed: 2)
      try disk.mend()
      try disk.forgetPages()
      try readAll()
      try feed.unmount()
      try disk.forgetPages()
      try feed.mount(options: ["--min-free", "0"])
      try readAll()
      try feed.kill()
      withExtendedLifetime(disk) {}
    }

    /// The disk can neither be read nor written any more.
    @Test(arguments: PowerDisk.FileSystem.allCases.filter(\.isThere))
    func aDiskThatFailsAltogetherCostsTheCacheAlone(_ kind: PowerDisk.FileSystem) throws {
      let disk = try PowerDisk(for: feed, kind)
      // So slow that the film is not complete when its disk fails.
      try feed.origin.network(rate: 3 << 20)
      try feed.mount(options: ["--min-free", "0"])
      let opened = try open()
      for start in stride(from: 0, to: 10 << 20, by: 1 << 20) {
        try read(start..<start + 1 << 20, of: opened)
      }
      try disk.cut()
      try feed.origin.network(rate: 32 << 20)
      try readAtRandom(seed: 3)
      try readAll()
      #expect(try feed.process.isRunning)
      #expect(try eventually { try feed.status().cache.problem != nil })
      try feed.kill()
      try disk.restore()
      try feed.mount(options: ["--min-free", "0"])
      try readAll()
      try feed.kill()
    }

    /// The kernel has read the film by itself, and opens its cache file for each reader. A file system
    /// that has given up opens nothing.
    @Test(.unless(Passthrough.obstacle), arguments: PowerDisk.FileSystem.allCases.filter(\.isThere))
    func aCompleteFilmCanBeOpenedWhenItsDiskHasFailed(_ kind: PowerDisk.FileSystem) throws {
      let disk = try PowerDisk(for: feed, kind)
      try feed.mount(options: ["--min-free", "0"])
      try readAll()
      #expect(try eventually { try open().passesThrough(past: feed.process) })
      try disk.cut()
      try readAll()
      #expect(try feed.process.isRunning)
      try feed.kill()
    }

    private func open(line: Int = #line) throws -> MountedFile {
      do {
        return try MountedFile(feed.path(1))
      } catch {
        let said = (try? feed.process.errors.text) ?? ""
        throw TestToolError("line \(line): \(error); \(said)")
      }
    }

    private func readAll(line: Int = #line) throws {
      let opened = try open(line: line)
      for start in stride(from: 0, to: Self.file.size, by: 128 << 10) {
        try read(start..<start + 128 << 10, of: opened, line: line)
      }
    }

    private func readAtRandom(seed: UInt64, line: Int = #line) throws {
      let opened = try open(line: line)
      var random = SeededRandom(seed: seed)
      for _ in 0..<40 {
        let start = random.below(Self.file.size - 100_000)
        try read(start..<start + 1 + random.below(100_000), of: opened)
      }
    }

    private func read(
      _ range: Range<Int>, of opened: MountedFile, line: Int = #line
    ) throws {
      let bytes: [UInt8]
      do {
        bytes = try opened.read(range)
      } catch {
        throw TestToolError("line \(line): \(range): \(error)")
      }
      let right = Pattern.bytes(range, seed: Self.file.seed)
      guard bytes != right else { return }
      let wrong = zip(bytes, right).enumerated().filter { $1.0 != $1.1 }
      let zeros = wrong.count { $0.element.0 == 0 }
      throw TestToolError(
        "line \(line): \(bytes.count) bytes in \(range), \(wrong.count) wrong from "
          + "\(wrong.first?.offset ?? 0) to \(wrong.last?.offset ?? 0), \(zeros) of them zero")
    }
  }
}
