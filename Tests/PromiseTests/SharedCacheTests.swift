import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Two daemons with one cache and one feed each do each other no harm. (The same feed twice is
  /// refused: `CommandErrorTests`.)
  @Suite(.timeLimit(.minutes(2))) struct SharedCacheTests {
    private static let size = 3 << 20

    @Test(arguments: ["unlimited", "4M"])
    func eachReadsItsOwnWhateverBecomesOfTheOther(limit: String) throws {
      let one = try MountedFeed()
      let other = try MountedFeed(sharing: one)
      let options = ["--cache-size", limit, "--min-free", "0"]
      for (feed, seed) in [(one, UInt64(1)), (other, 2)] {
        // The same names, and the same addresses but for the port, with other bytes.
        try feed.serve((0..<2).map { PatternFile(name: "\($0)", size: Self.size, seed: seed + $0) })
        try feed.mount(options: options)
      }
      try readBoth(one, seed: 1, while: other, seed: 2)

      try one.kill()
      try expectRight(other, seed: 2)
      try one.mount(options: options)
      try readBoth(one, seed: 1, while: other, seed: 2)

      try one.unmount()
      other.origin.stop()
      if limit == "unlimited" { try expectRight(other, seed: 2) }
      try other.unmount()
      // A file that lost blocks at the last moment has no clean mark, and is compared once more.
      #expect(try limit != "unlimited" || one.cleanMarks().allSatisfy { $0 == 1 })
    }

    private func readBoth(
      _ one: MountedFeed, seed: UInt64, while other: MountedFeed, seed otherSeed: UInt64
    ) throws {
      let crowd = Crowd()
      try crowd.join { try expectRight(one, seed: seed) }
      try crowd.join { try expectRight(other, seed: otherSeed) }
      #expect(crowd.wait(until: .now + .seconds(60)))
      #expect(crowd.failures == [])
    }

    private func expectRight(_ feed: MountedFeed, seed: UInt64) throws {
      for number in 1...2 {
        let bytes = try feed.bytes(of: feed.path(number))
        guard bytes == Pattern.bytes(0..<Self.size, seed: seed + UInt64(number) - 1) else {
          throw TestToolError("wrong bytes in \(number)")
        }
      }
    }
  }
}
