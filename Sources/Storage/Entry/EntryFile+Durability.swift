package import Blocks
import Locks
package import SystemPackage

/// Decides when the kernel (in passthrough) or another program is allowed to read the data file
/// directly. A direct reader gets zeros from holes, checks no checksum, and never learns that a
/// flush has failed.
extension EntryFile {
  /// True if every block is cached, verified, flushed to the disk and not suspect, and the file
  /// could always be opened once more. For any thread.
  package var isDurable: Bool {
    state.withLock { $0.isDurable }
  }

  /// True if every block is cached. Blocks that an unclean stop left count even before they are
  /// compared. For any thread.
  package var isWhole: Bool {
    state.withLock { $0.isWhole }
  }

  /// The suspect bytes: answers that broke off brought them, and no other answer has confirmed
  /// them.
  package var suspects: [ByteRange] {
    state.withLock { $0.suspects }.map { $0.clamped(to: 0..<layout.length) }
  }

  /// Lends the descriptor of the data file to `body`, for the time of the call. The whole file can
  /// be read through the descriptor. If a block is dropped later, its bytes stay in the file.
  ///
  /// Returns false if the file is not durable. Also returns false if it cannot be opened once more,
  /// as the kernel does for each reader in passthrough. After that, `isDurable` stays false.
  package func lendDescriptor(to body: (FileDescriptor) -> Void) -> Bool {
    isUnchanged(opens: true)
    guard isDurable else { return false }
    let isLent = data.canBeOpened && (try? data.lend(to: body)) != nil
    if !isLent { state.withLock { $0.isRefused = true } }
    return isLent
  }

  /// Makes a complete file durable. First compares the blocks that an unclean stop left with their
  /// checksums, and drops those that do not agree. Then flushes the file and marks it clean. Can
  /// block for as long as the disk needs to read the whole file.
  ///
  /// - Parameter goesOn: called before each block. If it returns false, the comparison ends early.
  package func makeDurable(while goesOn: () -> Bool) throws(StorageError) {
    isUnchanged(opens: true)
    var rest = layout.all
    while goesOn(), let block = state.withLock({ $0.unverified.firstMember(in: rest) }) {
      rest = block.advanced(by: 1)..<rest.upperBound
      verify(block..<rest.lowerBound)
    }
    try markClean()
  }
}
