/// Computes the time of a segment's first sound frame from the sound before the segment.
///
/// Packets of sound can lack times, even all packets of a segment. If the following segments have
/// no times either, as at the end of a stream, the time is computed from the last time before the
/// segment.
struct EarlierSound {
  /// The packet identifier (PID) of the sound.
  let number: Int
  let codec: SoundFrame.Codec
  /// The packets of the segment itself, up to the packet that showed where its first frame begins.
  let own: [TransportPacket]
  /// The number of payload bytes in `own` from the first frame on.
  let begun: Int
  /// The sample rate of the first frame, in hertz.
  let rate: Int

  enum Answer: Equatable {
    /// The time of the first frame, in ticks.
    case time(Int)
    /// The bytes contain no time. Earlier bytes can contain a time.
    case notYet
    /// The frames after the last time do not reach the first frame, so its time cannot be computed.
    case untellable
    /// Packets are missing after the last time.
    case gap
  }

  /// Returns the time of the first frame, if the bytes show it. `place` is a time near that time,
  /// in ticks.
  ///
  /// - Parameter bytes: the plain bytes before the first packet of the segment.
  func time(behind bytes: ArraySlice<UInt8>, near place: Int) -> Answer {
    var packets = PacketStream()
    var told: PacketStamp?
    var payload: [UInt8] = []
    // How many packets were missing before the last PES packet (`last`), and before the PES packet
    // with the last time (`told`).
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
    // A PES packet can begin with the rest of a frame. The time of the packet is the time of the
    // first frame that begins in it.
    var chain = HeadChain(codec, rate: rate)
    guard let samples = chain.samples(in: payload.dropLast(begun)) else { return .untellable }
    let time = TimeStamp.unwrapped(told.presentation, near: place)
    return .time(time + samples * TimeStamp.scale / rate)
  }
}

/// Finds frames of sound that follow each other without a gap up to the end of the bytes.
///
/// Bytes inside a frame can look like the head of another frame, but then no chain of frames leads
/// from there to the end of the bytes. Each place is read at most once, so hostile bytes cannot
/// make the search long.
struct HeadChain {
  let codec: SoundFrame.Codec
  /// The sample rate of all frames, in hertz.
  let rate: Int
  /// The number of attempts to read a head.
  private(set) var reads = 0

  init(_ codec: SoundFrame.Codec, rate: Int) {
    (self.codec, self.rate) = (codec, rate)
  }

  /// Finds the first place from which frames reach the end of `bytes`, and returns the number of
  /// samples in these frames; nil if there is no such place.
  mutating func samples(in bytes: ArraySlice<UInt8>) -> Int? {
    // Marks the places that were tried. Frames from these places do not reach the end.
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
