import TestSupport
import Testing

extension Promises {
  /// The cache uses its limit and no more, whatever is read.
  @Suite(.timeLimit(.minutes(3)), .enabled(if: canMount))
  struct CacheSizeTests {
    private static let limit = 48 << 20
    /// Space that is granted before it is written, and the space of the directories themselves.
    private static let slack = 4 << 20
    private static let files = (0..<8).map { index in
      PatternFile(name: "\(index)", size: 16 << 20, seed: UInt64(index + 1))
    }
    private let feed: MountedFeed

    init() throws {
      feed = try MountedFeed()
      try feed.serve(Self.files)
      try feed.origin.network(latency: .milliseconds(1), rate: 16 << 20)
      try feed.mount(options: ["--cache-size", "48M", "--min-free", "0"])
    }

    @Test func whatIsPlayedLaterTakesThePlaceOfWhatWasPlayedBefore() throws {
      for (index, file) in Self.files.enumerated() {
        try readAll(file, number: index + 1)
        #expect(try stored <= Self.limit + Self.slack, "after \(index + 1)")
      }

      // The last files are cached; the first ones keep the bytes that a player asks for first.
      try feed.settle()
      try feed.origin.reset()
      try readAll(Self.files[7], number: 8)
      #expect(try feed.mediaBytes() < 8 << 20)
      try feed.origin.reset()
      for number in [1, 2] {
        let range = 0..<200_000
        let bytes = try MountedFile(feed.path(number)).read(range)
        #expect(bytes == Pattern.bytes(range, seed: UInt64(number)))
      }
      #expect(try feed.mediaBytes() == 0)
    }

    @Test func whatWasPlayedToItsEndGoesFirst() throws {
      // The second file is left before its end, and was read longer ago.
      try readAll(Self.files[1], number: 2, upTo: 15 << 20)
      try readAll(Self.files[0], number: 1)
      try feed.settle()
      let before = try kept(1)
      let left = try kept(2)
      #expect(left > 8 << 20)
      // Reads on until something is evicted.
      let third = try MountedFile(feed.path(3))
      var next = 0
      while try kept(1) == before, next < Self.files[2].size {
        #expect(try third.read(next..<next + 1 << 20).count == 1 << 20)
        next += 1 << 20
      }

      #expect(before == Self.files[0].size)
      // The other file loses nothing while the first one has more than its ends.
      // The first file is measured last, since it shrinks all the time.
      let other = try kept(2)
      let played = try kept(1)
      #expect(played < before)
      #expect(other >= left || played <= 1 << 20, "\(played) of \(before), \(other) of \(left)")
      let all = try MountedFile(feed.path(1)).read(0..<1 << 20)
      #expect(all == Pattern.bytes(0..<1 << 20, seed: 1))
    }

    @Test func eightReadersAtOnceGetTheirBytesAndStayBelowIt() throws {
      let crowd = Crowd()
      for (index, file) in Self.files.enumerated() {
        try crowd.join { try readAll(file, number: index + 1) }
      }
      var most = 0
      while !crowd.wait(until: .now + .milliseconds(20)) { most = max(most, try stored) }
      most = max(most, try stored)

      #expect(crowd.failures == [])
      #expect(most <= Self.limit + Self.slack)
      #expect(most > Self.limit / 2, "nothing was kept: \(most)")
    }

    /// The disk space of the whole cache, in bytes.
    private var stored: Int {
      get throws {
        // Files that vanish while du(1) runs are no error here.
        let outcome = try ChildProcess.run(["du", "-s", "--block-size=1", feed.cacheDirectory])
        return Int(outcome.out.prefix { $0.isNumber }) ?? 0
      }
    }

    /// Cached bytes of an entry, as du(1) reports them.
    private func kept(_ number: Int) throws -> Int {
      let outcome = try ChildProcess.run(["du", "--block-size=1", feed.path(number)])
      return Int(outcome.out.prefix { $0.isNumber }) ?? 0
    }

    private func readAll(_ file: PatternFile, number: Int, upTo end: Int? = nil) throws {
      let opened = try MountedFile(feed.path(number))
      for start in stride(from: 0, to: end ?? file.size, by: 1 << 20) {
        let range = start..<start + 1 << 20
        guard try opened.read(range) == Pattern.bytes(range, seed: file.seed) else {
          throw TestToolError("\(file.name) has wrong bytes in \(range)")
        }
      }
    }
  }
}
