extension SegmentEdge {
  /// Packets that must follow one another before a place counts as that of a packet.
  private static let packets = 4

  /// - Parameters:
  ///   - beginning: plain bytes of the segment's beginning.
  ///   - phase: the bytes before the first packet, if the beginning does not show them.
  ///   - choice: the streams of its section.
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

  /// Returns the bytes in front of the first packet; nil if too few packets are there.
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
