import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The power goes, and what was not on the disk with it.
  @Suite(.timeLimit(.minutes(2)), .enabled(if: canMount))
  struct PowerCutTests {
    private static let file = PatternFile(name: "a", size: 48 << 20)
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([Self.file])
    }

    @Test(arguments: PowerDisk.FileSystem.allCases.filter(\.isThere))
    func afterTenCutsNoByteIsWrong(_ kind: PowerDisk.FileSystem) throws {
      let disk = try PowerDisk(for: feed, kind)
      var random = RandomReads(seed: 7, size: 0)
      var position = 0
      for _ in 0..<10 {
        try feed.mount()
        let end = position + Int.random(in: 100_000...4_000_000, using: &random)
        // What the cut has left is read first, then on from there.
        let half = Int.random(in: 0...position, using: &random)
        try read(from: half, to: end)
        position = end
        try disk.cut()
        try feed.kill()
        try disk.restore()
      }
      try feed.mount()
      try read(from: 0, to: Self.file.size)
    }

    @Test(.enabled(if: PowerDisk.FileSystem.ext4.isThere))
    func aCutCostsTheLastTwoSeconds() throws {
      let disk = try PowerDisk(for: feed, .ext4)
      try feed.origin.network(rate: 1 << 20)
      try feed.mount()
      let start = ContinuousClock.now
      var read: [(time: ContinuousClock.Instant, position: Int)] = []
      let opened = try MountedFile(feed.path(1))
      // A third second for a machine that has much else to do.
      while read.isEmpty || .now - start < .seconds(6) {
        let position = read.last?.position ?? 0
        let bytes = try opened.read(position..<position + 128 << 10)
        read.append((.now, position + bytes.count))
      }
      try disk.cut()
      let cut = ContinuousClock.now
      try feed.kill()
      try disk.restore()

      let kept = try #require(read.last { $0.time < cut - .seconds(3) }?.position)
      try feed.settle()
      try feed.origin.reset()
      try feed.mount()
      let whole = 0..<kept / (64 << 10) * (64 << 10)
      try self.read(from: 0, to: whole.upperBound)
      let again = try feed.mediaRequests().filter {
        $0.bytesSent > 0 && $0.askedFor?.overlaps(whole) ?? true
      }
      #expect(again.isEmpty, "\(again.map { $0.range ?? "all" }) of \(whole)")
    }

    /// Reads, and compares with what the origin has.
    private func read(from start: Int, to end: Int) throws {
      let opened = try MountedFile(feed.path(1))
      for offset in stride(from: start, to: min(end, Self.file.size), by: 1 << 20) {
        let range = offset..<min(offset + 1 << 20, end, Self.file.size)
        guard try opened.read(range) == Pattern.bytes(range, seed: Self.file.seed) else {
          throw TestToolError("wrong bytes in \(range)")
        }
      }
    }
  }
}
