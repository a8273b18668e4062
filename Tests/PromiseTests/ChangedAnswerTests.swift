import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// Answers that are not wrong but differ from what was hoped for.
  @Suite(.timeLimit(.minutes(3))) struct ChangedAnswerTests {
    private static let size = 2 << 20

    private func feed(on drive: DriveKind) throws -> any Drive {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: Self.size)])
      return feed
    }

    // MARK: No ranges

    @Test(arguments: DriveKind.all)
    func withoutRangesOneFillServesAReadFurtherOn(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.origin.fault(.status200, below: "/pattern/a")
      try feed.origin.network(rate: 4 << 20)
      try feed.mount()

      let offset = Self.size - (64 << 10)
      let reading = try feed.reading(of: feed.path(1), at: offset)
      #expect(reading.end(.seconds(20)) == .bytes(truth(offset..<Self.size)))
      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      let sent = try feed.mediaBytes()
      #expect(sent <= Self.size + Self.size / 50, "sent \(sent) bytes")
    }

    // MARK: Another version

    @Test(arguments: DriveKind.all, [nil, 412])
    func anotherVersionIsSeenByTheNextOpen(on drive: DriveKind, status: Int?) throws {
      let feed = try feed(on: drive)
      try mountWithHead(feed)
      // The second mount starts with a cache from before.
      try feed.unmount()
      try feed.mount()
      try feed.origin.version(1, below: "/pattern/a")
      if let status {
        try feed.origin.fault(.status, below: "/pattern/a", times: 1, ["code": "\(status)"])
      }
      #expect(
        try feed.reading(of: feed.path(1), at: 1 << 20).end(.seconds(20)) == .failed(ESTALE))

      #expect(try eventuallyWhole(feed) == Pattern.bytes(0..<Self.size, seed: 2))
    }

    @Test(arguments: DriveKind.all)
    func aResourceThatBecameShorterIsSeenByTheNextOpen(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      let long = Pattern.bytes(0..<Self.size, seed: 7)
      let short = Pattern.bytes(0..<(512 << 10), seed: 8)
      // Both have the same tag: only the unsatisfiable range gives the change away.
      try put(long, at: feed)
      var film = PatternFile(name: "a", size: Self.size)
      film.url = feed.origin.url("/film.mp4")
      try feed.serve([film])
      try mountWithHead(feed, seed: 7)
      try put(short, at: feed)
      let end = try feed.reading(of: feed.path(1), at: 1 << 20).end(.seconds(20))
      guard case .failed = try #require(end) else {
        Issue.record("it was read: \(String(describing: end))")
        return
      }

      #expect(try eventuallyWhole(feed) == short)
    }

    private func put(_ bytes: [UInt8], at feed: any Drive) throws {
      try feed.origin.put(
        bytes, at: "/film.mp4", type: "video/mp4",
        headers: ["ETag": "\"same\"", "Last-Modified": ""])
    }

    /// Reads the whole file. Retries, since an open may still find the name of the previous
    /// version.
    private func eventuallyWhole(_ feed: any Drive) throws -> [UInt8] {
      var bytes: [UInt8]?
      _ = eventually {
        bytes = try? feed.bytes(of: feed.path(1))
        return bytes != nil
      }
      return try #require(bytes)
    }

    // MARK: Later

    @Test(arguments: DriveKind.all, [429, 503])
    func anOriginIsLeftAloneForAsLongAsItAsks(on drive: DriveKind, status: Int) throws {
      let feed = try feed(on: drive)
      try mountWithHead(feed)
      try feed.origin.fault(
        .status, below: "/pattern/a", times: 1, ["code": "\(status)", "retry_after": "1"])

      let reading = try feed.reading(of: feed.path(1), at: 1 << 20)
      #expect(reading.end(.seconds(20)) == .bytes(truth(1 << 20..<(1 << 20) + (64 << 10))))
      let asked = try feed.mediaRequests().suffix(2)
      let pause = (asked.last?.ms ?? 0) - (asked.first?.ms ?? 0)
      #expect(pause >= 990 && pause < 6000, "asked again after \(pause) ms")
    }

    // MARK: Gone

    @Test(arguments: DriveKind.all, [401, 403, 404, 410])
    func anExpiredAddressIsReplacedInsideOfTheRead(on drive: DriveKind, status: Int) throws {
      let feed = try feed(on: drive)
      try feed.mount()
      try feed.origin.fault(.status, below: "/pattern/a", starts: late, ["code": "\(status)"])
      var moved = PatternFile(name: "a", size: Self.size)
      moved.url = feed.origin.url("/pattern/new.mp4?size=\(Self.size)&seed=1")
      try feed.serve([moved])
      let before = try feed.origin.log(below: "/feed").count

      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      #expect(try feed.origin.log(below: "/feed").count == before + 1)
    }

    @Test(arguments: DriveKind.all, [401, 403, 404, 410])
    func withoutAnotherAddressTheReadFailsAndWhatIsCachedStays(
      on drive: DriveKind, status: Int
    ) throws {
      let feed = try feed(on: drive)
      try mountWithHead(feed)
      try feed.origin.fault(.status, below: "/pattern/a", ["code": "\(status)"])
      let before = try feed.origin.log(below: "/feed").count

      #expect(try feed.reading(of: feed.path(1), at: 1 << 20).end(.seconds(10)) == .failed(EIO))
      #expect(try feed.origin.log(below: "/feed").count == before + 1)
      let cached = try feed.reading(of: feed.path(1))
      #expect(cached.end(.seconds(10)) == .bytes(truth(0..<(64 << 10))))
    }

    // MARK: Broken off

    @Test(arguments: DriveKind.all, [OriginFault.short, .reset, .stall])
    func afterABreakTheRestIsAskedForAndAtMost4KiBBeforeIt(
      on drive: DriveKind, kind: OriginFault
    ) throws {
      let feed = try feed(on: drive)
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

    @Test(arguments: DriveKind.all, ["weak", "none"])
    func withoutAStrongTagAFilmIsReadAndKept(on drive: DriveKind, tag: String) throws {
      for hasDate in [true, false] {
        let feed = try feed(on: drive)
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
    @Test(arguments: DriveKind.all)
    func aFilmWithoutRangesOrVersionIsNotTakenForAnother(on drive: DriveKind) throws {
      let feed = try feed(on: drive)
      try feed.origin.fault(.status200, below: "/pattern/a")
      try feed.origin.describe(
        below: "/pattern/a", etag: "none", lastModified: false, cacheControl: "max-age=0")
      try feed.mount(options: ["--no-passthrough"])
      #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
      let inode = try feed.open(feed.path(1)).facts().inode
      for _ in 0..<3 {
        let count = try feed.mediaRequests().count
        #expect(try feed.bytes(of: feed.path(1)) == truth(0..<Self.size))
        // An open during the check of an earlier one starts none.
        #expect(
          try eventually {
            _ = try feed.open(feed.path(1))
            return try feed.mediaRequests().count > count
          })
        try feed.settle()
      }
      #expect(try feed.open(feed.path(1)).facts().inode == inode)
      #expect(try feed.status().files[0].state == .complete)
    }

    // MARK: Private

    /// Ranges that start beyond the first fetch.
    private var late: Range<Int> { 400_000..<Int.max }

    private func mountWithHead(_ feed: any Drive, seed: UInt64 = 1) throws {
      try feed.mount()
      let reading = try feed.reading(of: feed.path(1))
      #expect(reading.end(.seconds(20)) == .bytes(Pattern.bytes(0..<(64 << 10), seed: seed)))
    }

    private func truth(_ range: Range<Int>) -> [UInt8] {
      Pattern.bytes(range, seed: 1)
    }
  }
}
