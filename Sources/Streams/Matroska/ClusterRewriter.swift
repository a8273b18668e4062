/// Makes the bytes of a slot from the clusters of a WebM file.
///
/// Blocks are copied. Only their track numbers and the times of the clusters change.
package struct ClusterRewriter {
  /// The track numbers in the stream's file, by the track numbers in the WebM file. Tracks that are
  /// not listed here are left out.
  package let numbers: [Int: Int]
  /// Milliseconds that are subtracted from the time of each cluster.
  package let zero: Int
  /// True if `numbers` has all tracks of the WebM file, and times stay the same.
  package let isAll: Bool

  /// How many bytes at the beginning of a fragment are searched for the first block.
  package static let head = 256

  /// Returns the pieces of a slot if `head`, the beginning of a fragment of `size` bytes, is enough
  /// to know them; else nil. It is enough if the fragment is one cluster and none of its blocks
  /// changes.
  package func pieces(
    head: ArraySlice<UInt8>, size: Int, slot: Int
  ) throws(StreamError) -> [SlotPiece]? {
    guard isAll, numbers.allSatisfy({ $0 == $1 }) else { return nil }
    let head = head.prefix(Self.head)
    guard let header = try? ElementHeader(head), header.id == ElementID.cluster,
      let content = header.size, header.headerSize + content == size
    else { return nil }
    var place = header.headerSize
    var time: Int?
    while let child = try? ElementHeader(head.dropFirst(place)), let length = child.size,
      child.headerSize + length <= size - place
    {
      if child.id == ElementID.simpleBlock || child.id == ElementID.blockGroup {
        guard let time else { return nil }
        var cluster = Cluster(time: time)
        cluster.pieces.append(range: place..<size)
        return try finish([cluster], slot: slot)
      }
      if child.id == ElementID.timestamp {
        guard place + child.headerSize + length <= head.count else { return nil }
        let body = head.dropFirst(place + child.headerSize).prefix(length)
        time = try Element(id: child.id, body: body, level: 1).number
      }
      place += child.headerSize + length
    }
    return nil
  }

  /// Returns the pieces of a slot. `bytes` is the whole fragment.
  package func pieces(of bytes: ArraySlice<UInt8>, slot: Int) throws(StreamError) -> [SlotPiece] {
    if let pieces = try pieces(head: bytes, size: bytes.count, slot: slot) { return pieces }
    var clusters: [Cluster] = []
    var place = 0
    var passed = 0
    while place < bytes.count {
      let header = try ElementHeader(bytes.dropFirst(place))
      let left = bytes.count - place - header.headerSize
      let start = place + header.headerSize
      passed += 1
      try StreamLimit.boxes.check(passed)
      if header.id == ElementID.cluster {
        guard header.size ?? 0 <= left else { throw .truncated("cluster") }
        clusters.append(
          try cluster(bytes, start..<start + (header.size ?? left), isOpen: header.size == nil))
        place = clusters[clusters.count - 1].end
      } else {
        // Cues or tags can follow the last cluster.
        guard let size = header.size, size <= left else { break }
        place = start + size
      }
    }
    return try finish(clusters, slot: slot)
  }

  private struct Cluster {
    var time: Int
    var pieces: [SlotPiece] = []
    var end = 0
  }

  /// - Parameter isOpen: true if the cluster does not tell its size: it ends before the next
  ///   element of its own level.
  private func cluster(
    _ bytes: ArraySlice<UInt8>, _ range: Range<Int>, isOpen: Bool
  ) throws(StreamError) -> Cluster {
    var cluster = Cluster(time: 0)
    var place = range.lowerBound
    var passed = 0
    while place < range.upperBound {
      let header = try ElementHeader(bytes.dropFirst(place))
      if isOpen, ElementID.topLevel.contains(header.id) { break }
      guard let size = header.size, size <= range.upperBound - place - header.headerSize else {
        throw .truncated("cluster")
      }
      passed += 1
      try StreamLimit.samples.check(passed)
      let body = place + header.headerSize..<place + header.headerSize + size
      switch header.id {
      case ElementID.timestamp:
        cluster.time = try Self.element(header.id, bytes, body).number
      case ElementID.simpleBlock:
        try append(header.id, bytes, body, to: &cluster.pieces)
      case ElementID.blockGroup:
        try appendGroup(bytes, place..<body.upperBound, body, to: &cluster.pieces)
      default:
        break  // Checksums, positions and Void elements do not fit the new cluster.
      }
      place = body.upperBound
    }
    cluster.end = place
    return cluster
  }

  /// Appends a block with the new number of its track. Returns false if the track is left out.
  @discardableResult
  private func append(
    _ id: UInt32, _ bytes: ArraySlice<UInt8>, _ body: Range<Int>, to pieces: inout [SlotPiece]
  ) throws(StreamError) -> Bool {
    guard body.count >= 4 else { throw .truncated("block") }
    let first = bytes[bytes.startIndex + body.lowerBound]
    // A number above 126 would need two bytes. No file has that many tracks.
    guard first & 0x80 != 0 else { throw .malformed("block") }
    guard let number = numbers[Int(first & 0x7F)] else { return false }
    var head = [UInt8].name(id)
    head.append(size: body.count, width: [UInt8].sizeWidth(body.count))
    head.append(0x80 | UInt8(truncatingIfNeeded: number))
    pieces.append(bytes: head[...])
    pieces.append(range: body.lowerBound + 1..<body.upperBound)
    return true
  }

  /// Appends a block group, unless its track is left out. Of its elements, only the block changes,
  /// and a checksum is left out.
  private func appendGroup(
    _ bytes: ArraySlice<UInt8>, _ whole: Range<Int>, _ body: Range<Int>,
    to pieces: inout [SlotPiece]
  ) throws(StreamError) {
    var content: [SlotPiece] = []
    var isWanted = false
    var place = body.lowerBound
    while place < body.upperBound {
      let header = try ElementHeader(bytes.dropFirst(place))
      guard let size = header.size, size <= body.upperBound - place - header.headerSize else {
        throw .truncated("block group")
      }
      let end = place + header.headerSize + size
      if header.id == ElementID.block {
        isWanted = try append(
          header.id, bytes, place + header.headerSize..<end, to: &content)
      } else if header.id != ElementID.checksum {
        content.append(range: place..<end)
      }
      place = end
    }
    guard isWanted else { return }
    let size = content.reduce(0) { $0 + $1.count }
    var head = [UInt8].name(ElementID.blockGroup)
    head.append(size: size, width: [UInt8].sizeWidth(size))
    pieces.append(bytes: head[...])
    for piece in content { Self.append(piece, to: &pieces) }
  }

  private func finish(_ clusters: [Cluster], slot: Int) throws(StreamError) -> [SlotPiece] {
    let clusters = clusters.filter { !$0.pieces.isEmpty }
    let sizes = clusters.map { $0.pieces.reduce(0) { $0 + $1.count } }
    var rest = slot - sizes.reduce(0) { $0 + $1 + ClusterHead.size }
    guard rest >= 0, rest != 1 || !clusters.isEmpty else {
      throw .malformed("a fragment that is larger than was announced")
    }
    var pieces: [SlotPiece] = []
    for (number, cluster) in clusters.enumerated() {
      let time = try MediaTime.difference(cluster.time, zero)
      guard time >= 0, time < 1 << 52 else { throw .malformed("a time before the beginning") }
      let isLonger = rest == 1 && number == clusters.count - 1
      pieces.append(bytes: ClusterHead.bytes(time: time, content: sizes[number], isLonger)[...])
      if isLonger { rest = 0 }
      for piece in cluster.pieces { Self.append(piece, to: &pieces) }
    }
    SlotFilling.append(rest, to: &pieces)
    return pieces
  }

  private static func append(_ piece: SlotPiece, to pieces: inout [SlotPiece]) {
    switch piece {
    case .bytes(let bytes): pieces.append(bytes: bytes)
    case .range(let range): pieces.append(range: range)
    case .zeros: pieces.append(piece)
    }
  }

  private static func element(
    _ id: UInt32, _ bytes: ArraySlice<UInt8>, _ body: Range<Int>
  ) -> Element {
    let start = bytes.startIndex
    return Element(
      id: id, body: bytes[start + body.lowerBound..<start + body.upperBound], level: 3)
  }
}
