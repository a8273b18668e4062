/// Computes the time of a segment's first sound frame from the sound in front of it.
///
/// Packets of sound may lack times, even all packets of a segment. If there is none behind the
/// segment either, as at the end of a film, the time is counted on from the last one in front of
/// it.
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

  enum Answer: Equatable {
    /// The time in ticks of the first frame.
    case time(Int)
    /// The bytes have no time. Those in front of them may have one.
    case notYet
    /// The frames behind the last time do not lead to the first frame, so its time cannot be found.
    case untellable
    /// Packets are missing behind the last time.
    case gap
  }

  /// Returns the time of the first frame, near `place`, if the bytes show it.
  ///
  /// - Parameter bytes: the plain bytes in front of the first packet of the segment.
  func time(behind bytes: ArraySlice<UInt8>, near place: Int) -> Answer {
    var packets = PacketStream()
    var told: PacketStamp?
    var payload: [UInt8] = []
    // Packets that were missing before the last PES packet, and before the one with the time.
    var gaps = (last: 0, told: 0)
    func take(_ packet: TransportPacket) {
      guard packet.stream == number else { return }
      let taken = packets.take(packet)
      if packet.isStart { gaps.last = packets.gaps }
      guard let taken else { return }
      if taken.isStart, let stamp = taken.stamp {
        (told, payload, gaps.told) = (stamp, [], gaps.last)
      }
      if told != nil { payload += taken.bytes }
    }
    let first = bytes.startIndex + bytes.count % TransportPacket.length
    for start in stride(from: first, to: bytes.endIndex, by: TransportPacket.length)
    where bytes[start] == TransportPacket.sync {
      if let packet = TransportPacket(bytes, at: start) { take(packet) }
    }
    for packet in own { take(packet) }
    guard let told else { return .notYet }
    guard packets.gaps == gaps.told else { return .gap }
    // A time is that of the first frame that begins in its packet, behind the rest of another one.
    var chain = HeadChain(codec, rate: rate)
    guard let samples = chain.samples(in: payload.dropLast(begun)) else { return .untellable }
    let time = TimeStamp.unwrapped(told.presentation, near: place)
    return .time(time + samples * TimeStamp.scale / rate)
  }
}

/// Finds frames of sound that follow one another, by their heads, to the end of bytes.
///
/// Bytes within a frame may look like a head, but no chain of frames leads from there to the end.
/// Each place is read once at most, whatever the bytes.
struct HeadChain {
  let codec: SoundFrame.Codec
  /// The samples in a second of each frame.
  let rate: Int
  /// The number of heads that were read, or tried.
  private(set) var reads = 0

  init(_ codec: SoundFrame.Codec, rate: Int) {
    (self.codec, self.rate) = (codec, rate)
  }

  /// Returns the samples of the frames from the first place on from which they reach the end of `bytes`;
  /// nil if there is none.
  mutating func samples(in bytes: ArraySlice<UInt8>) -> Int? {
    // The places from which the end is not reached.
    var passed = [Bool](repeating: false, count: bytes.count)
    for start in bytes.indices where bytes[start] == codec.sync {
      if let samples = samples(in: bytes, from: start, &passed) { return samples }
    }
    return nil
  }

  private mutating func samples(
    in bytes: ArraySlice<UInt8>, from start: Int, _ passed: inout [Bool]
  ) -> Int? {
    var samples = 0
    var place = start
    while place < bytes.endIndex, !passed[place - bytes.startIndex] {
      passed[place - bytes.startIndex] = true
      reads += 1
      guard let next = (try? SoundFrame.read(bytes[place...], as: codec)) ?? nil,
        next.length > 0, next.rate == rate, place > start || !next.isDependent
      else { return nil }
      if !next.isDependent { samples += next.samples }
      place += next.length
    }
    return place == bytes.endIndex ? samples : nil
  }
}
