extension SegmentEdge {
  /// How many packets must follow each other, so that a place is accepted as the beginning of a
  /// packet.
  private static let packets = 4

  /// - Parameters:
  ///   - beginning: the plain bytes at the beginning of the segment.
  ///   - phase: the number of bytes before the first packet, for the case that `beginning` does not
  ///     show it.
  ///   - choice: the streams of the segment's section.
  init(beginning: ArraySlice<UInt8>, phase counted: Int, _ choice: ProgramChoice) {
    let beginning = beginning.prefix(Self.maxBytes)
    let phase = Self.phase(of: beginning) ?? counted
    guard let (stream, codec) = choice.picture else {
      self.init(phase: phase, picture: .own)
      return
    }
    let picture = Self.picture(
      in: beginning.dropFirst(phase), stream, TrackGate(.picture(codec)))
    self.init(phase: phase, picture: picture)
  }

  /// Returns the number of bytes before the first packet; nil if too few packets show it.
  package static func phase(of beginning: ArraySlice<UInt8>) -> Int? {
    let bytes = Array(beginning.prefix(size))
    let most = min(packet, bytes.count - (packets - 1) * packet)
    guard most > 0 else { return nil }
    return (0..<most).first { start in
      stride(from: start, to: bytes.count, by: packet).allSatisfy {
        bytes[$0] == TransportPacket.sync
      }
    }
  }

  /// Whether bytes are packets of a transport stream and nothing else, such as its tables alone.
  package static func arePackets(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && bytes.count.isMultiple(of: packet)
      && stride(from: 0, to: bytes.count, by: packet).allSatisfy {
        bytes[$0] == TransportPacket.sync
      }
  }

  private static func picture(
    in bytes: ArraySlice<UInt8>, _ stream: Int, _ first: TrackGate
  ) -> Picture {
    var gate = first
    var packets = PacketStream()
    var place = bytes.startIndex
    while place + packet <= bytes.endIndex, bytes[place] == TransportPacket.sync {
      defer { place += packet }
      guard let next = TransportPacket(bytes, at: place), next.stream == stream,
        let payload = packets.take(next)
      else { continue }
      guard let sides = try? gate.take(payload) else { return .unknown }
      if sides.before.contains(where: { !$0.bytes.isEmpty }) { return .foreign }
      if gate.isOpen { return .own }
    }
    return .unknown
  }
}
