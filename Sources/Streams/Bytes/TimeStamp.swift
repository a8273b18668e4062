/// The times of transport streams: numbers of 33 bits, in ticks of 1/90,000 s. They start again at
/// 0 after 26.5 hours.
package enum TimeStamp {
  /// The number of ticks per second.
  package static let scale = 90_000
  /// The number of ticks after which times start again at 0.
  static let range = 1 << 33

  /// Returns the time nearest to `place` whose lowest 33 bits are `bits`.
  package static func unwrapped(_ bits: Int, near place: Int) -> Int {
    let distance = (bits &- place) & (range - 1)
    return place &+ (distance < range / 2 ? distance : distance - range)
  }

  /// Returns a duration in ticks, limited to ±2⁴⁰ seconds.
  package static func ticks(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let limit: Int64 = 1 << 40
    let whole = Int(max(-limit, min(limit, seconds))) * scale
    return whole + Int(attoseconds / 1_000_000_000) * scale / 1_000_000_000
  }

  /// Reads a time stamp of a PES packet from five bytes (ISO 13818-1 §2.4.3.7); nil if there are
  /// fewer bytes.
  static func bits(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 5 else { return nil }
    let part = bytes.prefix(5).map(Int.init)
    return (part[0] >> 1 & 7) << 30 | part[1] << 22 | (part[2] >> 1) << 15 | part[3] << 7
      | part[4] >> 1
  }
}
