/// The codec and its configuration, from an `esds` box (ISO/IEC 14496-1 §7.2.6).
struct ElementaryStream {
  let codec: String
  /// The content of the DecoderSpecificInfo; empty for MP3.
  let configuration: [UInt8]

  /// - Parameter esds: the content of the box.
  init(_ esds: ArraySlice<UInt8>) throws(StreamError) {
    var cursor = ByteCursor(esds, of: "esds")
    try cursor.skip(4)
    var stream = ByteCursor(try Self.descriptor(3, &cursor), of: "esds")
    try stream.skip(2)
    let flags: UInt8 = try stream.number()
    if flags & 0x80 != 0 { try stream.skip(2) }
    if flags & 0x40 != 0 { try stream.skip(Int(try stream.number(UInt8.self))) }
    if flags & 0x20 != 0 { try stream.skip(2) }
    var decoder = ByteCursor(try Self.descriptor(4, &stream), of: "esds")
    let object: UInt8 = try decoder.number()
    try decoder.skip(12)
    switch object {
    case 0x40, 0x66, 0x67, 0x68:
      codec = "A_AAC"
      configuration = Array(try Self.descriptor(5, &decoder))
    case 0x69, 0x6B:
      codec = "A_MPEG/L3"
      configuration = []
    default:
      throw .unsupported("feedfs does not know the codec mp4a.\(String(object, radix: 16))")
    }
  }

  private static func descriptor(
    _ tag: UInt8, _ cursor: inout ByteCursor
  ) throws(StreamError) -> ArraySlice<UInt8> {
    guard try cursor.number(UInt8.self) == tag else { throw .malformed("esds") }
    var size = 0
    for _ in 0..<4 {
      let byte: UInt8 = try cursor.number()
      size = size << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { return try cursor.take(size) }
    }
    throw .malformed("esds")
  }
}

/// The configuration of an AAC decoder (ISO/IEC 14496-3 §1.6.2.1).
package struct AudioSpecificConfig: Equatable {
  /// The sample rate in hertz of each `samplingFrequencyIndex`.
  package static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
  ]

  package let channels: Int

  /// Returns nil if the number of channels is not in the first two bytes.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2, bytes[0] >> 3 != 31 else { return nil }
    // Five bits of object type, four of rate, four of channels. If the rate is 15, the real rate
    // follows in 24 bits, before the channels.
    let word = Int(bytes[0]) << 8 | Int(bytes[1])
    guard word >> 7 & 15 != 15 else { return nil }
    let layouts = [nil, 1, 2, 3, 4, 5, 6, 8]
    let layout = word >> 3 & 15
    guard layout < layouts.count, let channels = layouts[layout] else { return nil }
    self.channels = channels
  }
}
