import Glibc
import TestSupport
import Testing

extension Promises {
  /// More readers than any player has.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount))
  struct CrowdTests {
    @Test func fiveHundredWhoWaitForOneOriginAllGetTheirBytes() throws {
      let feed = try MountedFeed()
      let files = (0..<64).map { PatternFile(name: "\($0)", size: 300_000, seed: UInt64($0)) }
      try feed.serve(files)
      try feed.mount()
      try feed.origin.network(latency: .milliseconds(200), rate: 100 << 20)

      let crowd = Crowd()
      for reader in 0..<512 {
        let file = files[reader % 64]
        let range = reader * 100..<reader * 100 + 50_000
        try crowd.join {
          let bytes = try MountedFile(feed.path(reader % 64 + 1)).read(range)
          guard bytes == Pattern.bytes(range, seed: file.seed) else {
            throw TestToolError("\(file.name) has wrong bytes in \(range)")
          }
        }
      }

      #expect(crowd.wait(until: .now + .seconds(50)), "some reader never ends")
      #expect(crowd.failures == [])
    }
  }
}
