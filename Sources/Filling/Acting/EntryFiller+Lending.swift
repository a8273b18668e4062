import Blocks
import Locks

/// Lends cached bytes to readers, each time for the duration of one call.
extension EntryFiller {
  /// The result of an attempt to lend bytes.
  enum Lending {
    /// The receiver has its answer.
    case answered
    /// Some bytes are missing, and must be fetched.
    case lost
    /// The bytes must be read from the disk first.
    case onDisk
  }

  /// Lends the bytes of `range` to `receiver`. If `receiver` cannot read the lent bytes, this still
  /// counts as its answer. In that case their blocks count as lost, and the next read fetches them
  /// from the origin.
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
