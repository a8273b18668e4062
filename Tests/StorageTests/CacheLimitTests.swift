import Blocks
import Dispatch
import Locks
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// Eviction for new bytes, on a real disk. Files of 1 MiB in blocks of 64 KiB.
@Suite(.timeLimit(.minutes(1)))
struct CacheLimitTests {
  private static let length = 1 << 20
  private static let ends = RetainedEnds(head: 128 << 10, tail: 64 << 10, index: 32 << 10)
  private let temporary = TemporaryDirectory()
  private let evicted = Locked<[String]>([])
  private let time = ManualTime()

  private var root: FilePath { temporary.path.appending("cache") }

  @Test func theLongestUnusedGoesFromItsTailAndKeepsItsEnds() throws {
    let limit = CacheLimit(at: root, bytes: 3_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b", "c"])
    for entry in ["a", "b", "c"] { try fill(entry, in: cache) }
    let before = bytes(of: "feed")
    try request(limit)

    #expect(evicted.withLock { $0 } == ["a"])
    var kept = try #require(try file("a", in: cache)).cachedBlocks
    let gone = 16 - kept.count
    #expect((9...10).contains(gone))
    #expect(
      kept == BlockSet(0..<16).subtracting(BlockSet(15 - gone..<15))
        && before - bytes(of: "feed") == gone << 16)

    // Eviction is no use of the file: it goes first again, and keeps its ends.
    let other = try #require(try file("d", in: cache, create: true))
    try other.write(0..<640 << 10)
    try request(limit, 640 << 10)
    #expect(evicted.withLock { $0 } == ["a", "a", "b"])
    let a = try #require(try file("a", in: cache))
    kept = a.cachedBlocks
    #expect(kept == Self.ends.blocks(in: a.layout) && kept == a.lendable)
    let b = try #require(try file("b", in: cache))
    #expect(!b.isWhole && b.cachedBlocks == b.lendable)
    #expect(try file("c", in: cache)?.isWhole == true)
    cache.close()
  }

  @Test func whoReadsAFileByItselfKeepsItsBytes() throws {
    let limit = CacheLimit(at: root, bytes: 3_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b", "c"])
    for entry in ["a", "b", "c"] { try fill(entry, in: cache) }
    let files = try cache.folder.file.names().filter { $0.hasSuffix(".data") }.map {
      try cache.folder.file.open($0, for: .read)
    }
    try request(limit)

    #expect(evicted.withLock { $0 } == ["a"])
    for file in files {
      #expect(try file.read(Self.length, at: 0) == Pattern.bytes(0..<Self.length))
    }
    let a = try #require(try file("a", in: cache))
    #expect(a.cachedBlocks == Self.ends.blocks(in: a.layout) && a.cachedBlocks == a.lendable)
    cache.close()
  }

  /// No program can open a file while it is punched.
  @Test func whatIsCachedIsToldWhileAFileLosesBytes() throws {
    let cache = try open("feed", nil, listing: ["a"])
    try fill("a", in: cache)
    let key = EntryKey(entry: "a")
    let version = Representation(length: Self.length, validator: .entityTag("\"1\""))
    let name = key.fileName(version, feedKey: "feed")
    let kept = Self.ends.head + Self.ends.tail
    var told = Set<Int>()
    for size in stride(from: Self.length, to: kept, by: -(64 << 10)) {
      let hasLost = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        _ = cache.giveUp(name, keeping: Self.ends, bytes: 64 << 10)
        hasLost.signal()
      }
      repeat {
        told.insert(cache.holding(key, version).bytes)
      } while hasLost.wait(timeout: .now()) == .timedOut
      #expect(told.isSubset(of: [size, size - (64 << 10)]), "\(told)")
      told = []
    }
    #expect(cache.holding(key, version).bytes == kept)
    cache.close()
  }

  @Test func whatWasPlayedToItsEndGoesBeforeTheRest() throws {
    let limit = CacheLimit(at: root, bytes: 3_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b", "c"])
    for entry in ["a", "b", "c"] { try fill(entry, in: cache) }
    for entry in ["b", "c"] {
      let played = try #require(try file(entry, in: cache))
      played.wasPlayedToItsEnd()
      try played.close()
    }
    // Opened once more, but not played to its end.
    try #require(try file("b", in: cache)).close()
    try request(limit)

    #expect(evicted.withLock { $0 } == ["c"])
    cache.close()
  }

  @Test func whatIsOpenStays() throws {
    let limit = CacheLimit(at: root, bytes: 3_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b", "c"])
    for entry in ["a", "b", "c"] { try fill(entry, in: cache) }
    let reader = try #require(try file("a", in: cache))
    try request(limit)

    #expect(evicted.withLock { $0 } == ["b"])
    #expect(reader.isWhole && reader.lendable == BlockSet(0..<16))
    cache.close()
  }

  @Test func whatIsPinnedStaysWhoeverHasItMounted() throws {
    let limit = CacheLimit(at: root, bytes: 3_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b", "c"])
    #expect(cache.pin(["a"]))
    for entry in ["a", "b", "c"] { try fill(entry, in: cache) }
    try request(limit)
    #expect(evicted.withLock { $0 } == ["b"])
    cache.close()

    let other = CacheLimit(at: root, bytes: 1 << 20, ends: Self.ends)
    let (freed, stay) = other.prune(to: 0, isRehearsal: false)
    #expect(freed > 0 && stay ?? 0 > Self.length)
    #expect(bytes(of: "feed") > Self.length && bytes(of: "feed") < Self.length + 64 << 10)
    let again = try open("feed", nil, listing: ["a", "b", "c"])
    #expect(try file("a", in: again)?.lendable == BlockSet(0..<16))
    again.close()
  }

  @Test func aRehearsalTakesNothingAway() throws {
    let limit = CacheLimit(at: root, bytes: 1 << 30, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b"])
    for entry in ["a", "b"] { try fill(entry, in: cache) }
    let before = bytes(of: "feed")
    let wouldFree = limit.prune(to: before - 100_000, isRehearsal: true)
    #expect(wouldFree.freed >= 100_000 && wouldFree.stay == nil)
    #expect(bytes(of: "feed") == before)
    #expect(evicted.withLock { $0 } == ["a"])
    #expect(limit.prune(to: before - 100_000, isRehearsal: false) == wouldFree)
    #expect(bytes(of: "feed") <= before - 100_000)
    #expect(evicted.withLock { $0 } == ["a", "a"])
    cache.close()
  }

  @Test func whatNoFeedListsGoesAsAWhole() throws {
    let limit = CacheLimit(at: root, bytes: 3_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b"])
    for entry in ["a", "b", "gone"] { try fill(entry, in: cache) }
    try request(limit)

    #expect(evicted.withLock { $0 } == ["gone"])
    #expect(try file("gone", in: cache) == nil)
    cache.close()
  }

  @Test func theFeedsThatNobodyHasMountedMakeRoomToo() throws {
    let other = try open("other", nil, listing: [])
    for entry in ["a", "b"] { try fill(entry, in: other) }
    let limit = CacheLimit(at: root, bytes: 4_400 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["c", "d"])
    for entry in ["c", "d"] { try fill(entry, in: cache) }
    // The feed "other" is mounted: none of its files is touched.
    try request(limit)
    #expect(evicted.withLock { $0 } == ["c", "d"])
    #expect(try file("a", in: other)?.isWhole == true)

    other.close()
    for entry in ["c", "d"] { try fill(entry, in: cache) }
    try request(limit, 1000 << 10)
    #expect(bytes(of: "other") < 2 * (1 << 20))
    for entry in ["c", "d"] { #expect(try file(entry, in: cache)?.isWhole == true) }
    cache.close()
  }

  @Test func nothingIsLeftOfAVersionThatAnUnmountedFeedGivesUp() throws {
    let other = try open("other", nil, listing: [])
    try fill("a", in: other)
    let a = try #require(try file("a", in: other))
    other.suspect([0..<4_096], of: a)
    try a.close()
    #expect(try other.folder.file.names().contains { $0.hasSuffix(".doubt") })
    other.close()

    let limit = CacheLimit(at: root, bytes: 2_300 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["b"])
    try fill("b", in: cache)
    try request(limit)
    #expect(try other.folder.file.names().filter { $0.contains("-") } == [])
    cache.close()
  }

  @Test func nothingIsWrittenAboveTheLimit() throws {
    let limit = CacheLimit(at: root, bytes: 256 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a"])
    let file = try #require(try file("a", in: cache, create: true))
    var kept = 0
    for block in 0..<16 {
      let room = cache.room(for: 64 << 10)
      // A count between the grant and the write would miss this block.
      limit.queue.sync {}
      if room != .enough {
        // A count that runs while bytes are written may count some twice. The next one does not.
        try file.writeOut()
        limit.recount()
        guard cache.room(for: 64 << 10) == .enough else { break }
      }
      try file.write(block << 16..<(block + 1) << 16)
      kept += 64 << 10
    }
    try file.writeOut()
    limit.recount()

    #expect(kept > 0 && bytes(of: "feed") <= 256 << 10 + 32 << 10)
    #expect(cache.room(for: 64 << 10) == .cacheIsFull)
    cache.close()
  }

  /// A layout of a stream: without it the film's cached bytes cannot be read offline.
  @Test func aFullCacheTakesADocumentThatItsBytesNeed() throws {
    let limit = CacheLimit(at: root, bytes: 256 << 10, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a"])
    let file = try #require(try file("a", in: cache, create: true))
    try file.write(0..<256 << 10)
    try file.writeOut()
    limit.recount()
    #expect(cache.room(for: 64 << 10) == .cacheIsFull)

    cache.keep([1, 2, 3], at: "a cover")
    cache.keep([1, 2, 3], at: "a layout", isNeeded: true)
    #expect(cache.document(at: "a cover") == nil)
    #expect(cache.document(at: "a layout") == [1, 2, 3])
    cache.close()
  }

  @Test func onAFullDiskTheRestGivesWayToWhatIsRead() throws {
    let limit = CacheLimit(at: root, bytes: 1 << 30, ends: Self.ends)
    let cache = try open("feed", limit, listing: ["a", "b"])
    for entry in ["a", "b"] { try fill(entry, in: cache) }
    cache.close()
    let full = try open("feed", limit, listing: ["a", "b"], minFree: .percent(100))
    let reader = try #require(try file("b", in: full))
    #expect(full.room(for: 1) == .diskIsFull)
    limit.queue.sync {}

    let a = try #require(try file("a", in: full))
    #expect(a.cachedBlocks == Self.ends.blocks(in: a.layout) && reader.isWhole)
    full.close()
  }

  // MARK: Private

  /// Requests more room than is free in advance.
  private func request(_ limit: CacheLimit, _ bytes: Int = 64 << 10) throws {
    #expect(limit.hasRoom(for: bytes))
    limit.queue.sync {}
  }

  private func open(
    _ feed: String, _ limit: CacheLimit?, listing entries: [String],
    minFree: FreeSpaceRule = .bytes(0)
  ) throws -> CacheDirectory {
    // Only a close writes, so no thread holds a closed file open for a moment.
    let cache = try CacheDirectory(
      in: Disk.real.open(root, true), feedKey: feed, minFree: minFree, limit: limit,
      blockSize: BlockLayout.standardBlockSize, flusher: Flusher(delay: .seconds(1)),
      writer: Writer { [time] delay, body in time.call(after: delay, body) })
    limit?.join(cache) {
      entries
    } evicted: { [evicted] entry in
      evicted.withLock { $0.append(entry) }
    }
    return cache
  }

  private func fill(_ entry: String, in cache: CacheDirectory) throws {
    let file = try #require(try file(entry, in: cache, create: true))
    for block in file.layout.all where !file.cachedBlocks.contains(block) {
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
