import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A feed with as many entries as are promised in a full count; with fewer otherwise, to save time.
  @Suite(.timeLimit(.minutes(5)), .enabled(if: canMount))
  struct LargeFeedTests {
    private static let entries =
      Scale.isFull ? Figure.entries.count : Figure.fewEntries.count

    @Test func aLargeFeedTakesBoundedMemoryWhateverIsAskedOfIt() throws {
      let feed = try MountedFeed()
      for source in ["network", "saved catalog"] {
        let time = try measured {
          try feed.mount("/synthetic.xml?entries=\(Self.entries)&size=1048576")
          #expect(try names(in: feed.mountPoint) == Self.entries)
        }
        try tell("listed from the \(source) after \(time)", feed)
        let asked = try feed.feedfs("status", feed.mountPoint, "--json")
        #expect(try files(in: Array(asked.out.utf8)) == Self.entries)
        try tell("status --json", feed)
        let read = try feed.bytes(of: feed.mountPoint + "/.feedfs/status.json")
        #expect(try files(in: read) == Self.entries)
        try tell("status.json", feed)
        let listed = try feed.bytes(of: feed.mountPoint + "/.feedfs/feed.json")
        #expect(listed.count > Self.entries * 100)
        try tell("feed.json", feed)
        try feed.unmount()
      }
    }

    private func names(in folder: String) throws -> Int {
      let listed = try ChildProcess.run(["ls", "-f", folder], timeout: .seconds(60))
      return listed.out.split(separator: "\n").count { $0.hasSuffix(".mp4") }
    }

    private func files(in status: [UInt8]) throws -> Int {
      try Wire.decode(MountStatus.self, from: status).files.count
    }

    /// Checks the daemon's peak memory so far, and prints it.
    private func tell(_ what: String, _ feed: MountedFeed) throws {
      let memory = try feed.peakMemory()
      print("measured: \(Self.entries) entries, \(what): \(memory / 1_000_000) MB at most")
      #expect(memory <= Figure.memory.bytes, "\(what)")
    }
  }
}
