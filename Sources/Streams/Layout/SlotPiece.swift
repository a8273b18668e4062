/// A run of a slot's bytes.
package enum SlotPiece: Equatable, Sendable {
  /// Bytes that feedfs makes, such as headers, or that it has taken out of packets.
  case bytes(ArraySlice<UInt8>)
  /// A range of the fragment's bytes.
  case range(Range<Int>)
  /// Zero bytes.
  case zeros(Int)

  package var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .range(let range): range.count
    case .zeros(let count): count
    }
  }

  /// Returns a part of the piece. `part` counts from the beginning of the piece.
  fileprivate func cut(to part: Range<Int>) -> SlotPiece {
    if part == 0..<count { return self }
    return switch self {
    case .bytes(let bytes):
      .bytes(bytes.dropFirst(part.lowerBound).prefix(part.count))
    case .range(let range):
      .range(range.lowerBound + part.lowerBound..<range.lowerBound + part.upperBound)
    case .zeros: .zeros(part.count)
    }
  }
}

extension [SlotPiece] {
  /// Returns the pieces of a part of the slot. `part` counts from the beginning of the slot.
  package func cut(to part: Range<Int>) -> [SlotPiece] {
    var place = 0
    return compactMap { piece in
      let own = place..<place + piece.count
      place = own.upperBound
      let wanted = part.clamped(to: own)
      guard !wanted.isEmpty else { return nil }
      return piece.cut(
        to: wanted.lowerBound - own.lowerBound..<wanted.upperBound - own.lowerBound)
    }
  }

  /// The smallest number of bytes that become a piece without a copy. Fewer bytes are copied,
  /// because a piece of their own would cost more.
  private static var minShared: Int { 4 << 10 }

  /// Appends bytes: to the last piece if that is of the same kind and both are short, else as a new
  /// piece.
  package mutating func append(bytes: ArraySlice<UInt8>) {
    if case .bytes(var last) = last, last.count + bytes.count < Self.minShared {
      removeLast()
      last += bytes
      append(.bytes(last))
    } else if bytes.count >= Self.minShared {
      append(.bytes(bytes))
    } else if !bytes.isEmpty {
      append(.bytes(Array<UInt8>(bytes)[...]))
    }
  }

  /// Appends a range of the fragment. A range that continues the last piece extends it.
  package mutating func append(range: Range<Int>) {
    if case .range(let last) = last, last.upperBound == range.lowerBound {
      self[count - 1] = .range(last.lowerBound..<range.upperBound)
    } else if !range.isEmpty {
      append(.range(range))
    }
  }

  /// Returns the bytes of the slot in portions, without a copy of long ones. The ranges of the
  /// pieces are in `fragment`.
  ///
  /// - Throws: `truncated` if `fragment` is shorter than that.
  func portions(of fragment: ByteRun) throws(StreamError) -> [ArraySlice<UInt8>] {
    var portions: [ArraySlice<UInt8>] = []
    for piece in self {
      switch piece {
      case .bytes(let bytes): portions.append(bytes)
      case .zeros(let count): portions.append([UInt8](repeating: 0, count: count)[...])
      case .range(let range):
        guard range.upperBound <= fragment.end else { throw .truncated("fragment") }
        var place = range.lowerBound
        while place < range.upperBound {
          let portion = fragment.next(from: place).prefix(range.upperBound - place)
          guard !portion.isEmpty else { throw .truncated("fragment") }
          portions.append(portion)
          place += portion.count
        }
      }
    }
    return portions
  }
}
