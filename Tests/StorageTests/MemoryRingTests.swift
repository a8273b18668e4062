import Blocks
import TestSupport
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct MemoryRingTests {
  private let ring = MemoryRing(
    layout: BlockLayout(length: 100, blockSize: 16), capacity: 50,
    of: MemoryBudget(total: 1000, least: 16))

  @discardableResult
  private func write(_ range: ByteRange, seed: UInt64 = 0) throws -> [BlockIndex] {
    try ring.write(Pattern.bytes(range, seed: seed).span.bytes, at: range.lowerBound)
  }

  private func bytes(_ range: ByteRange) -> [UInt8]? {
    var bytes: [UInt8]?
    let loan = ring.lend(range) { span in
      bytes = span.withUnsafeBytes { Array($0) }
      return true
    }
    return loan == .lent ? bytes : nil
  }

  @Test func whatIsKeptIsLentAcrossBlocks() throws {
    #expect(try write(16..<60) == [])
    #expect(bytes(17..<60) == Pattern.bytes(17..<60))
    #expect(ring.cachedBlocks == BlockSet(1..<3))
    #expect(ring.lend(0..<61) { _ in true } == .lost([BlockIndex(0), BlockIndex(3)]))
  }

  @Test func manyRingsKeepNoMoreTogetherThanIsTheirs() throws {
    let budget = MemoryBudget(total: 96, least: 32)
    let layout = BlockLayout(length: 100, blockSize: 16)
    var rings = (0..<2).map { _ in MemoryRing(layout: layout, capacity: 80, of: budget) }
    let bytes = Pattern.bytes(0..<100)
    let start = Pattern.bytes(0..<16)
    _ = try rings[0].write(bytes.span.bytes, at: 0)
    #expect(rings[0].cachedBlocks == BlockSet(2..<7))

    _ = try rings[1].write(bytes.span.bytes, at: 0)
    #expect(rings[1].cachedBlocks == BlockSet(4..<7))
    #expect(try rings[0].write(start.span.bytes, at: 0).count == 3)
    #expect(rings[0].cachedBlocks.count == 3)

    rings.removeFirst()
    _ = try rings[0].write(start.span.bytes, at: 0)
    #expect(rings[0].cachedBlocks.count == 4)
    #expect(budget.part == 96)
  }

  @Test func theBlockBegunFirstGoesFirst() throws {
    #expect(try write(32..<40) == [])
    #expect(try write(0..<16) == [])
    #expect(try write(96..<100) == [])
    #expect(try write(40..<48) == [])
    #expect(try write(16..<32) == [BlockIndex(2)])
    #expect(try write(48..<96) == [BlockIndex(0), BlockIndex(6), BlockIndex(1)])
    #expect(ring.cachedBlocks == BlockSet(3..<6))
    #expect(bytes(48..<96) == Pattern.bytes(48..<96))
  }

  @Test func moreThanFitsKeepsTheLast() throws {
    #expect(try write(0..<100) == (0..<4).map(BlockIndex.init))
    #expect(bytes(64..<100) == Pattern.bytes(64..<100))
  }

  @Test(arguments: [1..<4, 17..<20, 96..<101, -16..<0, 1000..<1001])
  func bytesOutOfOrderChangeNothing(range: ByteRange) throws {
    try write(16..<20)
    #expect(throws: StorageError.outOfOrder(offset: range.lowerBound)) { try write(range) }
    try write(20..<32)
    #expect(bytes(16..<32) == Pattern.bytes(16..<32))
  }

  @Test func whatIsHeldStaysAndANewStartBeginsAnew() throws {
    try write(0..<16)
    try write(0..<16, seed: 9)
    #expect(bytes(0..<16) == Pattern.bytes(0..<16))
    try write(16..<24, seed: 9)
    try write(16..<18)
    #expect(ring.lend(16..<19) { _ in true } == .lost([BlockIndex(1)]))
    try write(18..<32)
    #expect(bytes(16..<32) == Pattern.bytes(16..<32))
  }

  @Test func anEmptyRangeIsLent() {
    #expect(bytes(100..<200) == [])
  }
}
