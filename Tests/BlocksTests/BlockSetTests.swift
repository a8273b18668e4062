import Blocks
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BlockSetTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func aBlockSetIsTheSetThatItSeemsToBe(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let size = 1 + random.below(300)
    var set = BlockSet()
    var model: Set<Int> = []
    for _ in 0..<40 {
      let lower = random.below(size)
      let range = lower..<lower + random.below(size - lower + 1)
      if random.chance(60) {
        set.insert(blocks(range))
        model.formUnion(range)
      } else {
        set.remove(blocks(range))
        model.subtract(range)
      }
      let asked = random.below(size)
      expect(set, toBe: model, within: asked..<asked + random.below(2 * size), seed)
    }
  }

  @Test func whatIsTakenAwayMayBeLongerThanTheSet() {
    let set = BlockSet(blocks(60..<70))
    let others = BlockSet(blocks(65..<300))

    #expect(set.subtracting(others) == BlockSet(blocks(60..<65)))
    #expect(others.subtracting(set) == BlockSet(blocks(70..<300)))
  }

  private func expect(
    _ set: BlockSet, toBe model: Set<Int>, within range: Range<Int>, _ seed: UInt64
  ) {
    let members = range.filter(model.contains)
    let others = range.filter { !model.contains($0) }
    let asked = blocks(range)
    #expect(set.count == model.count, "seed \(seed)")
    #expect(set.isEmpty == model.isEmpty, "seed \(seed)")
    #expect(range.filter { set.contains(BlockIndex($0)) } == members, "seed \(seed)")
    #expect(set.contains(all: asked) == others.isEmpty, "seed \(seed) \(range)")
    #expect(set.firstMember(in: asked)?.value == members.first, "seed \(seed) \(range)")
    #expect(set.firstMissing(in: asked)?.value == others.first, "seed \(seed) \(range)")
    #expect(set.runs(in: asked) == runs(members), "seed \(seed) \(range)")
    #expect(set.missing(in: asked) == runs(others), "seed \(seed) \(range)")
  }

  private func runs(_ values: [Int]) -> [Range<BlockIndex>] {
    var runs: [Range<Int>] = []
    for value in values {
      if let last = runs.last, last.upperBound == value {
        runs[runs.count - 1] = last.lowerBound..<value + 1
      } else {
        runs.append(value..<value + 1)
      }
    }
    return runs.map(blocks)
  }

  @Test func equalSetsAreEqualHoweverManyEmptyWordsFollow() {
    var long = BlockSet(blocks(0..<500))
    long.remove(blocks(3..<500))
    let short = BlockSet(blocks(0..<3))

    #expect(long.words.count != short.words.count)
    #expect(long == short)
    #expect(long.hashValue == short.hashValue)
    #expect(long != BlockSet(blocks(1..<4)))
  }

  @Test func theBitmapHasBlock0InItsLowestBit() {
    let stored = BlockSet(words: [0b101, 1])

    #expect(stored.runs(in: blocks(0..<128)) == [0..<1, 2..<3, 64..<65].map(blocks))
    #expect(BlockSet(blocks(64..<66)).words == [0, 3])
  }

  @Test(arguments: [
    (length: 0, blocks: 0..<0, bytes: 0),
    (length: 30, blocks: 0..<3, bytes: 30),
    (length: 31, blocks: 0..<4, bytes: 31),
    (length: 31, blocks: 0..<3, bytes: 30),
    (length: 31, blocks: 3..<4, bytes: 1),
    (length: 30, blocks: 2..<3, bytes: 10),
  ])
  func theLastBlockCountsForWhatItHas(length: Int, blocks range: Range<Int>, bytes: Int) {
    let layout = BlockLayout(length: length, blockSize: 10)

    #expect(BlockSet(blocks(range)).bytes(in: layout) == bytes)
  }
}

func blocks(_ range: Range<Int>) -> Range<BlockIndex> {
  BlockIndex(range.lowerBound)..<BlockIndex(range.upperBound)
}
