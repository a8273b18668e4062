import Blocks
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BlockLayoutTests {
  @Test(arguments: [
    (length: 0, count: 0), (length: 1, count: 1), (length: 9, count: 1), (length: 10, count: 1),
    (length: 11, count: 2), (length: 20, count: 2), (length: 21, count: 3),
  ])
  func theLastBlockMayBeShort(length: Int, count: Int) {
    let layout = BlockLayout(length: length, blockSize: 10)

    #expect(layout.count == count)
    #expect(layout.all == blocks(0..<count))
    #expect(layout.bytes(of: layout.all) == 0..<length)
  }

  @Test(arguments: [
    (bytes: 0..<1, blocks: 0..<1), (bytes: 0..<10, blocks: 0..<1), (bytes: 0..<11, blocks: 0..<2),
    (bytes: 9..<11, blocks: 0..<2), (bytes: 10..<20, blocks: 1..<2),
    (bytes: 19..<25, blocks: 1..<3),
    (bytes: 24..<25, blocks: 2..<3), (bytes: 0..<Int.max, blocks: 0..<3),
    (bytes: 25..<26, blocks: 0..<0), (bytes: 7..<7, blocks: 0..<0),
    (bytes: Int.max - 1..<Int.max, blocks: 0..<0),
  ])
  func aRangeTouchesTheBlocksThatHoldItsBytes(bytes: ByteRange, blocks touched: Range<Int>) {
    #expect(BlockLayout(length: 25, blockSize: 10).blocks(touching: bytes) == blocks(touched))
  }

  @Test func anEmptyRepresentationHasNoBlockToTouch() {
    let layout = BlockLayout(length: 0, blockSize: 10)

    #expect(layout.blocks(touching: 0..<5).isEmpty)
    #expect(layout.bytes(of: BlockIndex(0)).isEmpty)
  }

  @Test(arguments: [
    (block: 0, bytes: 0..<10), (block: 1, bytes: 10..<20), (block: 2, bytes: 20..<25),
    (block: 3, bytes: 25..<25),
  ])
  func aBlockIsCutAtTheEnd(block: Int, bytes: ByteRange) {
    #expect(BlockLayout(length: 25, blockSize: 10).bytes(of: BlockIndex(block)) == bytes)
  }

  @Test(arguments: [(0, 0), (9, 0), (10, 1), (24, 2)])
  func everyByteHasItsBlock(offset: Int, block: Int) {
    #expect(BlockLayout(length: 25, blockSize: 10).block(at: offset) == BlockIndex(block))
  }

  @Test func blocksAre64KiBUnlessSaidOtherwise() {
    #expect(BlockLayout(length: 65_536).count == 1)
    #expect(BlockLayout(length: 65_537).count == 2)
  }
}
