package import Blocks
import NIOConcurrencyHelpers

/// Comparing what is held with its checksums, also what is believed.
extension EntryFile {
  /// Compares the held blocks from `start` on, about `bytes` of them, and forgets the wrong. For any
  /// thread that may block.
  package func check(from start: BlockIndex, bytes: Int) -> CheckedBlocks {
    var checked = CheckedBlocks()
    var rest = start..<max(start, layout.all.upperBound)
    while let block = held.firstMember(in: rest) {
      guard checked.bytes < bytes else {
        checked.next = block
        return checked
      }
      rest = block.advanced(by: 1)..<rest.upperBound
      checked.bytes += layout.bytes(of: block).count
      if let checksum = provenChecksum(of: block) {
        state.withLockedValue { $0.verified(block, checksum) }
      } else if state.withLockedValue({ $0.held.contains(block) }) {
        drop(block..<rest.lowerBound)
        checked.wrong.append(block)
      }
    }
    return checked
  }

  /// When this is closed, the file is dated as it is now: a look at it is no use of it.
  func keepDate() {
    guard let date = try? data.status().modified else { return }
    state.withLockedValue { $0.date = .at(date) }
  }
}

/// What a look at some blocks of a version came to.
package struct CheckedBlocks: Hashable, Sendable {
  /// Bytes that were compared.
  package var bytes = 0
  /// Those that did not agree with their checksums, and are held no longer.
  package var wrong: [BlockIndex] = []
  /// Where to go on; nil: that was the end.
  package var next: BlockIndex?
}
