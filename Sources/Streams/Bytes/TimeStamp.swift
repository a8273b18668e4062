/// The times of transport streams: 33 bits, 90,000 a second, which begin again after 26 hours.
package enum TimeStamp {
  /// Ticks a second.
  package static let scale = 90_000
  /// The number of different times.
  static let range = 1 << 33

  /// Returns the time nearest to `place` that has these 33 bits.
  package static func unwrapped(_ bits: Int, near place: Int) -> Int {
    let distance = (bits &- place) & (range - 1)
    return place &+ (distance < range / 2 ? distance : distance - range)
  }

  /// Returns the ticks of a duration; those of a limit for a greater one.
  package static func ticks(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let limit: Int64 = 1 << 40
    let whole = Int(max(-limit, min(limit, seconds))) * scale
    return whole + Int(attoseconds / 1_000_000_000) * scale / 1_000_000_000
  }

  /// Reads five bytes of a PES header (ISO 13818-1 §2.4.3.7).
  static func bits(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 5 else { return nil }
    let part = bytes.prefix(5).map(Int.init)
    return (part[0] >> 1 & 7) << 30 | part[1] << 22 | (part[2] >> 1) << 15 | part[3] << 7
      | part[4] >> 1
  }
}
