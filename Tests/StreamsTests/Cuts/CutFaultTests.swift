import Testing

@testable import Streams

/// Transport streams that were cut or damaged so that little of them tells the rest.
@Suite(.timeLimit(.minutes(1)))
struct CutFaultTests {
  private static let picture = 0x100
  private static let sound = 0x101

  /// A packet of a stream, filled up with what its adaptation field may hold.
  private static func packet(
    _ stream: Int, _ payload: [UInt8], _ counter: Int, isStart: Bool = false
  ) -> [UInt8] {
    let room = SegmentEdge.packet - 4
    var bytes: [UInt8] = [
      0x47, UInt8(stream >> 8) | (isStart ? 0x40 : 0), UInt8(stream & 0xFF),
      0x10 | UInt8(counter & 15),
    ]
    let stuffing = room - payload.count
    if stuffing > 0 {
      bytes[3] |= 0x20
      bytes.append(UInt8(stuffing - 1))
      if stuffing > 1 { bytes += [0] + [UInt8](repeating: 0xFF, count: stuffing - 2) }
    }
    return bytes + payload
  }

  private static func read(_ bytes: [UInt8]) throws -> TransportPacket {
    try #require(TransportPacket(bytes[...], at: 0))
  }

  /// The beginning of a PES packet that tells the time 900.
  private static func head(_ kind: UInt8, length: Int = 0) -> [UInt8] {
    [0, 0, 1, kind, UInt8(length >> 8), UInt8(length & 0xFF), 0x80, 0x80, 5]
      + [0x21, 0, 1, 0x07, 0x09]
  }

  /// A frame of AC-3 of 32 kbit/s at 48 kHz.
  private static let frame: [UInt8] =
    [0x0B, 0x77, 0, 0, 0, 0x40, 0x40, 0] + [UInt8](repeating: 0x55, count: 120)

  // MARK: Places of the segments

  private static func track(_ lines: String) throws -> TrackSource {
    try MediaPlaylist(
      Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(lines)#EXT-X-ENDLIST\n".utf8), at: "http://h/v"
    ).track
  }

  @Test(arguments: [SegmentEdge.packet * 40, SegmentEdge.packet * 41, SegmentEdge.packet * 44])
  func encryptedSegmentsOfWhichNoByteIsKnownBeginWithAPacket(size: Int) throws {
    let padded = size / SegmentCipher.block * SegmentCipher.block + SegmentCipher.block
    var lines = "#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0x1\n"
    for number in 0..<4 {
      lines += "#EXTINF:6,\n#EXT-X-BYTERANGE:\(padded)@\(number * padded)\nfilm.ts\n"
    }
    let track = try Self.track(lines)
    var facts = track.segments.map { SegmentFacts(bytes: $0.part.bytes) }
    facts[0].beginning = (0..<6).flatMap { Self.packet(0x1FFF, [], $0) }
    let edges = SegmentedPackets(track, facts).edges([:])
    #expect(edges.map { $0?.phase } == [0, 0, 0, 0])
  }

  /// A slot looks at the segments near its own alone, however many there are.
  @Test func aLongFilmIsOpenedSoon() throws {
    var track = try Self.track("#EXTINF:6,\na.ts\n")
    let count = 200_000
    track.division = .segments([StreamSegment](repeating: track.segments[0], count: count))
    let facts = [SegmentFacts](repeating: SegmentFacts(bytes: 0..<1_000_000), count: count)
    let packets = SegmentedPackets(track, facts)
    let edges = packets.edges([:])
    #expect(track.segments.indices.allSatisfy { packets.reserve($0, edges) < 1 << 20 })
  }

  @Test func aSlotHasRoomForTheRestOfAPictureThatMayComeBehindMuchSound() throws {
    let track = try Self.track("#EXTINF:6,\na.ts\n#EXTINF:6,\nb.ts\n")
    func reserve(_ picture: SegmentEdge.Picture, known: Int) -> Int {
      let beginning = [UInt8](repeating: 0x47, count: known)
      let facts = [
        SegmentFacts(bytes: 0..<800_000), SegmentFacts(bytes: 0..<800_000, beginning: beginning),
      ]
      let edges = [SegmentEdge(picture: .own), SegmentEdge(picture: picture)]
      return SegmentedPackets(track, facts).reserve(0, edges)
    }
    #expect(reserve(.unknown, known: SegmentEdge.maxBytes) >= 200_000)
    #expect(reserve(.foreign, known: SegmentEdge.size) >= 200_000)
    #expect(reserve(.own, known: SegmentEdge.maxBytes) < 20_000)
  }

  // MARK: What goes on

  @Test func aPictureEndsWhereOnlySoundFollows() throws {
    var known = SegmentReader.Known(contents: .both)
    known.choice.picture = (Self.picture, .h264)
    known.choice.sound = (Self.sound, .ac3)
    var reader = SegmentReader(known)
    let picture: [UInt8] = [0, 0, 0, 1, 9, 0xF0, 0, 0, 1, 0x41, 0x9A, 0x55, 0x55, 0x55, 0x55]
    _ = try reader.take(
      Self.packet(Self.picture, Self.head(0xE0) + picture, 0, isStart: true)[...])
    let edge = SegmentEdge()
    #expect(try reader.endSegment(before: edge))
    reader.beginNext(edge)
    // As much as a slot takes at most.
    let sound = Self.head(0xBD, length: 8 + Self.frame.count) + Self.frame
    var taken = 0
    for counter in 0..<90_000 where reader.needsMore {
      let packet = Self.packet(Self.sound, sound, counter, isStart: true)
      _ = try reader.takeNext(packet[...])
      taken += packet.count
    }
    #expect(!reader.needsMore && taken < 5 << 20, "\(taken)")
  }

  @Test func aPacketOfSoundWithoutALengthGoesOnUntilTheNextOne() throws {
    for (length, isOpen) in [(0, true), (8 + Self.frame.count, false), (400, true)] {
      var packets = PacketStream()
      let payload = Self.head(0xBD, length: length) + Self.frame
      _ = packets.take(try Self.read(Self.packet(Self.sound, payload, 0, isStart: true)))
      #expect(packets.isOpen == isOpen, "\(length)")
    }
    #expect(!PacketStream().isOpen)
  }

  /// Each byte may be the first of a frame, and none is.
  @Test func soundWithoutAFrameIsSearchedOnce() throws {
    var gate = TrackGate(.sound(.ac3))
    let bytes = [UInt8](repeating: 0x0B, count: 184)
    for number in 0..<4000 {
      let sides = try gate.take(Payload(isStart: number == 0, bytes: bytes[...]))
      #expect(sides.before.isEmpty && sides.behind.isEmpty)
    }
    // A frame behind them is found, wherever it is divided.
    let frames = Self.frame + Self.frame + Self.frame + Self.frame
    var found = 0
    for start in stride(from: 0, to: frames.count, by: 50) {
      let piece = frames[start..<min(frames.count, start + 50)]
      let sides = try gate.take(Payload(bytes: piece))
      found += sides.behind.reduce(0) { $0 + $1.bytes.count }
    }
    #expect(gate.isOpen && found == frames.count)
  }

  // MARK: Damage

  @Test(arguments: [0, 2, 6]) func bytesBehindADamagedBeginningAreCounted(place: Int) throws {
    var packets = PacketStream()
    let sound = Self.head(0xBD) + Self.frame
    _ = packets.take(try Self.read(Self.packet(Self.sound, sound, 0, isStart: true)))
    #expect(packets.lost == 0)
    var damaged = sound
    damaged[place] ^= 0xC0
    _ = packets.take(try Self.read(Self.packet(Self.sound, damaged, 1, isStart: true)))
    _ = packets.take(try Self.read(Self.packet(Self.sound, Self.frame, 2)))
    #expect(packets.lost >= 240 && packets.isFlawless)
  }

  @Test func paddingIsNoLoss() throws {
    var packets = PacketStream()
    let padding = [0, 0, 1, 0xBE, 0, 100] + [UInt8](repeating: 0x0F, count: 100)
    _ = packets.take(try Self.read(Self.packet(Self.sound, padding, 0, isStart: true)))
    _ = packets.take(try Self.read(Self.packet(Self.sound, Self.frame, 1)))
    #expect(packets.lost == 0)
  }
}
