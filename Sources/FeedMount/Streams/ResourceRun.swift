import Blocks
import Streaming

/// Consecutive bytes of one resource, of which a reader takes what it needs in order.
///
/// It belongs to the reader of one film, and is used on its actor alone.
final class ResourceRun {
  let resource: Int
  let bytes: ByteRange
  /// The slots that are made of these bytes.
  let slots: ClosedRange<Int>
  private(set) var transfer: PieceTransfer?
  private var buffer: [UInt8] = []
  /// The place in the resource of the first byte of `buffer`.
  private var start: Int

  init(resource: Int, bytes: ByteRange, slots: ClosedRange<Int>) {
    self.resource = resource
    self.bytes = bytes
    self.slots = slots
    start = bytes.lowerBound
  }

  func begin(_ transfer: PieceTransfer) {
    self.transfer = transfer
  }

  /// The bytes that came, from `place` on; empty if there are none.
  func available(from place: Int) -> ArraySlice<UInt8> {
    guard place >= start, place < start + buffer.count else { return [] }
    return buffer[(place - start)...]
  }

  /// Forgets the bytes before `place`.
  func drop(before place: Int) {
    let count = min(place - start, buffer.count)
    guard count > 0, count == buffer.count || count >= 1 << 18 else { return }
    if count == buffer.count { buffer = [] } else { buffer.removeFirst(count) }
    start += count
  }

  /// Adds bytes that came.
  func add(_ bytes: [UInt8]) {
    if buffer.isEmpty { buffer = bytes } else { buffer += bytes }
  }
}
