import TestSupport
import Testing

extension Promises {
  @Suite(.timeLimit(.minutes(2)), .enabled(if: canMount))
  struct MemoryTests {
    /// A debug build has more code and more libraries.
    private static let limit = Figure.fillMemory.bytes * (BuiltBinary.isOptimized ? 3 : 4) / 3

    @Test func aFilmFillsInLittleMemory() throws {
      let film = PatternFile(name: "film", size: 96 << 20)
      let feed = try MountedFeed()
      try feed.serve([film])
      let truth = try feed.truth(of: film)
      try feed.mount()
      #expect(try feed.digest(of: feed.path(1)) == truth)
      let peak = try feed.peakMemory()
      print("measured: \(peak >> 10) KiB at most while a film fills")
      #expect(peak <= Self.limit)
      try feed.unmount()
    }
  }
}
