/// A sample on its way into a cluster.
package struct ClusterBlock {
  /// The place of the sample's bytes.
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

  /// The number of the track in the file that is made.
  package let track: Int
  /// The time of showing, in milliseconds.
  package let time: Int
  package let isKey: Bool
  package let isDiscardable: Bool
  package let payload: Payload

  package init(track: Int, time: Int, isKey: Bool, isDiscardable: Bool, payload: Payload) {
    self.track = track
    self.time = time
    self.isKey = isKey
    self.isDiscardable = isDiscardable
    self.payload = payload
  }

  /// Bytes of the block's content: track, time and flags are four.
  fileprivate var size: Int { payload.count + 4 }
  fileprivate var elementSize: Int { 1 + [UInt8].sizeWidth(size) + size }
}

/// Writes the samples of one fragment as clusters that fill a slot.
package enum ClusterComposer {
  /// The most milliseconds between two samples of a cluster. A block has 16 bits with sign for it.
  private static let longest = 32_000

  /// Returns pieces of `slot` bytes in all: clusters, and behind them an element that says nothing.
  ///
  /// - Parameter blocks: in the order of decoding.
  package static func pieces(
    of blocks: [ClusterBlock], slot: Int
  ) throws(StreamFault) -> [SlotPiece] {
    var clusters: [Range<Int>] = []
    var first = 0
    while first < blocks.count {
      var (least, most) = (blocks[first].time, blocks[first].time)
      var end = first + 1
      while end < blocks.count {
        let time = blocks[end].time
        guard max(most, time) - min(least, time) <= longest else { break }
        (least, most) = (min(least, time), max(most, time))
        end += 1
      }
      guard least >= 0, most < 1 << 52 else { throw .malformed("a time before the beginning") }
      clusters.append(first..<end)
      first = end
    }
    let sizes = clusters.map { cluster in
      blocks[cluster].reduce(ClusterHead.size) { $0 + $1.elementSize }
    }
    var rest = slot - sizes.reduce(0, +)
    guard rest >= 0 else { throw .malformed("a slot that is too small for its fragment") }

    var pieces: [SlotPiece] = []
    for (number, cluster) in clusters.enumerated() {
      let time = blocks[cluster].reduce(Int.max) { min($0, $1.time) }
      // One byte cannot be filled by an element. The last cluster takes it.
      let isLonger = rest == 1 && number == clusters.count - 1
      pieces.append(
        bytes: ClusterHead.bytes(time: time, content: sizes[number] - ClusterHead.size, isLonger))
      if isLonger { rest = 0 }
      for block in blocks[cluster] { append(block, at: time, to: &pieces) }
    }
    guard rest != 1 else { throw .malformed("a slot that is too small for its fragment") }
    SlotFilling.append(rest, to: &pieces)
    return pieces
  }

  private static func append(_ block: ClusterBlock, at time: Int, to pieces: inout [SlotPiece]) {
    var bytes = [UInt8].name(ElementID.simpleBlock)
    bytes.append(size: block.size, width: [UInt8].sizeWidth(block.size))
    bytes.append(0x80 | UInt8(truncatingIfNeeded: block.track))
    bytes.append(number: block.time - time, width: 2)
    bytes.append((block.isKey ? 0x80 : 0) | (block.isDiscardable ? 0x01 : 0))
    pieces.append(bytes: bytes)
    switch block.payload {
    case .range(let range): pieces.append(range: range)
    case .bytes(let content): pieces.append(bytes: content)
    }
  }
}

/// The beginning of a cluster: its name, its size and its time, each of a fixed width.
enum ClusterHead {
  static let size = 12 + timestampSize
  private static let timestampSize = 10

  /// - Parameters:
  ///   - time: milliseconds.
  ///   - content: bytes of what follows.
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

/// Bytes that say nothing, behind the clusters of a slot.
enum SlotFilling {
  static func append(_ count: Int, to pieces: inout [SlotPiece]) {
    guard count >= 2 else { return }
    let header = [UInt8].voidHeader(count)
    pieces.append(bytes: header)
    if count > header.count { pieces.append(.zeros(count - header.count)) }
  }
}
