package import Blocks
import NIOConcurrencyHelpers
package import SystemPackage

/// Tells when others may read the data file directly. They would read holes as zeros, check no
/// checksum, and never learn that a flush has failed.
extension EntryFile {
  /// Whether every block is cached, verified, flushed to the disk and not suspect. For any thread.
  package var isDurable: Bool {
    state.withLockedValue { $0.isDurable }
  }

  /// Whether every block is cached, if those from an unclean stop are right. For any thread.
  package var isWhole: Bool {
    state.withLockedValue { $0.isWhole }
  }

  /// Bytes of broken answers that were not compared.
  package var suspects: [ByteRange] {
    state.withLockedValue { $0.suspects }.map { $0.clamped(to: 0..<layout.length) }
  }

  /// Lends the descriptor of the data file to `body`, for the time of the call. Durable blocks may
  /// be read from it; the bytes of blocks that are dropped later stay. False: it cannot be opened.
  package func lendDescriptor(to body: (FileDescriptor) -> Void) -> Bool {
    (try? data.lend(to: body)) != nil
  }

  /// Makes a complete file durable: compares the blocks that an unclean stop left with their
  /// checksums, drops the wrong ones, flushes, and marks the file clean. Blocks for as long as the
  /// disk needs to read all of it.
  ///
  /// - Parameter goesOn: asked before each block; false ends the comparison.
  package func makeDurable(while goesOn: () -> Bool) throws(StorageError) {
    var rest = layout.all
    while goesOn(), let block = state.withLockedValue({ $0.unverified.firstMember(in: rest) }) {
      rest = block.advanced(by: 1)..<rest.upperBound
      verify(block..<rest.lowerBound)
    }
    try markClean()
  }
}
