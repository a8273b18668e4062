import Blocks
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct EntryStateTests {
  private let layout = BlockLayout(length: 100, blockSize: 10)

  private func wrote(_ block: Int, count: Int = 10, in state: inout EntryState) {
    guard case .next(let before) = state.admit(block * 10, in: BlockIndex(block)) else { return }
    var after = before
    after.count += count
    #expect(state.wrote(after, following: before, in: BlockIndex(block)) == true)
    // The writer has caught up.
    state.pending = BlockSet()
  }

  @Test func aFailedFlushForgetsWhatWasWrittenSinceTheLastGoodOne() {
    var state = EntryState(layout: layout)
    wrote(0, in: &state)
    #expect(state.beginFlush() == true)
    state.endFlush()
    wrote(1, in: &state)
    #expect(state.beginFlush() == true)
    wrote(2, in: &state)
    wrote(3, count: 5, in: &state)

    #expect(state.failFlush() == [0])
    #expect(state.cachedBlocks == BlockSet(0..<1))
    #expect(state.admit(35, in: BlockIndex(3)) == .outOfOrder)
    #expect(state.isInOrder)
  }

  @Test func aBlockThatWasDroppedWhileItsEndWasWrittenIsNotHeld() {
    var state = EntryState(layout: layout)
    guard case .next(let before) = state.admit(20, in: BlockIndex(2)) else {
      Issue.record("not admitted")
      return
    }
    var after = before
    after.count = 10
    #expect(state.drop(BlockIndex(2)..<BlockIndex(3)) == [])
    #expect(state.wrote(after, following: before, in: BlockIndex(2)) == false)
    #expect(state.cachedBlocks.isEmpty)
  }

  @Test func itIsInOrderOnlyWhenAllIsVerifiedAndFlushed() {
    var state = EntryState(
      layout: layout, cachedBlocks: BlockSet(0..<2), unverified: BlockSet(0..<2))
    #expect(!state.isInOrder)
    state.verified(BlockIndex(0), 1, asOf: 0)
    state.verified(BlockIndex(1), 2, asOf: 0)
    #expect(state.isInOrder)
    wrote(2, in: &state)
    #expect(!state.isInOrder)
    #expect(state.beginFlush() == true)
    #expect(!state.isInOrder)
    state.endFlush()
    #expect(state.isInOrder)
    #expect(state.beginFlush() == false)
  }

  @Test func whatIsNotKnownToBeOnTheDiskIsDoubtfulUntilItIs() {
    let all = layout.all
    var state = EntryState(
      layout: layout, cachedBlocks: BlockSet(0..<3), unverified: BlockSet(0..<2),
      unflushed: BlockSet(0..<2))
    state.verified(BlockIndex(0), 7, asOf: 0)
    wrote(4, in: &state)
    wrote(5, count: 3, in: &state)
    let sum = CRC32C().value
    let expected = [
      DoubtfulBytes(block: BlockIndex(0), count: 10, checksum: 7),
      DoubtfulBytes(block: BlockIndex(1), count: 10, checksum: nil),
      DoubtfulBytes(block: BlockIndex(4), count: 10, checksum: sum),
      DoubtfulBytes(block: BlockIndex(5), count: 3, checksum: sum),
    ]
    #expect(state.doubtful(in: all) == expected)
    #expect(state.doubtful(in: BlockIndex(2)..<BlockIndex(4)) == [])
    #expect(state.beginFlush() == true)
    state.verified(BlockIndex(1), 8, asOf: 0)
    #expect(state.doubtful(in: all).map(\.checksum) == [7, 8, sum, sum])
    state.endFlush()
    #expect(state.doubtful(in: all) == [expected[3]])
    _ = state.drop(BlockIndex(5)..<BlockIndex(6))
    #expect(state.doubtful(in: all) == [])
  }

  @Test func droppingNamesEachChangedWordOnce() {
    let large = BlockLayout(length: 3000, blockSize: 10)
    var cachedBlocks = BlockSet(0..<10)
    cachedBlocks.insert(BlockSet.range(20..<70))
    cachedBlocks.insert(BlockSet.range(200..<201))
    var state = EntryState(layout: large, cachedBlocks: cachedBlocks)
    #expect(state.drop(large.all) == [0, 1, 3])
    #expect(state.cachedBlocks.isEmpty)
  }
}

extension BlockSet {
  fileprivate static func range(_ range: Range<Int>) -> Range<BlockIndex> {
    BlockIndex(range.lowerBound)..<BlockIndex(range.upperBound)
  }
}
