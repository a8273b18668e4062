package import Blocks
import Locks

/// Compares cached blocks with their checksums, even if they were compared before.
extension EntryFile {
  /// Compares cached blocks from `start` on with their checksums, and forgets the blocks that do
  /// not agree. Stops after about `bytes`. For any thread that is allowed to block.
  package func check(from start: BlockIndex, bytes: Int) -> CheckedBlocks {
    try? writeOut()
    forgetMemoryOfEarlierProcess()
    isUnchanged(opens: true)
    var checked = CheckedBlocks()
    var rest = start..<max(start, layout.all.upperBound)
    while let block = cachedBlocks.firstMember(in: rest) {
      guard checked.bytes < bytes else {
        checked.next = block
        return checked
      }
      rest = block.advanced(by: 1)..<rest.upperBound
      let (isWritten, doubts) = state.withLock { ($0.isWritten(block), $0.own.doubts) }
      guard isWritten else { continue }
      checked.bytes += layout.bytes(of: block).count
      if let checksum = provenChecksum(of: block) {
        state.withLock { $0.verified(block, checksum, asOf: doubts) }
      } else if state.withLock({ $0.isWritten(block) }) {
        drop(block..<rest.lowerBound)
        checked.wrong.append(block)
      }
    }
    return checked
  }

  /// Makes the next close keep the present date of the file, because a check does not count as a
  /// use.
  func keepDate() {
    guard let date = try? data.status().modified else { return }
    state.withLock { $0.date = .at(date) }
  }
}

/// The result of a check of some blocks of a version.
package struct CheckedBlocks: Hashable, Sendable {
  /// The number of bytes that were compared.
  package var bytes = 0
  /// The blocks that did not agree with their checksums. They are not cached any more.
  package var wrong: [BlockIndex] = []
  /// The block at which the next check begins; nil if this check reached the end of the file.
  package var next: BlockIndex?
}
