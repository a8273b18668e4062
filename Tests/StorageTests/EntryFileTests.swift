import Blocks
import Glibc
import Locks
import Storage
import SystemPackage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct EntryFileTests {
  private let cache = CacheFixture()

  @Test(arguments: [1, 7, 16, 33, 100])
  func whatIsWrittenInPiecesIsLentAsOne(pieceSize: Int) throws {
    let file = try cache.directory().file()
    for start in stride(from: 0, to: 100, by: pieceSize) {
      try file.write(start..<min(start + pieceSize, 100))
    }
    #expect(file.cachedBlocks == BlockSet(0..<7))
    #expect(file.cachedByteCount == 100)
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
    #expect(file.bytes(31..<65) == Pattern.bytes(31..<65))
    #expect(file.bytes(90..<1000) == Pattern.bytes(90..<100))
    #expect(file.bytes(100..<120) == [])
  }

  @Test func anEmptyRepresentationIsWholeFromTheStart() throws {
    let empty = Representation(length: 0, validator: .none)
    let directory = try cache.directory()
    let file = try directory.file(empty)
    #expect(file.bytes(0..<10) == [])
    #expect(file.cachedByteCount == 0)
    directory.close()
    #expect(
      try cache.directory().open(CacheFixture.key, empty, contentType: nil, create: false) != nil)
  }

  @Test func whatWasNeverWrittenIsLostAndNotZeros() throws {
    let file = try cache.directory().file()
    try file.write(16..<48)
    #expect(file.lend(0..<100) { _ in true } == .lost([0, 3, 4, 5, 6].map(BlockIndex.init)))
    #expect(file.lend(15..<17) { _ in true } == .lost([BlockIndex(0)]))
    #expect(file.cachedBlocks == BlockSet(1..<3))
    #expect(file.cachedByteCount == 32)
  }

  @Test func aReaderIsLentTheStartOfABlockBeforeItIsWhole() throws {
    let file = try cache.directory().file()
    try file.write(0..<21)
    #expect(file.cachedBlocks == BlockSet(0..<1))
    #expect(file.bytes(3..<21) == Pattern.bytes(3..<21))
    #expect(file.lend(3..<22) { _ in true } == .lost([BlockIndex(1)]))
  }

  @Test(arguments: [1..<4, 17..<32, 21..<32, 96..<101, -16..<0])
  func bytesOutOfOrderChangeNothing(range: ByteRange) throws {
    let file = try cache.directory().file()
    try file.write(16..<20)
    let wrong = [UInt8](repeating: 0, count: range.count)
    #expect(throws: StorageError.outOfOrder(offset: range.lowerBound)) {
      try file.write(wrong.span.bytes, at: range.lowerBound)
    }
    #expect(file.cachedBlocks.isEmpty)
    try file.write(20..<32)
    #expect(file.bytes(16..<32) == Pattern.bytes(16..<32))
  }

  @Test func aNewStartBeginsABlockAnew() throws {
    let file = try cache.directory().file()
    try file.write(16..<30, seed: 9)
    try file.write(16..<18)
    #expect(file.lend(16..<30) { _ in true } == .lost([BlockIndex(1)]))
    try file.write(18..<32)
    #expect(file.bytes(16..<32) == Pattern.bytes(16..<32))
    #expect(file.checksum(of: BlockIndex(1)) != nil)
  }

  @Test func whatIsHeldIsNotWrittenAgain() throws {
    let file = try cache.directory().file()
    try file.write(0..<16)
    try file.write(0..<32, seed: 9)
    try file.write(5..<16, seed: 9)
    #expect(file.bytes(0..<16) == Pattern.bytes(0..<16))
    #expect(file.bytes(16..<32) == Pattern.bytes(16..<32, seed: 9))
  }

  @Test func blocksBegunTogetherBecomeWholeEachByItself() throws {
    let file = try cache.directory().file()
    for step in 0..<16 {
      for block in [5, 0, 3] { try file.write((block * 16 + step)..<(block * 16 + step + 1)) }
    }
    #expect(file.lendableBlocks()?.count == 3)
  }

  @Test func droppedBlocksAreLostUntilTheyAreWrittenAgain() throws {
    let file = try cache.directory().file()
    try file.write(0..<100)
    let old = file.checksum(of: BlockIndex(2))
    file.drop(BlockIndex(2)..<BlockIndex(4))
    #expect(file.lend(0..<100) { _ in true } == .lost([BlockIndex(2), BlockIndex(3)]))
    #expect(file.checksum(of: BlockIndex(2)) == nil)
    try file.write(32..<64, seed: 5)
    #expect(file.bytes(32..<64) == Pattern.bytes(32..<64, seed: 5))
    #expect(file.checksum(of: BlockIndex(2)) != old)
  }

  @Test func bytesThatTheKernelCouldNotReadAreLost() throws {
    let file = try cache.directory().file()
    try file.write(0..<100)
    // A copy is always readable; durable bytes are lent from the mapping.
    try file.flush()
    #expect(file.lend(20..<40) { _ in false } == .lost([BlockIndex(1), BlockIndex(2)]))
    #expect(file.cachedBlocks.count == 5)
  }

  @Test func aFileTakesTheRoomOfWhatItHoldsOnly() throws {
    let directory = try CacheDirectory(at: cache.root, feedKey: "feed", minFree: .bytes(0))
    let large = Representation(length: 1 << 30, validator: .lastModified("today"))
    let file = try directory.file(large)
    let start = 512 << 20
    try file.write(Pattern.bytes(0..<65536).span.bytes, at: start)
    directory.close()
    let status = TemporaryDirectory.status(try cache.path(endingWith: ".data"))
    #expect(status.st_size == 1 << 30)
    #expect(status.st_blocks * 512 <= 256 << 10)
    #expect(file.bytes(start..<(start + 65536)) == Pattern.bytes(0..<65536))
  }

  @Test func readersAgreeWithTheTruthWhileTheFileIsWrittenDroppedAndFlushed() async throws {
    let directory = try cache.directory(flushDelay: .milliseconds(1))
    let length = 16 * 200 + 5
    let file = try directory.file(Representation(length: length, validator: .none))
    let truth = Pattern.bytes(0..<length)
    let wrong = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for seed in 1...3 {
        group.addTask {
          var random = UInt64(seed)
          for _ in 0..<2000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let start = Int(random >> 33) % length
            let end = min(length, start + 1 + Int(random >> 20) % 64)
            if let bytes = file.bytes(start..<end), bytes[...] != truth[start..<end] {
              wrong.withLock { $0 += 1 }
            }
            if random >> 56 == 0 { file.drop(file.layout.blocks(touching: start..<end)) }
            if random >> 56 == 1 { try? file.close() }
          }
        }
      }
      group.addTask {
        for _ in 0..<20 {
          for start in stride(from: 0, to: length, by: 16) {
            try? file.write(start..<min(start + 16, length))
          }
        }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
    try file.write(0..<length)
    directory.close()
    let again = try cache.directory()
    let reopened = try again.file(Representation(length: length, validator: .none))
    #expect(reopened.lendableBlocks() == BlockSet(0..<201))
  }
}
