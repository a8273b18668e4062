package import Blocks
import Locks
package import SystemPackage

/// Decides when others, such as the kernel in passthrough, may read the data file directly. Such a
/// reader gets zeros from holes, checks no checksum, and never learns that a flush has failed.
extension EntryFile {
  /// True if every block is cached, verified, flushed to the disk and not suspect, and others can
  /// open the file. For any thread.
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

  /// Lends the descriptor of the data file to `body`, for the time of the call. The caller may read
  /// durable blocks through it. If a block is dropped later, its bytes stay in the file.
  ///
  /// Returns false if the file is not durable, or if it cannot be opened once more, as the kernel
  /// opens it for each reader. From then on `isDurable` is false.
  package func lendDescriptor(to body: (FileDescriptor) -> Void) -> Bool {
    isUnchanged(opens: true)
    guard isDurable else { return false }
    let isLent = data.canBeOpened && (try? data.lend(to: body)) != nil
    if !isLent { state.withLock { $0.isRefused = true } }
    return isLent
  }

  /// Makes a complete file durable. It compares the blocks that an unclean stop left with their
  /// checksums, and drops the wrong ones. Then it flushes the file and marks it clean. It may block
  /// for as long as the disk needs to read the whole file.
  ///
  /// - Parameter goesOn: returns false to end the comparison. It is asked before each block.
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
