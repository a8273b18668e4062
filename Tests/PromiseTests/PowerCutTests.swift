import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The power goes, and the bytes that are not on the disk go with it.
  @Suite(.timeLimit(.minutes(10)), .enabled(if: canMount))
  struct PowerCutTests {
    private static let file = PatternFile(name: "a", size: 48 << 20)
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([Self.file])
    }

    /// Five cuts in a row, fifty times on each file system with full counts. Every third cut comes
    /// while the remains of the one before are still being compared.
    @Test(
      arguments: PowerDisk.FileSystem.allCases.filter(\.isThere), Scale.trials(2, of: 50))
    func afterFiveCutsNoByteIsWrong(_ kind: PowerDisk.FileSystem, seed: Int) throws {
      let disk = try PowerDisk(for: feed, kind)
      var random = SeededRandom(seed: UInt64(seed))
      var position = 0
      for cut in 1...5 {
        try feed.mount()
        if cut % 3 == 0 {
          try read(from: 0, to: random.below(position))
        } else {
          let end = position + 100_000 + random.below(4_000_000)
          // Reads the remains of the last cut first, then on from there.
          try read(from: random.below(position), to: end)
          position = end
        }
        try disk.cut()
        try feed.kill()
        try disk.restore()
      }
      try feed.mount()
      try read(from: 0, to: Self.file.size)
      print("power cuts on \(kind), seed \(seed): 5")
    }

    /// Reads, and compares with the origin's bytes.
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
