/// A packet of a transport stream (ISO 13818-1 §2.4.3.2).
struct TransportPacket {
  let stream: Int
  /// Whether a table or a PES packet begins here.
  let isStart: Bool
  let isScrambled: Bool
  let counter: UInt8
  private(set) var payload: ArraySlice<UInt8>

  static let length = SegmentEdge.packet
  static let sync: UInt8 = 0x47
  /// The packet identifiers (PID) of the table of programs, and of stuffing.
  static let programs = 0
  static let null = 0x1FFF

  /// Reads the packet that begins at `place`; nil if it is damaged, is stuffing, or has no payload.
  init?(_ bytes: ArraySlice<UInt8>, at place: Int) {
    let second = bytes[place + 1]
    let fourth = bytes[place + 3]
    stream = Int(second & 31) << 8 | Int(bytes[place + 2])
    isStart = second & 0x40 != 0
    isScrambled = fourth & 0xC0 != 0
    counter = fourth & 15
    let isBroken = second & 0x80 != 0
    guard fourth & 0x10 != 0, !isBroken, stream != Self.null else { return nil }
    var start = place + 4
    if fourth & 0x20 != 0 { start += 1 + Int(bytes[start]) }
    let end = place + Self.length
    guard start < end else { return nil }
    payload = bytes[start..<end]
  }

  /// A copy of the packet with its own bytes, so the original bytes can be freed.
  var copy: TransportPacket {
    var copy = self
    copy.payload = Array(payload)[...]
    return copy
  }

  /// The result of the search for the next packet.
  struct Next {
    /// The place of the packet; nil if more bytes are needed to find it.
    var start: Int?
    /// The place of the packet. If `start` is nil, the bytes from this place on are needed again
    /// when more bytes have come.
    let rest: Int
    /// True if no packet began where a packet was expected.
    let isLost: Bool
  }

  /// Finds the next packet at `place` or after it.
  ///
  /// If no packet begins at `place`, later bytes are searched. A packet is then found only if
  /// another packet follows it.
  ///
  /// - Parameters:
  ///   - isLost: true if this search was begun before, with fewer bytes.
  ///   - isAll: true if no more bytes come. Then one packet is enough.
  static func next(
    in bytes: ArraySlice<UInt8>, from place: Int, isLost: Bool, isAll: Bool
  ) -> Next {
    guard place + length <= bytes.endIndex else {
      return Next(start: nil, rest: place, isLost: isLost)
    }
    if !isLost, bytes[place] == sync { return Next(start: place, rest: place, isLost: false) }
    for start in place...(bytes.endIndex - length) where bytes[start] == sync {
      let second = start + length
      if second >= bytes.endIndex {
        return Next(start: isAll ? start : nil, rest: start, isLost: true)
      }
      if bytes[second] == sync { return Next(start: start, rest: start, isLost: true) }
    }
    return Next(start: nil, rest: bytes.endIndex - length + 1, isLost: true)
  }
}
