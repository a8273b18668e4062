/// The STREAMINFO block of FLAC (RFC 9639 §8.2).
struct FLACStream {
  let rate: Int
  let channels: Int

  /// - Parameter blocks: FLAC's metadata blocks. STREAMINFO must be the first.
  init(_ blocks: ArraySlice<UInt8>) throws(StreamError) {
    var cursor = ByteCursor(blocks, of: "STREAMINFO")
    guard try cursor.number(UInt8.self) & 0x7F == 0 else { throw .malformed("STREAMINFO") }
    try cursor.skip(13)
    // 20 bits of rate, 3 of the number of channels minus one, and 9 that are not needed.
    let word = try cursor.word()
    try cursor.skip(20)
    rate = word >> 12
    channels = word >> 9 & 7 + 1
    guard rate > 0 else { throw .malformed("STREAMINFO") }
  }
}

/// Reads the number of channels of AC-3 and E-AC-3 (ETSI TS 102 366, annex F).
enum DolbyChannels {
  /// The number of channels of each audio coding mode (acmod), without the low-frequency channel.
  private static let modes = [2, 1, 2, 3, 3, 4, 4, 5]

  static func ac3(_ dac3: ArraySlice<UInt8>) throws(StreamError) -> Int {
    var cursor = ByteCursor(dac3, of: "dac3")
    // Bits: fscod 2, bsid 5, bsmod 3, acmod 3, lfeon 1, and 2 that are not needed.
    let bits = Int(try cursor.number(UInt16.self))
    return modes[bits >> 3 & 7] + bits >> 2 & 1
  }

  static func eac3(_ dec3: ArraySlice<UInt8>) throws(StreamError) -> Int {
    var cursor = ByteCursor(dec3, of: "dec3")
    // The data rate and the number of substreams are skipped.
    try cursor.skip(2)
    // Bits: fscod 2, bsid 5, two flags, bsmod 3, acmod 3, lfeon 1.
    let bits = Int(try cursor.number(UInt16.self))
    return modes[bits >> 1 & 7] + bits & 1
  }
}
