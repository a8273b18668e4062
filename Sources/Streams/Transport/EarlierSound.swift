/// Counts the time of a segment's first frame of sound on from the sound in front of it.
///
/// Packets of sound may lack times, also all of a segment. If none behind it tells one either, as at the
/// end of a film, the last that was told in front of it counts.
struct EarlierSound {
  /// The number of its packets.
  let number: Int
  let codec: SoundFrame.Codec
  /// The packets of the segment itself, up to the one by which its first frame was found.
  let own: [TransportPacket]
  /// Bytes of payload in them from that frame on.
  let begun: Int
  /// The samples in a second of that frame.
  let rate: Int

  /// Returns the time in ticks of the first frame, near `place`; nil if the bytes do not tell it.
  ///
  /// - Parameter bytes: the plain bytes in front of the first packet of the segment.
  func time(behind bytes: ArraySlice<UInt8>, near place: Int) -> Int? {
    var packets = PacketStream()
    var told: PacketStamp?
    var payload: [UInt8] = []
    func take(_ packet: TransportPacket) {
      guard packet.stream == number, let taken = packets.take(packet) else { return }
      if taken.isStart, let stamp = taken.stamp { (told, payload) = (stamp, []) }
      if told != nil { payload += taken.bytes }
    }
    let first = bytes.startIndex + bytes.count % TransportPacket.length
    for start in stride(from: first, to: bytes.endIndex, by: TransportPacket.length)
    where bytes[start] == TransportPacket.sync {
      if let packet = TransportPacket(bytes, at: start) { take(packet) }
    }
    for packet in own { take(packet) }
    guard let told, let samples = samples(in: payload.dropLast(begun)) else { return nil }
    let time = TimeStamp.unwrapped(told.presentation, near: place)
    return time + samples * TimeStamp.scale / rate
  }

  /// Returns the samples of the frames that end where `payload` does. A time is that of the first frame
  /// that begins in its packet, behind the rest of another one. Bytes of that may look like a head, but
  /// then no frames follow one another to the end.
  private func samples(in payload: ArraySlice<UInt8>) -> Int? {
    payload.indices.lazy.filter { payload[$0] == codec.sync }
      .compactMap { samples(in: payload, from: $0) }.first
  }

  private func samples(in payload: ArraySlice<UInt8>, from start: Int) -> Int? {
    var samples = 0
    var place = start
    while place < payload.endIndex {
      guard let next = (try? SoundFrame.read(payload[place...], as: codec)) ?? nil,
        next.length > 0, next.rate == rate, place > start || !next.isDependent
      else { return nil }
      if !next.isDependent { samples += next.samples }
      place += next.length
    }
    return place == payload.endIndex ? samples : nil
  }
}
