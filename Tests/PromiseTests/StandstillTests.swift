import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// The daemon or the origin stands still and goes on, as on a computer that is too busy.
  @Suite(.timeLimit(.minutes(3))) struct StandstillTests {
    private static let size = 24 << 20
    /// Seconds of the standstill; longer with full counts.
    private static let length = Scale.isFull ? 30 : 4

    enum Part: CaseIterable, Sendable {
      case daemon, origin
    }

    @Test(arguments: Part.allCases)
    func readersWaitAndGoOn(part: Part) throws {
      let feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      try feed.origin.network(rate: 512 << 10)
      try feed.mount(options: ["--read-timeout", "90"])
      let readers = try [0, 9, 17].map { start in
        (start, try feed.reader(of: feed.path(1), at: start << 20, count: 6 << 20))
      }
      try feed.origin.wait(bytes: 1 << 20, below: "/pattern/")

      switch part {
      case .daemon: try feed.process.freeze()
      case .origin: feed.origin.freeze()
      }
      for (_, reader) in readers where reader.wait(timeout: .seconds(Self.length) / 3) != nil {
        Issue.record("a reader has ended before its bytes could be there")
      }
      switch part {
      case .daemon: try feed.process.signal(SIGCONT)
      case .origin: feed.origin.thaw()
      }
      try feed.origin.network(rate: 0)
      for (start, reader) in readers {
        #expect(reader.wait(timeout: .seconds(60)) == 0, "\(reader.errors.text)")
        let range = start << 20..<(start + 6) << 20
        #expect(reader.output.bytes.elementsEqual(Pattern.bytes(range, seed: 1)))
      }
      try feed.unmount()
    }
  }
}
