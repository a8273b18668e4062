/// The identification header of Opus (RFC 7845 §5.1). It has the same form in Matroska as in Ogg.
struct OpusHead {
  /// Samples per second. Opus always counts in 48 kHz, whatever the rate of the recording.
  static let rate = 48_000
  /// How many nanoseconds before a wanted time decoding must begin, so that the sound is correct at
  /// that time (RFC 7845 §4.6).
  static let preRoll = 80_000_000

  let channels: Int
  /// The bytes of the header in the form of Matroska.
  let bytes: [UInt8]
  /// How many nanoseconds of decoded sound at the beginning of the track are not played.
  let delay: Int

  /// - Parameter dOps: the content of the `dOps` box. It has the same fields in big-endian order.
  init(dOps: ArraySlice<UInt8>) throws(StreamError) {
    var cursor = ByteCursor(dOps, of: "dOps")
    guard try cursor.number(UInt8.self) == 0 else { throw .malformed("dOps") }
    let channels: UInt8 = try cursor.number()
    guard channels > 0 else { throw .malformed("dOps") }
    let skip = try cursor.take(2)
    let rate = try cursor.take(4)
    let gain = try cursor.take(2)
    self.channels = Int(channels)
    var bytes = Array("OpusHead".utf8) + [1, channels]
    bytes += skip.reversed()
    bytes += rate.reversed()
    bytes += gain.reversed()
    let family = cursor.rest
    guard let first = family.first, first == 0 || family.count >= 3 + Int(channels) else {
      throw .truncated("dOps")
    }
    self.bytes = bytes + family.prefix(first == 0 ? 1 : 3 + Int(channels))
    delay = skip.reduce(0) { $0 << 8 | Int($1) } * 1_000_000_000 / Self.rate
  }
}
