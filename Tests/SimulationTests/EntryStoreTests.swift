import Blocks
import Filling
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount
@testable import Storage

/// Writes that the disk rejects although it has room.
@Suite(.timeLimit(.minutes(1))) struct EntryStoreTests {
  private static let block = BlockLayout.standardBlockSize
  private static let length = 40 * block
  private let disk = SimulatedDisk(seed: 1)
  private let time = ManualTime()
  private let file: EntryFile
  private let store: EntryStore

  init() throws {
    let cache = try CacheDirectory(
      in: Folder(SimulatedFile(disk), at: "/simulated"), feedKey: "feed", minFree: .bytes(0),
      limit: nil, blockSize: Self.block, flusher: Flusher(delay: .seconds(1)) { _, _ in },
      writer: Writer { [time] delay, body in time.call(after: delay, body) })
    file = try #require(
      try cache.open(
        EntryKey(entry: "urn:entry:1"),
        Representation(length: Self.length, validator: .entityTag("\"1\"")), contentType: nil,
        create: true))
    store = EntryStore(
      file, in: cache, length: Self.length, cachedInMemory: 32 * Self.block, complain: { _ in })
  }

  /// Stores `range`, and lets the writer write it.
  private func write(_ range: ByteRange) -> WriteOutcome {
    defer { time.advance(by: Writer.delay) }
    return store.write(Pattern.bytes(range).span.bytes, at: range.lowerBound)
  }

  private func read(_ range: ByteRange) -> [UInt8]? {
    var bytes: [UInt8]?
    let outcome = store.lend(range) { span in
      bytes = span.withUnsafeBytes { Array($0) }
      return true
    }
    return outcome == .lent ? bytes : nil
  }

  /// The first half of a block.
  private func begin(_ block: Int) -> ByteRange {
    block * Self.block..<block * Self.block + Self.block / 2
  }

  private func end(_ block: Int) -> ByteRange {
    begin(block).upperBound..<(block + 1) * Self.block
  }

  @Test func whereWritesFailTheReaderIsServedFromMemory() {
    for block in 0..<8 { #expect(write(begin(block)) == .cached) }
    disk.faults = [.writes]
    #expect(write(end(0)) == .cached)
    #expect(file.cachedBlocks.isEmpty)
    for block in 8..<20 { #expect(write(begin(block)) == .cached) }
    for block in 1..<20 { #expect(write(end(block)) == .cached) }
    // Reads still succeed, from the memory that all files share.
    for block in 0..<20 {
      let range = begin(block).lowerBound..<end(block).upperBound
      #expect(read(range) == Pattern.bytes(range))
    }
    #expect(file.cachedBlocks.isEmpty)
  }

  @Test func whatDoesNotFitIntoMemoryIsToldOf() {
    disk.faults = [.writes]
    var displaced: Set<BlockIndex> = []
    for block in 0..<40 {
      for range in [begin(block), end(block)] {
        if case .displaced(let blocks) = write(range) { displaced.formUnion(blocks) }
      }
    }
    #expect(file.cachedBlocks.isEmpty)
    // The last write has failed after its piece was stored, so nobody was told what it has displaced.
    #expect(displaced == Set((0..<7).map(BlockIndex.init)))
    for block in 0..<40 {
      let range = begin(block).lowerBound..<end(block).upperBound
      #expect((read(range) == Pattern.bytes(range)) == (block >= 8), "\(block)")
    }
  }

  @Test func whenTheDiskTakesItAgainItIsKept() {
    disk.faults = [.full]
    #expect(write(begin(0)) == .cached)
    #expect(write(end(0)) == .cached)
    disk.faults = []
    #expect(write(begin(1)) == .cached)
    #expect(write(end(1)) == .cached)
    #expect(file.cachedBlocks.contains(BlockIndex(1)))
    #expect(read(0..<2 * Self.block) == Pattern.bytes(0..<2 * Self.block))
  }
}
