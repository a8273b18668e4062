import Blocks
import TestSupport
import Testing

@testable import Storage

/// Maps by the numbers of blocks. A dictionary is the truth: it costs more and does the same.
@Suite(.timeLimit(.minutes(1))) struct BlockMapTests {
  @Test(arguments: 0..<50) func begunBlocksAreFoundHoweverManyThereAre(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var begun = BegunBlocks()
    var truth: [BlockIndex: EntryState.Partial] = [:]
    for step in 0..<300 {
      let block = BlockIndex(Int.random(in: 0..<30, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<5:
        let partial = EntryState.Partial(count: step)
        (begun[block], truth[block]) = (partial, partial)
      case 5..<7: (begun[block], truth[block]) = (nil, nil)
      default:
        let gone = block..<block.advanced(by: Int.random(in: 0..<20, using: &random))
        begun.remove(gone)
        for block in gone { truth[block] = nil }
      }
      #expect((0..<50).allSatisfy { begun[BlockIndex($0)] == truth[BlockIndex($0)] })
      #expect(begun.isEmpty == truth.isEmpty && begun.all.count == truth.count)
      #expect(begun.all.allSatisfy { truth[$0.block] == $0.partial })
    }
  }

  @Test(arguments: 0..<50) func eachBlockHasItsOwnChecksum(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var checksums = BlockChecksums()
    var truth: [BlockIndex: UInt32] = [:]
    for step in 0..<300 {
      let block = BlockIndex(Int.random(in: 0..<400, using: &random))
      let value: UInt32? = Int.random(in: 0..<3, using: &random) == 0 ? nil : UInt32(step)
      (checksums[block], truth[block]) = (value, value)
      #expect(checksums[block] == truth[block])
    }
    #expect((0..<500).allSatisfy { checksums[BlockIndex($0)] == truth[BlockIndex($0)] })
  }
}
