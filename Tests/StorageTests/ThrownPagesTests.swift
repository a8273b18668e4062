import Blocks
import Glibc
import Locks
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// The kernel drops a page that the disk refuses; readers then see the older content: zeros, in a
/// new file. No flush has reported the error yet.
@Suite(.timeLimit(.minutes(1))) struct ThrownPagesTests {
  private let cache = CacheFixture()

  @Test func whatIsNotFlushedIsComparedEachTimeItIsLent() throws {
    let file = try unflushedFile()
    try file.write(0..<100)
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))

    try throwAway(16..<40)
    #expect(file.lend(20..<70) { _ in true } == .lost([BlockIndex(1), BlockIndex(2)]))
    #expect(file.cachedBlocks.count == 5)
    #expect(file.copy(of: 0..<20) == nil)
    try file.write(16..<48)
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
    #expect(file.copy(of: 3..<99) == Pattern.bytes(3..<99))
  }

  @Test func aWordThatIsReadOutOfItIsEnoughToFindOut() throws {
    let file = try unflushedFile()
    try file.write(0..<100)
    try throwAway(31..<32)
    #expect(file.bytes(16..<18) == nil)
    #expect(file.bytes(32..<34) == Pattern.bytes(32..<34))
  }

  @Test func theStartOfABlockIsComparedToo() throws {
    let long = Representation(length: 16 * 40, validator: .none)
    let file = try unflushedFile(long)
    // More blocks than fit in memory: the first ones are on their way to the disk.
    for block in 0..<20 { try file.write(block * 16..<block * 16 + 9) }
    #expect(file.bytes(0..<9) == Pattern.bytes(0..<9))
    try throwAway(0..<9)
    #expect(file.lend(2..<3) { _ in true } == .lost([BlockIndex(0)]))
    #expect(file.bytes(19 * 16..<19 * 16 + 9) == Pattern.bytes(19 * 16..<19 * 16 + 9))
    try file.write(0..<16)
    #expect(file.bytes(0..<16) == Pattern.bytes(0..<16))
  }

  @Test func whatAKilledProcessLeftUnflushedIsComparedToo() throws {
    try cache.keep([0..<100], closing: false, flushDelay: .seconds(60))
    let file = try cache.directory(flushDelay: .seconds(60)).file()
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
    try throwAway(40..<41)
    #expect(file.bytes(0..<100) == nil)
  }

  @Test func whatIsInMemoryIsLentFromThereUntilItIsOnTheDisk() throws {
    let file = try unflushedFile()
    try file.write(0..<64)
    try file.writeOut()
    try throwAway(8..<16)
    #expect(file.bytes(0..<64) == Pattern.bytes(0..<64))
    try file.flush()
    try throwAway(8..<16)
    let zeros = [UInt8](repeating: 0, count: 8)
    #expect(file.bytes(0..<64) == Pattern.bytes(0..<8) + zeros + Pattern.bytes(16..<64))
  }

  @Test func readersNeverSeeAPageThatIsThrownAwayUnderThem() async throws {
    let length = 16 * 100
    let file = try unflushedFile(Representation(length: length, validator: .none))
    let truth = Pattern.bytes(0..<length)
    let data = try cache.path(endingWith: ".data")
    let (wrong, right) = (Locked(0), Locked(0))
    try file.write(0..<length)
    await withTaskGroup(of: Void.self) { group in
      for seed in 1...3 {
        group.addTask {
          var random = SeededRandom(seed: UInt64(seed))
          for _ in 0..<2000 {
            let start = random.below(length)
            let end = min(length, start + 1 + random.below(100))
            guard let bytes = file.bytes(start..<end) else { continue }
            (bytes[...] == truth[start..<end] ? right : wrong).withLock { $0 += 1 }
          }
        }
      }
      group.addTask {
        var random = SeededRandom(seed: 9)
        for _ in 0..<20 {
          for start in stride(from: 0, to: length, by: 16) { try? file.write(start..<start + 16) }
          let start = random.below(length - 100)
          try? Self.throwAway(start..<start + 100, of: data)
        }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
    #expect(right.withLock { $0 } > 0)
  }

  /// Opens the file in a directory that does not flush while the test runs, and has the last four
  /// blocks in memory.
  private func unflushedFile(
    _ representation: Representation = CacheFixture.representation
  ) throws -> EntryFile {
    try CacheDirectory(
      in: Folder(at: cache.root, create: true), feedKey: "feed", minFree: .bytes(0), limit: nil,
      blockSize: CacheFixture.blockSize, flusher: Flusher(delay: .seconds(60)),
      recentMemory: RecentMemory(total: 64)
    ).file(representation)
  }

  /// Overwrites `range` with the zeros that are read once its page is dropped.
  private func throwAway(_ range: ByteRange) throws {
    try Self.throwAway(range, of: cache.path(endingWith: ".data"))
  }

  private static func throwAway(_ range: ByteRange, of data: FilePath) throws {
    let file = try FileDescriptor.open(data, .writeOnly)
    defer { try? file.close() }
    let zeros = [UInt8](repeating: 0, count: range.count)
    _ = try file.writeAll(toAbsoluteOffset: Int64(range.lowerBound), zeros)
  }
}
