/// A sample that is written into a cluster.
package struct ClusterBlock {
  /// Where the sample's bytes are: in a range of the fragment, or in this value.
  package enum Payload {
    case range(Range<Int>)
    case bytes(ArraySlice<UInt8>)

    var count: Int {
      switch self {
      case .range(let range): range.count
      case .bytes(let bytes): bytes.count
      }
    }
  }

  /// The number of the track in the stream's file.
  package let track: Int
  /// The presentation time, in milliseconds.
  package let time: Int
  package let isKey: Bool
  package let isDiscardable: Bool
  package let payload: Payload

  /// The size of the block's content in bytes: the sample, and four bytes for track, time and
  /// flags.
  fileprivate var size: Int { payload.count + 4 }
  fileprivate var elementSize: Int { 1 + [UInt8].sizeWidth(size) + size }
}

/// Writes the samples of one fragment as clusters that fill a slot.
///
/// A cluster is written when the first sample of the next cluster comes.
package struct ClusterComposer {
  /// The longest time between two samples of a cluster, in milliseconds. The time of a block in its
  /// cluster is a signed number of 16 bits.
  private static let maxSpan = 32_000

  /// The number of bytes of the slot that are not written yet.
  private var rest: Int
  /// The limit for the bytes of a cluster.
  private let most: Int
  /// The samples of the cluster that is not written yet. `times` is the range of their times, and
  /// `size` the size of the cluster.
  private var blocks: [ClusterBlock] = []
  private var times = 0...0
  private var size = ClusterHead.size

  /// - Parameters:
  ///   - slot: the size of the slot in bytes.
  ///   - most: the limit for the bytes of a cluster. A cluster of one sample is allowed to be
  ///     larger.
  package init(slot: Int, most: Int = .max) {
    rest = slot
    self.most = most
  }

  /// Returns the pieces of a slot of `slot` bytes: clusters, and a Void element that fills the rest
  /// of the slot.
  ///
  /// - Parameter blocks: the samples in the order of decoding.
  package static func pieces(
    of blocks: [ClusterBlock], slot: Int
  ) throws(StreamError) -> [SlotPiece] {
    var composer = ClusterComposer(slot: slot)
    var pieces: [SlotPiece] = []
    for block in blocks { try composer.append(block, to: &pieces) }
    try composer.finish(&pieces)
    return pieces
  }

  /// Receives the next sample in the order of decoding, and appends the pieces that are now known.
  package mutating func append(
    _ block: ClusterBlock, to pieces: inout [SlotPiece]
  ) throws(StreamError) {
    let time = block.time
    guard time >= 0, time < 1 << 52 else { throw .malformed("a time before the beginning") }
    if !blocks.isEmpty {
      let all = min(times.lowerBound, time)...max(times.upperBound, time)
      if all.upperBound - all.lowerBound <= Self.maxSpan, size + block.elementSize <= most {
        times = all
        size += block.elementSize
        blocks.append(block)
        return
      }
      try close(isLonger: false, &pieces)
    }
    times = time...time
    size = ClusterHead.size + block.elementSize
    blocks = [block]
  }

  /// Appends the last cluster, and a Void element that fills the rest of the slot.
  package mutating func finish(_ pieces: inout [SlotPiece]) throws(StreamError) {
    // A Void element has at least two bytes. If only one byte of the slot is left, the last cluster
    // is made one byte longer.
    if !blocks.isEmpty { try close(isLonger: rest - size == 1, &pieces) }
    guard rest != 1 else { throw .malformed("a fragment that is larger than was announced") }
    SlotFilling.append(rest, to: &pieces)
    rest = 0
  }

  private mutating func close(
    isLonger: Bool, _ pieces: inout [SlotPiece]
  ) throws(StreamError) {
    rest -= isLonger ? size + 1 : size
    guard rest >= 0 else { throw .malformed("a fragment that is larger than was announced") }
    pieces.append(
      bytes: ClusterHead.bytes(
        time: times.lowerBound, content: size - ClusterHead.size, isLonger)[...])
    for block in blocks { Self.append(block, at: times.lowerBound, to: &pieces) }
    blocks.removeAll()
  }

  private static func append(_ block: ClusterBlock, at time: Int, to pieces: inout [SlotPiece]) {
    var bytes = [UInt8].name(ElementID.simpleBlock)
    bytes.append(size: block.size, width: [UInt8].sizeWidth(block.size))
    bytes.append(0x80 | UInt8(truncatingIfNeeded: block.track))
    bytes.append(number: block.time - time, width: 2)
    bytes.append((block.isKey ? 0x80 : 0) | (block.isDiscardable ? 0x01 : 0))
    pieces.append(bytes: bytes[...])
    switch block.payload {
    case .range(let range): pieces.append(range: range)
    case .bytes(let content): pieces.append(bytes: content)
    }
  }
}

/// The beginning of a cluster: its ID, its size and its time, each of a fixed width.
enum ClusterHead {
  static let size = 12 + timestampSize
  private static let timestampSize = 10

  /// - Parameters:
  ///   - time: the time of the cluster, in milliseconds.
  ///   - content: the number of bytes that follow the head in the cluster.
  ///   - isLonger: makes the head one byte longer than `size`.
  static func bytes(time: Int, content: Int, _ isLonger: Bool) -> [UInt8] {
    let extra = isLonger ? 1 : 0
    var bytes = [UInt8].header(ElementID.cluster, size: timestampSize + extra + content)
    bytes += [UInt8].name(ElementID.timestamp)
    bytes.append(size: 8, width: 1 + extra)
    bytes.append(number: time, width: 8)
    return bytes
  }
}

/// The Void element after the clusters of a slot.
enum SlotFilling {
  static func append(_ count: Int, to pieces: inout [SlotPiece]) {
    guard count >= 2 else { return }
    let header = [UInt8].voidHeader(count)
    pieces.append(bytes: header[...])
    if count > header.count { pieces.append(.zeros(count - header.count)) }
  }
}
