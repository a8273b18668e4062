import Blocks
import Testing

struct ExtentsTests {
  private let layout = BlockLayout(length: 95, blockSize: 10)

  private func set(_ blocks: Int...) -> BlockSet {
    var set = BlockSet()
    for block in blocks { set.insert(BlockIndex(block)) }
    return set
  }

  @Test func membersInARowAreOneExtentOfBytes() {
    #expect(set(0, 1, 3, 9).extents(in: layout, atMost: 9) == [0..<20, 30..<40, 90..<95])
    #expect(set().extents(in: layout, atMost: 9) == [])
  }

  @Test func whereThereAreTooManyTheSmallestGapsArePassedOver() {
    let cachedBlocks = set(0, 2, 5, 7)

    #expect(cachedBlocks.extents(in: layout, atMost: 4).count == 4)
    #expect(cachedBlocks.extents(in: layout, atMost: 2) == [0..<30, 50..<80])
    #expect(cachedBlocks.extents(in: layout, atMost: 1) == [0..<80])
  }

  @Test func howeverScatteredAllMembersAreInAnExtent() {
    let layout = BlockLayout(length: 100_000, blockSize: 10)
    var cachedBlocks = BlockSet()
    for block in stride(from: 0, to: 10_000, by: 3) { cachedBlocks.insert(BlockIndex(block)) }

    let extents = cachedBlocks.extents(in: layout, atMost: 256)
    #expect(extents.count == 256)
    for block in stride(from: 0, to: 10_000, by: 3) {
      #expect(extents.contains { $0.contains(block * 10) })
    }
  }
}
