import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A disk that takes no bytes for the cache.
  @Suite(.timeLimit(.minutes(2)), .enabled(if: AttachedTracer.isThere, "needs root and strace"))
  struct HangingWriteTests {
    private static let files = (1...2).map {
      PatternFile(name: "film\($0)", size: 16 << 20, seed: UInt64($0))
    }

    /// The writes wait, and not the thread that hears the network. Readers get bytes from memory after
    /// a second.
    @Test func whoReadsNewBytesGetsThemFromMemoryAndNobodyElseWaits() throws {
      let feed = try MountedFeed()
      try feed.serve(Self.files)
      try feed.mount()
      for number in 1...2 {
        #expect(try ChildProcess.run(["head", "-c", "4096", feed.path(number)]).status == 0)
      }
      try feed.settle()
      let disk = try HangingDisk(under: feed, at: "pwrite64", ofCached: true)
      defer { disk.goOn() }
      for number in 1...2 {
        let reader = try feed.reader(of: feed.path(number), at: 8 << 20)
        #expect(reader.wait(timeout: .seconds(10)) == 0)
        let range = 8 << 20..<8 << 20 + 64 << 10
        #expect(reader.output.bytes == Pattern.bytes(range, seed: UInt64(number)))
      }
      let others = try measured {
        let listing = try ChildProcess.run(["ls", "-l", feed.mountPoint])
        #expect(listing.status == 0)
        let files = try feed.status().files
        #expect(files.count == 2)
      }
      #expect(others < .seconds(3).here)

      disk.goOn()
      for file in Self.files {
        #expect(try feed.digest(of: feed.path(Int(file.seed))) == feed.truth(of: file))
      }
      #expect(try !feed.process.errors.text.contains("overdue"))
      try feed.unmount()
      #expect(try feed.cleanMarks() == [1, 1])
    }
  }
}
