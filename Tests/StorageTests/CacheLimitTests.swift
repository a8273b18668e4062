import Blocks
import Dispatch
import NIOConcurrencyHelpers
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// What goes for what is to come, on a real disk. Files of 1 MiB in blocks of 64 KiB.
@Suite(.timeLimit(.minutes(1)))
struct CacheLimitTests {
  private static let length = 1 << 20
  private static let ends = KeptEnds(head: 128 << 10, tail: 64 << 10, index: 32 << 10)
  private let temporary = TemporaryDirectory()
  private let evicted = NIOLockedValueBox<[String]>([])

  private var root: FilePath { temporary.path.appending("cache") }

  @Test func theLongestUnusedLosesItsMiddleAndKeepsItsEnds() throws {
    let limit = CacheLimit(at: root, bytes: 3_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b", "c"])
    for entry in ["a", "b", "c"] { try fill(entry, in: cache) }
    try request(limit)

    #expect(evicted.withLockedValue { $0 } == ["a"])
    let a = try #require(try file("a", in: cache))
    #expect(a.held == Self.ends.blocks(in: a.layout) && a.heldBytes == 192 << 10)
    #expect(a.lendable == a.held)
    for entry in ["b", "c"] { #expect(try file(entry, in: cache)?.isWhole == true) }
    cache.close()
  }

  @Test func whatIsOpenStays() throws {
    let limit = CacheLimit(at: root, bytes: 3_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b", "c"])
    for entry in ["a", "b", "c"] { try fill(entry, in: cache) }
    let reader = try #require(try file("a", in: cache))
    try request(limit)

    #expect(evicted.withLockedValue { $0 } == ["b"])
    #expect(reader.isWhole && reader.lendable == BlockSet(0..<16))
    cache.close()
  }

  @Test func whatNoFeedListsGoesAsAWhole() throws {
    let limit = CacheLimit(at: root, bytes: 3_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b"])
    for entry in ["a", "b", "gone"] { try fill(entry, in: cache) }
    try request(limit)

    #expect(evicted.withLockedValue { $0 } == ["gone"])
    #expect(try file("gone", in: cache) == nil)
    cache.close()
  }

  @Test func theFeedsThatNobodyHasMountedMakeRoomToo() throws {
    let other = try open("other", nil, listing: [])
    for entry in ["a", "b"] { try fill(entry, in: other) }
    let limit = CacheLimit(at: root, bytes: 4_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["c", "d"])
    for entry in ["c", "d"] { try fill(entry, in: cache) }
    // Somebody has it mounted: nothing of his is touched.
    try request(limit)
    #expect(evicted.withLockedValue { $0 } == ["c", "d"])
    #expect(try file("a", in: other)?.isWhole == true)

    other.close()
    for entry in ["c", "d"] { try fill(entry, in: cache) }
    try request(limit, 1600 << 10)
    #expect(bytes(of: "other") < 2 * (1 << 20))
    for entry in ["c", "d"] { #expect(try file(entry, in: cache)?.isWhole == true) }
    cache.close()
  }

  @Test func nothingIsWrittenAboveTheLimit() throws {
    let limit = CacheLimit(at: root, bytes: 256 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a"])
    let file = try #require(try file("a", in: cache, create: true))
    var kept = 0
    for block in 0..<16 where cache.room(for: 64 << 10) == .enough {
      try file.write(block << 16..<(block + 1) << 16)
      kept += 64 << 10
    }

    #expect(kept > 0 && bytes(of: "feed") <= 256 << 10 + 32 << 10)
    #expect(cache.room(for: 64 << 10) == .cacheIsFull)
    cache.close()
  }

  // MARK: Private

  /// Asks for more than is free in advance.
  private func request(_ limit: CacheLimit, _ bytes: Int = 64 << 10) throws {
    #expect(limit.hasRoom(for: bytes))
    limit.queue.sync {}
  }

  private func open(
    _ feed: String, _ limit: CacheLimit?, listing entries: [String]
  ) throws -> CacheDirectory {
    let cache = try CacheDirectory(at: root, feedKey: feed, minFree: .bytes(0), limit: limit)
    limit?.join(cache) {
      entries
    } evicted: { [evicted] entry in
      evicted.withLockedValue { $0.append(entry) }
    }
    return cache
  }

  private func fill(_ entry: String, in cache: CacheDirectory) throws {
    let file = try #require(try file(entry, in: cache, create: true))
    for block in file.layout.all where !file.held.contains(block) {
      try file.write(file.layout.bytes(of: block))
    }
    try file.close()
  }

  private func file(
    _ entry: String, in cache: CacheDirectory, create: Bool = false
  ) throws -> EntryFile? {
    try cache.open(
      EntryKey(entry: entry), Representation(length: Self.length, validator: .entityTag("\"1\"")),
      contentType: nil, create: create)
  }

  private func bytes(of feed: String) -> Int {
    let folder = root.appending(Fingerprint(of: feed).description)
    guard let file = try? File(directory: folder) else { return 0 }
    return CachedFile.all(in: file).reduce(0) { $0 + $1.bytes }
  }
}

extension EntryFile {
  /// The blocks that are lent with the right bytes.
  fileprivate var lendable: BlockSet? { lendableBlocks() }
}
