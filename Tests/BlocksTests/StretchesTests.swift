import Blocks
import Testing

struct StretchesTests {
  private let layout = BlockLayout(length: 95, blockSize: 10)

  private func set(_ blocks: Int...) -> BlockSet {
    var set = BlockSet()
    for block in blocks { set.insert(BlockIndex(block)) }
    return set
  }

  @Test func membersInARowAreOneStretchOfBytes() {
    #expect(set(0, 1, 3, 9).stretches(in: layout, atMost: 9) == [0..<20, 30..<40, 90..<95])
    #expect(set().stretches(in: layout, atMost: 9) == [])
  }

  @Test func whereThereAreTooManyTheSmallestGapsArePassedOver() {
    let held = set(0, 2, 5, 7)

    #expect(held.stretches(in: layout, atMost: 4).count == 4)
    #expect(held.stretches(in: layout, atMost: 2) == [0..<30, 50..<80])
    #expect(held.stretches(in: layout, atMost: 1) == [0..<80])
  }

  @Test func howeverScatteredAllMembersAreInAStretch() {
    let layout = BlockLayout(length: 100_000, blockSize: 10)
    var held = BlockSet()
    for block in stride(from: 0, to: 10_000, by: 3) { held.insert(BlockIndex(block)) }

    let stretches = held.stretches(in: layout, atMost: 256)
    #expect(stretches.count == 256)
    for block in stride(from: 0, to: 10_000, by: 3) {
      #expect(stretches.contains { $0.contains(block * 10) })
    }
  }
}
