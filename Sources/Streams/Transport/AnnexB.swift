/// Coded pictures with start codes between their NAL units (H.264 and HEVC, Annex B).
enum AnnexB {
  /// Returns the places of the NAL units, without start codes and the zeros behind units.
  static func units(in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
    var units: [Range<Int>] = []
    var start: Int?
    var zeros = 0
    func close(_ end: Int) {
      guard let begin = start else { return }
      var end = end
      while end > begin, bytes[end - 1] == 0 { end -= 1 }
      if end > begin { units.append(begin..<end) }
    }
    for place in bytes.indices {
      let byte = bytes[place]
      if byte == 1, zeros >= 2 {
        close(place - zeros)
        start = place + 1
      }
      zeros = byte == 0 ? zeros + 1 : 0
    }
    close(bytes.endIndex)
    return units
  }

  /// Returns units with their lengths in front, in four bytes each.
  static func lengthPrefixed(_ units: [Range<Int>], of bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(units.reduce(0) { $0 + $1.count + 4 })
    for unit in units {
      result += UInt32(truncatingIfNeeded: unit.count).bigEndianBytes
      result += bytes[unit]
    }
    return result
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, the most significant one first.
  var bigEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
  }
}
