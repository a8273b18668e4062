import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Answers that are not wrong but differ from what was hoped for.
  @Suite(.timeLimit(.minutes(3))) struct ChangedAnswerTests {
    private static let size = 2 << 20
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
    }

    // MARK: No ranges

    @Test func withoutRangesOneFillServesAReadFurtherOn() throws {
      try feed.origin.fault(.status200, below: "/pattern/a")
      try feed.origin.network(rate: 4 << 20)
      try feed.mount()

      let offset = Self.size - (64 << 10)
      let reader = try feed.reader(of: feed.path(1), at: offset)
      #expect(reader.wait(timeout: .seconds(20)) == 0, "\(reader.errors.text)")
      #expect(reader.output.bytes == truth(offset..<Self.size))
      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      let sent = try feed.mediaRequests().reduce(0) { $0 + $1.bytesSent }
      #expect(sent <= Self.size + Self.size / 50, "sent \(sent) bytes")
    }

    // MARK: Another version

    @Test(arguments: [nil, 412])
    func anotherVersionIsSeenByTheNextOpen(status: Int?) throws {
      try mountWithHead()
      // The second mount starts with a cache from before.
      try feed.unmount()
      try feed.mount()
      try feed.origin.version(1, below: "/pattern/a")
      if let status {
        try feed.origin.fault(.status, below: "/pattern/a", times: 1, ["code": "\(status)"])
      }
      let reader = try feed.reader(of: feed.path(1), at: 1 << 20)
      #expect(reader.wait(timeout: .seconds(20)) == 1)
      #expect(reader.errors.text.contains("Stale file handle"))

      #expect(try eventuallyWhole() == Pattern.bytes(0..<Self.size, seed: 2))
    }

    @Test func aResourceThatBecameShorterIsSeenByTheNextOpen() throws {
      let long = Pattern.bytes(0..<Self.size, seed: 7)
      let short = Pattern.bytes(0..<(512 << 10), seed: 8)
      // Both have the same tag: only the unsatisfiable range gives the change away.
      try put(long)
      var film = PatternFile(name: "a", size: Self.size)
      film.url = feed.origin.url("/film.mp4")
      try feed.serve([film])
      try mountWithHead()
      try put(short)
      let reader = try feed.reader(of: feed.path(1), at: 1 << 20)
      #expect(reader.wait(timeout: .seconds(20)) == 1)

      #expect(try eventuallyWhole() == short)
    }

    private func put(_ bytes: [UInt8]) throws {
      try feed.origin.put(
        bytes, at: "/film.mp4", type: "video/mp4",
        headers: ["ETag": "\"same\"", "Last-Modified": ""])
    }

    /// Reads the whole file. Retries, since an open may still find the name of the previous
    /// version.
    private func eventuallyWhole() throws -> [UInt8] {
      var bytes: [UInt8] = []
      _ = try eventually {
        let child = try ChildProcess(["cat", feed.path(1)])
        guard child.wait(timeout: .seconds(20)) == 0 else { return false }
        bytes = child.output.bytes
        return true
      }
      return bytes
    }

    // MARK: Later

    @Test(arguments: [429, 503]) func anOriginIsLeftAloneForAsLongAsItAsks(status: Int) throws {
      try mountWithHead()
      try feed.origin.fault(
        .status, below: "/pattern/a", times: 1, ["code": "\(status)", "retry_after": "1"])

      let reader = try feed.reader(of: feed.path(1), at: 1 << 20)
      #expect(reader.wait(timeout: .seconds(20)) == 0, "\(reader.errors.text)")
      #expect(reader.output.bytes == truth(1 << 20..<(1 << 20) + (64 << 10)))
      let asked = try feed.mediaRequests().suffix(2)
      let pause = (asked.last?.ms ?? 0) - (asked.first?.ms ?? 0)
      #expect(pause >= 990 && pause < 6000, "asked again after \(pause) ms")
    }

    // MARK: Gone

    @Test(arguments: [401, 403, 404, 410])
    func anExpiredAddressIsReplacedInsideOfTheRead(status: Int) throws {
      try feed.mount()
      try feed.origin.fault(.status, below: "/pattern/a", starts: late, ["code": "\(status)"])
      var moved = PatternFile(name: "a", size: Self.size)
      moved.url = feed.origin.url("/pattern/new.mp4?size=\(Self.size)&seed=1")
      try feed.serve([moved])
      let before = try feed.origin.log(below: "/feed").count

      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      #expect(try feed.origin.log(below: "/feed").count == before + 1)
    }

    @Test(arguments: [401, 403, 404, 410])
    func withoutAnotherAddressTheReadFailsAndWhatIsCachedStays(status: Int) throws {
      try mountWithHead()
      try feed.origin.fault(.status, below: "/pattern/a", ["code": "\(status)"])
      let before = try feed.origin.log(below: "/feed").count
      let reader = try feed.reader(of: feed.path(1), at: 1 << 20)

      #expect(reader.wait(timeout: .seconds(10)) == 1)
      #expect(reader.errors.text.contains("Input/output error"))
      #expect(try feed.origin.log(below: "/feed").count == before + 1)
      let cached = try feed.reader(of: feed.path(1))
      #expect(cached.wait(timeout: .seconds(10)) == 0)
      #expect(cached.output.bytes == truth(0..<(64 << 10)))
    }

    // MARK: Broken off

    @Test(arguments: [OriginFault.short, .reset, .stall])
    func afterABreakTheRestIsAskedForAndAtMost4KiBBeforeIt(kind: OriginFault) throws {
      try feed.origin.fault(
        kind, below: "/pattern/a", times: 1, after: kind == .short ? nil : 100_000,
        ["by": "30000"])
      try feed.mount(options: ["--read-timeout", "5"])

      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      try feed.settle()
      let requests = try feed.mediaRequests()
      let sent = requests.reduce(0) { $0 + $1.bytesSent }
      #expect(sent > Self.size && sent <= Self.size + Figure.compared.bytes)
      let broken = try #require(requests.first { $0.fault != nil })
      #expect(broken.bytesSent > 0)
      #expect(
        requests.contains { asked in
          asked.askedFor.map {
            broken.bytesSent - $0.lowerBound <= Figure.compared.bytes && $0.lowerBound > 0
          } ?? false
        })
    }

    // MARK: No validator

    @Test(arguments: ["weak", "none"]) func withoutAStrongTagAFilmIsReadAndKept(tag: String) throws
    {
      for hasDate in [true, false] {
        let feed = try MountedFeed()
        try feed.serve([PatternFile(name: "a", size: Self.size)])
        try feed.origin.describe(below: "/pattern/a", etag: tag, lastModified: hasDate)
        try feed.mount()
        #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
        try feed.unmount()
        feed.origin.stop()
        try feed.mount()
        #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      }
    }

    /// Only the first block is compared, though the origin sends all of the film.
    @Test func aFilmWithoutRangesOrVersionIsNotTakenForAnother() throws {
      try feed.origin.fault(.status200, below: "/pattern/a")
      try feed.origin.describe(
        below: "/pattern/a", etag: "none", lastModified: false, cacheControl: "max-age=0")
      try feed.mount(options: ["--no-passthrough"])
      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      let inode = try MountedFile(feed.path(1)).status().st_ino
      for _ in 0..<3 {
        let count = try feed.mediaRequests().count
        #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
        #expect(try eventually { try feed.mediaRequests().count > count })
        try feed.settle()
      }
      #expect(try MountedFile(feed.path(1)).status().st_ino == inode)
      #expect(try feed.status().files[0].state == .complete)
    }

    // MARK: Private

    /// Ranges that start beyond the first fetch.
    private var late: Range<Int> { 400_000..<Int.max }

    private func mountWithHead() throws {
      try feed.mount()
      let reader = try feed.reader(of: feed.path(1))
      #expect(reader.wait(timeout: .seconds(20)) == 0, "\(reader.errors.text)")
    }

    private func truth(_ range: Range<Int>) -> [UInt8] {
      Pattern.bytes(range, seed: 1)
    }
  }
}
