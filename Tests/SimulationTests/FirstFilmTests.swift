import Blocks
import Locks
import Storage
import Streams
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import StreamFiles
@testable import World

/// A film of transport streams as the first version made and kept it.
@Suite(.timeLimit(.minutes(1)))
struct FirstFilmTests {
  private static let tag = "\"s3-2dedf23762de2e2a6c60713c2b98245f\""
  private static let version = Representation(length: 49_516, validator: .entityTag(tag))

  private let site = MemorySite()
  private let documents = Locked<[String: [UInt8]]>([:])

  init() throws {
    let name = "layout \(Self.tag)"
    let layout = try FirstVersion.with(.rich) { place in
      let cache = try CacheDirectory(
        at: FilePath(place + "/cache/feedfs"), feedKey: FirstVersion.mixed, minFree: .bytes(0))
      defer { cache.close() }
      return try #require(cache.document(at: name))
    }
    documents.withLock { $0[name] = layout }
    try serve(token: "a")
  }

  private func serve(token: String) throws {
    let list = (0..<3).map { "#EXTINF:2.000000,\ns\($0).ts?t=\(token)\n" }.joined()
    site.put(
      "#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + list + "#EXT-X-ENDLIST\n", at: "http://o/v.m3u8")
    for number in 0..<3 {
      site.put(try FirstVersion.file("film/s\(number).ts"), at: "http://o/s\(number).ts?t=\(token)")
    }
  }

  private func origin(expected: Representation?) -> StreamOrigin {
    site.stream(expected: expected, keeping: documents)
  }

  private func expectTheSameFilm(_ outcome: FetchOutcome) throws {
    #expect(outcome.trouble == nil && outcome.version == Self.version)
    let sum = try SHA256.hash(outcome.bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    #expect(try FirstVersion.file("film.sum") == Array((sum.joined() + "\n").utf8))
  }

  @Test func itsLayoutIsReadAndItsBytesAreTheSame() async throws {
    let origin = origin(expected: Self.version)
    try expectTheSameFilm(await origin.fetch())
    // No size was asked for.
    #expect(site.log.count == 1 + 3)
  }

  @Test func itIsTheSameFilmIfItsLayoutIsLost() async throws {
    documents.withLock { $0 = [:] }
    try expectTheSameFilm(await origin(expected: Self.version).fetch())
    // Its layout is kept again.
    site.forgetLog()
    try expectTheSameFilm(await origin(expected: Self.version).fetch())
    #expect(site.log.count == 1 + 3)
  }

  @Test func itIsTheSameFilmAtNewAddresses() async throws {
    let origin = origin(expected: Self.version)
    for number in 1..<3 { site.answer("http://o/s\(number).ts?t=a", with: 403) }
    let trouble = await origin.fetch().trouble
    #expect(trouble != nil)
    try serve(token: "b")
    try expectTheSameFilm(await self.origin(expected: Self.version).fetch(as: 2))
  }

  @Test func itsAddressesMayExpireInTheMiddle() async throws {
    documents.withLock { $0 = [:] }
    let origin = origin(expected: Self.version)
    _ = await origin.fetch(0..<100)
    for number in 1..<3 { site.answer("http://o/s\(number).ts?t=a", with: 403) }
    try serve(token: "b")
    try expectTheSameFilm(await origin.fetch(as: 2))
  }

  @Test func aFilmThatWasNeverReadIsTheSame() async throws {
    documents.withLock { $0 = [:] }
    try expectTheSameFilm(await origin(expected: nil).fetch())
  }
}
