/// A run of payload bytes of one stream.
struct Payload {
  /// Whether a PES packet begins with these bytes.
  var isStart = false
  /// The times in this packet.
  var stamp: PacketStamp?
  var bytes: ArraySlice<UInt8>
}

/// Takes the payload of one stream out of its packets, with their times (ISO 13818-1 §2.4.3.6).
struct PacketStream {
  /// The longest head: 9 bytes, and those that it counts.
  private static let maxHeadBytes = 9 + 255
  /// The kinds of PES packets that have no samples, and whose heads have only a length.
  private static let headless: Set<UInt8> = [0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF]

  /// The beginning of a PES packet whose head is not whole yet.
  private var head: [UInt8]?
  /// The missing bytes of the PES packet; nil if it does not say, or if none has begun.
  private var missing: Int?
  /// True within a PES packet; false before the first one, and after bytes that begin none.
  private var isIn = false
  /// True before the first PES packet: the bytes continue one of the segment before.
  private var isBefore = true
  /// True within a PES packet of a kind that has no samples, such as padding.
  private var isPassed = false
  private var counter: UInt8?
  private var last: [UInt8] = []
  /// The number of jumps in the packets' counters.
  private(set) var gaps = 0

  /// Bytes that are in no PES packet, and no stuffing.
  private(set) var lost = 0

  /// False once a packet was missing.
  var isFlawless: Bool { gaps == 0 }

  /// Whether a PES packet may go on. One without a length ends where the next one begins.
  var isOpen: Bool { head != nil || isIn && missing.map { $0 > 0 } ?? true }

  /// Takes the next packet of the stream.
  mutating func take(_ packet: TransportPacket) -> Payload? {
    // A packet may be sent twice (§2.4.3.3).
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
    // Bytes behind the end are stuffing.
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
