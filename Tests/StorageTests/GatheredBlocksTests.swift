import Blocks
import TestSupport
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct GatheredBlocksTests {
  private let cache = CacheFixture()

  private func append(_ range: ByteRange, to gathered: inout GatheredBlocks) {
    let block = BlockIndex(range.lowerBound / 16)
    gathered.append(Pattern.bytes(range).span.bytes, at: range.lowerBound, of: block, size: 16)
  }

  @Test func piecesInARowAreOneRun() {
    var gathered = GatheredBlocks()
    append(16..<20, to: &gathered)
    append(20..<27, to: &gathered)
    #expect(gathered[BlockIndex(1)]?.range == 16..<27)
    #expect(gathered[BlockIndex(1)]?.bytes == Pattern.bytes(16..<27))
    append(16..<18, to: &gathered)
    #expect(gathered[BlockIndex(1)]?.range == 16..<18)
    gathered.remove(BlockIndex(1))
    #expect(gathered[BlockIndex(1)] == nil)
  }

  @Test func whatWasGatheredLiesOverWhatIsOnTheDisk() {
    var gathered = GatheredBlocks()
    append(20..<30, to: &gathered)
    append(32..<35, to: &gathered)
    var bytes = [UInt8](repeating: 0, count: 14)
    let blocks = BlockIndex(1)..<BlockIndex(3)
    gathered.runs(in: 24..<38, of: blocks).over(&bytes, 24..<38)
    #expect(bytes == Pattern.bytes(24..<30) + [0, 0] + Pattern.bytes(32..<35) + [0, 0, 0])
    #expect(gathered.runs(in: 0..<20, of: blocks).isEmpty)
    let runs = gathered.runs(in: 16..<48, of: blocks)
    #expect(runs.bytes(21..<30).map { Array($0) } == Pattern.bytes(21..<30))
    #expect(runs.bytes(21..<31) == nil && runs.bytes(29..<34) == nil)
  }

  /// Readers that seek leave the beginnings of blocks behind.
  @Test func noMoreThanSomeAreKeptInMemory() {
    var gathered = GatheredBlocks()
    for block in 0...GatheredBlocks.most {
      #expect(gathered.excess == nil)
      append(block * 16..<block * 16 + 3, to: &gathered)
    }
    #expect(gathered.excess == BlockIndex(0))
  }

  @Test func aBlockThatWasPutAsideIsContinuedAndWhole() throws {
    let length = 16 * (GatheredBlocks.most + 4)
    let whole = Representation(length: length, validator: .entityTag("\"1\""))
    let file = try cache.directory().file(whole)
    for block in 0..<(length / 16) { try file.write(block * 16..<block * 16 + 5) }
    #expect(file.bytes(0..<5) == Pattern.bytes(0..<5) && file.held.isEmpty)
    try file.write(5..<16)
    #expect(file.held == BlockSet(0..<1))
    #expect(file.bytes(0..<16) == Pattern.bytes(0..<16))
    let last = length - 16
    #expect(file.bytes(last..<last + 5) == Pattern.bytes(last..<last + 5))
  }
}
