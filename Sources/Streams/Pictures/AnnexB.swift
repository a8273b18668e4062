/// Converts pictures with start codes between their NAL units (Annex B of H.264 and of HEVC).
enum AnnexB {
  /// Returns the ranges of the NAL units, without start codes and trailing zeros.
  static func units(in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
    var units: [Range<Int>] = []
    let (first, content) = (bytes.startIndex, bytes.span)
    var begin: Int?
    func close(_ end: Int) {
      guard let begin else { return }
      var end = end
      while end > begin, content[end - 1] == 0 { end -= 1 }
      if end > begin { units.append(first + begin..<first + end) }
    }
    // The last of three bytes shows how far the search can skip ahead.
    var place = 0
    while place + 2 < content.count {
      let third = content[place + 2]
      if third == 0 {
        place += 1
        continue
      }
      if third == 1, content[place] == 0, content[place + 1] == 0 {
        close(place)
        begin = place + 3
      }
      place += 3
    }
    close(content.count)
    return units
  }

  /// Returns the units, each after its length in four bytes.
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
  /// The bytes of the number, the most significant byte first.
  var bigEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
  }
}
