/// A run of a slot's bytes.
package enum SlotPiece: Equatable, Sendable {
  /// Bytes that feedfs makes, such as headers. They are in no resource.
  case bytes([UInt8])
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
    case .bytes(let bytes): .bytes(Array(bytes[part]))
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

  /// Appends bytes that feedfs makes: to the last piece if this is of the same kind, else as a new
  /// piece.
  package mutating func append(bytes: some Collection<UInt8>) {
    if case .bytes(var last) = last {
      removeLast()
      last += bytes
      append(.bytes(last))
    } else if !bytes.isEmpty {
      append(.bytes(Array<UInt8>(bytes)))
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
}
