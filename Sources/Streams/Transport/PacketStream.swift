/// Payload bytes from one packet of a stream.
struct Payload {
  /// Whether a PES packet begins with these bytes.
  var isStart = false
  /// The times in the head of the PES packet that begins with these bytes; else nil.
  var stamp: PacketStamp?
  var bytes: ArraySlice<UInt8>
}

/// Reads the payload of one stream, and its times, from transport packets (ISO 13818-1 §2.4.3.6).
struct PacketStream {
  /// The size of the longest head of a PES packet: 9 bytes, and up to 255 more, whose number is in
  /// the ninth byte.
  private static let maxHeadBytes = 9 + 255
  /// The stream IDs of PES packets without samples. The heads of these packets have only a length.
  private static let headless: Set<UInt8> = [0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF]

  /// The bytes of a PES packet whose head is not complete yet.
  private var head: [UInt8]?
  /// How many bytes of the PES packet are still to come; nil if the PES packet does not tell its
  /// length, or if no PES packet has begun.
  private var missing: Int?
  /// True while the bytes are inside a PES packet; false before the first PES packet, and after a
  /// packet that was marked as a start but began no PES packet.
  private var isIn = false
  /// True before the first PES packet. Bytes then continue a PES packet of the previous segment.
  private var isBefore = true
  /// True within a PES packet without samples, such as padding.
  private var isPassed = false
  private var counter: UInt8?
  private var last: [UInt8] = []
  /// How often the counter of packets has jumped: packets are missing there.
  private(set) var gaps = 0

  /// The number of bytes that are neither in a PES packet nor stuffing.
  private(set) var lost = 0

  /// False once a packet was missing.
  var isFlawless: Bool { gaps == 0 }

  /// Whether more bytes of the last PES packet can follow. A PES packet that does not tell its
  /// length ends where the next PES packet begins.
  var isOpen: Bool { head != nil || isIn && missing.map { $0 > 0 } ?? true }

  /// Receives the next packet of the stream, and returns its payload, if any is known now.
  mutating func take(_ packet: TransportPacket) -> Payload? {
    // A packet can be sent twice, so a repeated packet is ignored (ISO 13818-1 §2.4.3.3).
    if counter == packet.counter, last.elementsEqual(packet.payload) { return nil }
    if let counter, packet.counter != (counter + 1) & 15 { gaps += 1 }
    counter = packet.counter
    last = Array(packet.payload)
    if packet.isStart {
      (isBefore, isPassed) = (false, false)
      head = []
    }
    guard var head else { return rest(packet.payload) }
    head += packet.payload
    self.head = head
    return begin(head)
  }

  private mutating func rest(_ bytes: ArraySlice<UInt8>) -> Payload? {
    if isBefore { return Payload(bytes: bytes) }
    guard isIn else {
      lose(bytes)
      return nil
    }
    guard let missing else { return Payload(bytes: bytes) }
    // Bytes after the end of the PES packet are stuffing.
    let own = bytes.prefix(missing)
    self.missing = missing - own.count
    return own.isEmpty ? nil : Payload(bytes: own)
  }

  /// Counts bytes that are in no PES packet of the stream.
  private mutating func lose(_ bytes: ArraySlice<UInt8>) {
    guard !isPassed else { return }
    lost += bytes.count { $0 != 0 && $0 != 0xFF }
  }

  private mutating func begin(_ bytes: [UInt8]) -> Payload? {
    let isPossible = zip(bytes, [0, 0, 1] as [UInt8]).allSatisfy(==)
    guard isPossible, bytes.count < 7 || bytes[6] & 0xC0 == 0x80 else {
      (head, isIn) = (nil, false)
      isPassed = isPossible && Self.headless.contains(bytes[3])
      lose(bytes[...])
      return nil
    }
    guard bytes.count >= 9, bytes.count >= 9 + Int(bytes[8]) || bytes.count >= Self.maxHeadBytes
    else { return nil }
    head = nil
    guard let unit = PacketizedUnit(bytes[...]) else {
      isIn = false
      lose(bytes[...])
      return nil
    }
    isIn = true
    let length = Int(bytes[4]) << 8 | Int(bytes[5])
    missing = length > 0 ? max(0, length - 3 - Int(bytes[8]) - unit.bytes.count) : nil
    return Payload(
      isStart: true,
      stamp: unit.presentation.map {
        PacketStamp(presentation: $0, decoding: unit.decoding ?? $0)
      }, bytes: unit.bytes)
  }
}
