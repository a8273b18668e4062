package import Blocks
import NIOConcurrencyHelpers

/// Bytes that may have to come from the disk, which takes whatever time it takes.
extension EntryFile {
  /// Whether `lend` gives `range` without waiting for the disk, as far as that can be told: the kernel may let
  /// go of its pages at any time.
  package func isAtHand(_ range: ByteRange) -> Bool {
    let range = range.clamped(to: 0..<layout.length)
    guard let mapping, mapping.isOfDisk, !range.isEmpty else { return true }
    let blocks = layout.blocks(touching: range)
    guard state.withLockedValue({ $0.unverified.firstMember(in: blocks) }) == nil else {
      return false
    }
    return mapping.isInMemory(range)
      || gathered.withLockedValue { $0.runs(in: range, of: blocks) }.bytes(range) != nil
  }

  /// As `lend`, for a thread that may wait for the disk as long as that takes: `body` is called with a copy,
  /// after the disk has given it.
  package func lendFromDisk(_ range: ByteRange, to body: (RawSpan) -> Void) -> Loan {
    lendCopy(of: range.clamped(to: 0..<layout.length), to: body)
  }
}
