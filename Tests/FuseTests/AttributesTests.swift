import TestSupport
import Testing

@testable import Fuse

/// The numbers that `stat` shows of a file.
struct AttributesTests {
  @Test(arguments: [(size: 1, stored: 0), (5_000_000, 0), (5_000_000, 1), (5_000_000, 512)])
  func aFileWithContentIsNoHole(size: Int, stored: Int) {
    #expect(blocks(size, stored) == Figure.minBlocks.count)
  }

  @Test func cachedBytesAreCountedInBlocks() {
    #expect(blocks(5_000_000, 10 * Figure.block.bytes) == 10)
    #expect(blocks(5_000_000, 10 * Figure.block.bytes + 1) == 11)
    #expect(blocks(0, 0) == 0)
  }

  private func blocks(_ size: Int, _ stored: Int) -> Int {
    Attributes(
      inode: NodeID(number: 2), kind: .file, size: size, storedBytes: stored, modified: 0,
      validity: .zero
    ).blocks
  }
}
