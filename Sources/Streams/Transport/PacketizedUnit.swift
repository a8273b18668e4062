/// A PES packet: bytes of one stream, with their times (ISO 13818-1 §2.4.3.6).
struct PacketizedUnit {
  /// Presentation time and decoding time (33 bits); nil if the packet has none.
  let presentation: Int?
  let decoding: Int?
  let bytes: ArraySlice<UInt8>

  /// Reads a PES packet; nil if the bytes are no PES packet.
  init?(_ packet: ArraySlice<UInt8>) {
    let head = Array(packet.prefix(9))
    guard head.count == 9, head[0] == 0, head[1] == 0, head[2] == 1, head[6] & 0xC0 == 0x80 else {
      return nil
    }
    let length = Int(head[4]) << 8 | Int(head[5])
    let start = 9 + Int(head[8])
    guard packet.count >= start else { return nil }
    let fields = packet.dropFirst(9).prefix(Int(head[8]))
    let flags = head[7] >> 6
    presentation = flags & 2 != 0 ? TimeStamp.bits(fields) : nil
    decoding = flags == 3 ? TimeStamp.bits(fields.dropFirst(5)) ?? presentation : presentation
    // PES packets of pictures can have the length 0, which means that their length is unknown.
    let end = length > 0 ? max(start, min(packet.count, 6 + length)) : packet.count
    bytes = packet.dropFirst(start).prefix(end - start)
  }

  /// Whether the packet tells its length, and all its bytes have come.
  static func isWhole(_ packet: ArraySlice<UInt8>) -> Bool {
    let head = Array(packet.prefix(6))
    guard head.count == 6 else { return false }
    let length = Int(head[4]) << 8 | Int(head[5])
    return length > 0 && packet.count >= 6 + length
  }
}
