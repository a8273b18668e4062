import Blocks
import Locks

/// Lends cached bytes to their readers.
extension EntryFiller {
  /// The result of an attempt to lend bytes.
  enum Lending {
    /// The receiver has its answer.
    case answered
    /// Some bytes are missing, and must be fetched.
    case lost
    /// The bytes must come from the disk.
    case onDisk
  }

  /// Lends `range` to `receiver`. If the receiver could not read the lent bytes, it has its answer
  /// all the same. Then their blocks count as lost, and the next read gets them from the origin.
  func lend(
    _ range: ByteRange, of store: any BlockStore, to receiver: some ByteReceiver
  ) -> Lending {
    let length = state.withLock { $0.length }
    var isAnswered = false
    let outcome = store.lend(range.clamped(to: 0..<length)) { bytes in
      isAnswered = true
      return receiver.receive(bytes)
    }
    switch outcome {
    case .lent: return .answered
    case .onDisk: return .onDisk
    case .lost(let blocks):
      lost(blocks)
      return isAnswered ? .answered : .lost
    }
  }
}
