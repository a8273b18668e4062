import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A disk that does not answer holds up only the callers that need it.
  @Suite(.timeLimit(.minutes(4)), .enabled(if: StoppedDisk.isThere, "needs root, ext4 and python3"))
  struct StoppedDiskTests {
    private static let files = (1...3).map {
      PatternFile(name: "film\($0)", size: 4 << 20, seed: UInt64($0))
    }

    private let feed: MountedFeed
    private let disk: StoppedDisk

    /// All files are cached. The kernel has no page of the first two in memory, neither of the
    /// mount's files nor of the cache's.
    init() throws {
      feed = try MountedFeed()
      try feed.serve(Self.files)
      disk = try StoppedDisk(for: feed)
      try feed.mount(options: ["--min-free", "0", "--no-passthrough"])
      for number in 1...3 { try check(number) }
      try feed.settle()
      try disk.flush()
      for number in 1...2 {
        let data = try feed.dataFile("000\(number).mp4")
        guard eventually({ StoppedDisk.drop(data) && StoppedDisk.drop(feed.path(number)) }) else {
          throw TestToolError("\(number) stays in memory")
        }
      }
      _ = StoppedDisk.drop(feed.path(3))
    }

    @Test func whoWaitsForItHoldsUpNobodyElse() throws {
      disk.stop()
      defer { disk.goOn() }
      // More readers than there are threads to answer the kernel, and than may wait for one file.
      let readers = try (0..<12).map { number in
        let file = 1 + number % 2
        let offset = number / 2 * 600_000
        return (
          child: try feed.reader(of: feed.path(file), at: offset, count: 4096), file: file,
          offset: offset
        )
      }
      try #require(feed.waitUntilReading(readers.map { ($0.child, feed.path($0.file)) }))

      let others = try measured {
        #expect(try ChildProcess.run(["ls", "-l", feed.mountPoint]).status == 0)
        try check(3)
        #expect(try feed.status().files.count == 3)
      }
      #expect(others < .seconds(3).here)
      #expect(readers.allSatisfy { $0.child.isRunning })

      // A reader that waits for the disk can be killed.
      readers[0].child.signal(SIGKILL)
      #expect(readers[0].child.wait(timeout: .seconds(5)) != nil)

      disk.goOn()
      for reader in readers.dropFirst() {
        #expect(reader.child.wait(timeout: .seconds(10)) == 0)
        let range = reader.offset..<reader.offset + 4096
        let seed = Self.files[reader.file - 1].seed
        #expect(reader.child.output.bytes == Pattern.bytes(range, seed: seed))
      }
      for number in 1...3 { try check(number) }
      #expect(try !feed.process.errors.text.contains("overdue"))
      try feed.unmount()
    }

    /// No page of the first two files is in memory, neither of their data nor of their indexes.
    @Test func whoOpensWhatItHasHoldsUpNobodyElse() throws {
      try feed.unmount()
      try feed.mount(options: ["--min-free", "0", "--no-passthrough"])
      #expect(try ChildProcess.run(["ls", "-l", feed.mountPoint]).status == 0)
      // Asks for the paths while the disk answers, then drops the pages that this has read.
      let data = try (1...2).map { try feed.dataFile("000\($0).mp4") }
      for file in data + data.map({ $0.dropLast(5) + ".idx" }) {
        try #require(eventually { StoppedDisk.drop(file) })
      }
      disk.stop()
      defer { disk.goOn() }
      let readers = try (0..<8).map { try feed.reader(of: feed.path(1 + $0 % 2), count: 4096) }
      try #require(eventually { readers.allSatisfy(isOpening) })
      let others = try measured {
        #expect(try ChildProcess.run(["ls", "-l", feed.mountPoint]).status == 0)
        try check(3)
        #expect(try feed.status().files.count == 3)
      }
      #expect(others < .seconds(3).here)
      #expect(readers.allSatisfy { $0.isRunning })
      disk.goOn()
      for reader in readers { #expect(reader.wait(timeout: .seconds(10)) == 0) }
      for number in 1...3 { try check(number) }
      try feed.unmount()
    }

    /// `unmount --force` ends waiting readers as SIGTERM does.
    @Test func theEndOfTheMountEndsWhoWaits() throws {
      disk.stop()
      defer { disk.goOn() }
      let reader = try feed.reader(of: feed.path(1), at: 0, count: 4096)
      try #require(feed.waitUntilReading([(reader, feed.path(1))]))
      try feed.process.signal(SIGTERM)
      #expect(reader.wait(timeout: .seconds(5)) == 1)
      #expect(saidError(reader), "\(reader.errors.text)")
      disk.goOn()
      #expect(try feed.process.wait(timeout: .seconds(10)) == 0)
    }

    private func check(_ number: Int) throws {
      let whole = 0..<Self.files[number - 1].size
      let bytes = try feed.bytes(of: feed.path(number))
      #expect(bytes == Pattern.bytes(whole, seed: Self.files[number - 1].seed), "\(number)")
    }
  }
}
