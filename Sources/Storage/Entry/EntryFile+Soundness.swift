package import Blocks
import NIOConcurrencyHelpers
package import SystemPackage

/// When the data file may be read by others than this, which would see holes as zeros, ask for no
/// checksum, and never hear that a flush has failed.
extension EntryFile {
  /// Whether every block is held, beyond doubt, and on the disk. For any thread.
  package var isSound: Bool {
    state.withLockedValue { $0.isSound }
  }

  /// Whether every block is held, if all that an unclean stop has left is right. For any thread.
  package var isWhole: Bool {
    state.withLockedValue { $0.isWhole }
  }

  /// Bytes of answers that broke off, and were not compared.
  package var suspects: [ByteRange] {
    state.withLockedValue { $0.suspects }.map { $0.clamped(to: 0..<layout.length) }
  }

  /// Hands the data file's descriptor to `body`, for the time of the call. What is sound may be read from
  /// it; of blocks that are dropped later, the bytes stay. False: it cannot be opened.
  package func lendDescriptor(to body: (FileDescriptor) -> Void) -> Bool {
    (try? data.lend(to: body)) != nil
  }

  /// Makes a whole file sound: compares what an unclean stop left with its checksums, drops the wrong,
  /// flushes, marks clean. Blocks for as long as the disk needs to read all of it.
  ///
  /// - Parameter goesOn: asked before each block.
  package func settle(while goesOn: () -> Bool) throws(StorageError) {
    var rest = layout.all
    while goesOn(), let block = state.withLockedValue({ $0.unverified.firstMember(in: rest) }) {
      rest = block.advanced(by: 1)..<rest.upperBound
      verify(block..<rest.lowerBound)
    }
    try markClean()
  }
}
