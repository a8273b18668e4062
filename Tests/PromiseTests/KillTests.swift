import Control
import Glibc
import TestSupport
import Testing

extension Promises {
  /// A killed daemon loses no byte that a reader has had.
  @Suite(.timeLimit(.minutes(3))) struct KillTests {
    /// The validators that the origin sends for its files.
    enum Identity: CaseIterable {
      case entityTag, lastModified, nothing
    }

    private static let size = 48 << 20
    private static let block = 64 << 10

    /// With the first two counts the kill comes before any catalog knows the open file.
    @Test(
      arguments: Identity.allCases, [1, 100_000, 5_000_000, 16_000_000])
    func whatWasReadBeforeAKillIsNotFetchedAgain(identity: Identity, readBefore: Int) throws {
      let feed = try MountedFeed()
      let file = PatternFile(name: "a", size: Self.size)
      try feed.serve([file])
      try feed.origin.describe(identity, below: "/pattern/")
      let truth = try feed.truth(of: file)
      try feed.mount()
      try feed.origin.network(latency: .milliseconds(5), rate: 8 << 20)

      let read = try Self.readSome(of: feed.path(1), atLeast: readBefore)
      try feed.kill()
      try feed.settle()
      let sentBefore = try feed.mediaBytes()
      #expect(sentBefore < Self.size, "it was killed too late to show anything")

      try feed.origin.reset()
      try feed.origin.network(rate: 0)
      try feed.mount()
      let cached = try #require(try feed.status().files.first?.cached)
      #expect(cached >= read / Self.block * Self.block)
      #expect(try feed.digest(of: feed.path(1)) == truth)
      try feed.settle()

      // Without a validator the first block is compared again, since nothing else tells versions
      // apart: at once, or ten minutes after the last answer if the kill came after that answer was
      // saved.
      let compared = identity == .nothing ? min(Self.block, cached) : 0
      let whole = compared..<max(compared, read / Self.block * Self.block)
      let requests = try feed.mediaRequests().filter { $0.bytesSent > 0 }
      // The next reader compares the last bytes of an answer whose end was not seen.
      let again = requests.filter { request in
        request.askedFor.map { $0.dropFirst(4096).overlaps(whole) } ?? true
      }
      #expect(again.isEmpty, "\(again.map { $0.range ?? "all" })")
      // A fetch that a better one replaces loses the bytes in its sockets. They are fetched twice.
      let asked = Self.count(requests.compactMap(\.askedFor))
      let extra = asked - (Self.size - cached)
      #expect(
        (0...compared + 4096 * requests.count).contains(extra),
        "\(cached) held, \(requests.map { ($0.range ?? "all", $0.bytesSent) })")
      #expect(try !feed.process.errors.text.contains("wrong bytes"))
      // Bytes that came but are not cached were in flight: in sockets, or part of a block.
      #expect(sentBefore - cached < 8 << 20)
    }

    @Test(.whateverLengthTheFeedClaims) func aSecondKillCostsNothingEither() throws {
      let feed = try MountedFeed()
      let file = PatternFile(name: "a", size: Self.size)
      try feed.serve([file])
      let truth = try feed.truth(of: file)
      try feed.origin.network(latency: .milliseconds(5), rate: 40 << 20)
      var read = 0
      for goal in [2_000_000, 8_000_000, 14_000_000] {
        try feed.mount()
        read = try Self.readSome(of: feed.path(1), atLeast: goal)
        try feed.kill()
      }
      try feed.settle()
      try feed.origin.reset()
      try feed.mount()
      #expect(try feed.digest(of: feed.path(1)) == truth)
      try feed.settle()
      let requests = try feed.mediaRequests()
      let most = Self.size - read / Self.block * Self.block + 4096 * requests.count
      let asked = Self.count(requests.compactMap(\.askedFor))
      #expect(asked <= most, "\(requests.map { ($0.range, $0.bytesSent) })")
    }

    /// The number of bytes that lie in one of `ranges`, or in several.
    private static func count(_ ranges: [Range<Int>]) -> Int {
      var (count, end) = (0, 0)
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        count += max(0, range.upperBound - max(end, range.lowerBound))
        end = max(end, range.upperBound)
      }
      return count
    }

    /// Reads from the start until `count` bytes have come; returns the number of bytes read.
    private static func readSome(of path: String, atLeast count: Int) throws -> Int {
      let file = try MountedFile(path)
      var read = 0
      while read < count {
        let bytes = try file.read(read..<read + 128 << 10)
        guard !bytes.isEmpty else { throw TestToolError("\(path) ends at \(read)") }
        read += bytes.count
      }
      return read
    }
  }
}

extension OriginProcess {
  fileprivate func describe(_ identity: Promises.KillTests.Identity, below path: String) throws {
    switch identity {
    case .entityTag: break
    case .lastModified: try describe(below: path, etag: "none")
    case .nothing: try describe(below: path, etag: "none", lastModified: false)
    }
  }
}
