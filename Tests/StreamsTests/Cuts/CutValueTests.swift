import Testing

@testable import Streams

/// The values that tell where the samples of a segment begin.
@Suite(.timeLimit(.minutes(1)))
struct CutValueTests {
  /// Packets of one stream that say nothing.
  private static func packets(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { _ in
      [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: SegmentEdge.packet - 4)
    }
  }

  @Test(arguments: [0, 1, 37, 187])
  func theFirstPacketIsFoundWhereverASegmentBegins(phase: Int) {
    let bytes = Self.packets(7)
    let start = (SegmentEdge.packet - phase) % SegmentEdge.packet
    #expect(SegmentEdge.phase(of: bytes[start...]) == phase)
    // Stuffing looks like the beginning of packed sound.
    #expect(SegmentEdge.phase(of: bytes[4..<600]) == nil)
    #expect(SegmentEdge.phase(of: []) == nil)
  }

  /// A picture of H.264 without a delimiter, of which only its first slice has the first block.
  private static let delimiter: [UInt8] = [0, 0, 0, 1, 9, 0xF0]
  private static func slice(isFirst: Bool, _ count: Int = 20) -> [UInt8] {
    [0, 0, 1, 0x41, isFirst ? 0x9A : 0x5A] + [UInt8](repeating: 0x55, count: count)
  }
  private static let stamp = PacketStamp(presentation: 900, decoding: 300)

  private func sides(_ payloads: [Payload]) throws -> (before: Int, behind: Int, gate: TrackGate) {
    var gate = TrackGate(.picture(.h264))
    var (before, behind) = (0, 0)
    for payload in payloads {
      let sides = try gate.take(payload)
      before += sides.before.reduce(0) { $0 + $1.bytes.count }
      behind += sides.behind.reduce(0) { $0 + $1.bytes.count }
    }
    return (before, behind, gate)
  }

  @Test func aPictureAtTheBeginningOfAPacketIsTheSegmentsOwn() throws {
    let picture = Self.delimiter + Self.slice(isFirst: true)
    let found = try sides([
      Payload(bytes: Self.slice(isFirst: false)[...]),
      Payload(isStart: true, stamp: Self.stamp, bytes: picture[...]),
    ])
    #expect(found.before == Self.slice(isFirst: false).count && found.behind == picture.count)
    #expect(found.gate.stamp == Self.stamp)
  }

  @Test func theRestOfAPictureIsForeignAlsoInAPacketOfItsOwn() throws {
    let rest = Self.slice(isFirst: false)
    let picture = Self.delimiter + Self.slice(isFirst: true)
    let found = try sides([Payload(isStart: true, stamp: Self.stamp, bytes: (rest + picture)[...])])
    #expect(found.before == rest.count && found.behind == picture.count)
  }

  @Test func aPictureWithoutATimeBelongsToTheSegmentBefore() throws {
    let picture = Self.delimiter + Self.slice(isFirst: true)
    let found = try sides([Payload(isStart: true, bytes: picture[...])])
    #expect(found.before == picture.count && !found.gate.isOpen)
  }

  @Test func picturesEndWhereTheNextOneBegins() throws {
    let first = Self.delimiter + Self.slice(isFirst: true) + Self.slice(isFirst: false)
    let second = Self.delimiter + Self.slice(isFirst: true)
    let bytes = first + second
    for cut in 1..<bytes.count {
      var units = AccessUnits(.h264)
      var whole = try units.take(bytes[..<cut], Self.stamp)
      whole += try units.take(bytes[cut...], nil)
      whole += units.finish()
      #expect(whole.map(\.bytes) == [first, second], "\(cut)")
      #expect(whole.map(\.units.count) == [3, 2] && units.lost == 0)
      #expect(whole.map(\.stamp) == [Self.stamp, nil])
    }
  }

  // MARK: Times

  private static func picture(
    order: Int, isBeginning: Bool = false, time: Int? = nil, decoding: Int? = nil
  ) -> CodedPicture {
    var picture = CodedPicture()
    picture.order = order
    picture.isBeginning = isBeginning
    picture.stamp = time.map { PacketStamp(presentation: $0, decoding: decoding ?? $0) }
    picture.bytes = [1]
    return picture
  }

  private func times(_ pictures: [CodedPicture], usual: Int? = nil, delay: Int? = nil) throws
    -> (shown: [Int], decoded: [Int])
  {
    var clock = PictureClock(.h264, near: 0, usual: usual, delay: delay)
    var samples: [MediaSample] = []
    for picture in pictures { samples += try clock.take(picture) }
    samples += try clock.finish(before: nil)
    return (samples.map { $0.time + $0.composition }, samples.map(\.time))
  }

  @Test func timesThatNoPacketTellsFollowTheOrderOfShowing() throws {
    let told = try times([
      Self.picture(order: 0, isBeginning: true, time: 7200, decoding: 0), Self.picture(order: 8),
      Self.picture(order: 4), Self.picture(order: 2),
      Self.picture(order: 6, time: 18_000, decoding: 14_400), Self.picture(order: 16),
    ])
    #expect(told.shown == [7200, 21_600, 14_400, 10_800, 18_000, 36_000])
    #expect(told.decoded == [0, 3600, 7200, 10_800, 14_400, 18_000])
  }

  @Test func anOrderThatBeginsAnewIsCountedFromItsFirstPicture() throws {
    let told = try times(
      [
        Self.picture(order: 40, time: 90_000, decoding: 90_000),
        Self.picture(order: 0, isBeginning: true), Self.picture(order: 4),
        Self.picture(order: 2),
      ], usual: 3600, delay: 7200)
    #expect(told.shown == [90_000, 100_800, 108_000, 104_400])
  }

  @Test func anOrderThatBeginsAnewWithoutEndIsAnError() {
    var pictures = [Self.picture(order: 0, time: 0), Self.picture(order: 1, time: 1 << 31)]
    for _ in 0..<40 {
      pictures += [Self.picture(order: 0, isBeginning: true), Self.picture(order: 1 << 27)]
    }
    #expect(throws: StreamError.malformed("pictures without times")) { try times(pictures) }
    #expect(throws: StreamError.malformed("pictures without times")) {
      try times([Self.picture(order: 0, time: 0), Self.picture(order: 2)], usual: .max)
    }
  }

  @Test(arguments: [1, 40_000_000, 190_000_000_000_000, Int.max])
  func aPictureMayLastAsLongAsItLikes(nanoseconds: Int) throws {
    var track = TrackDescription(
      kind: .video(width: 2, height: 2), codec: "V_MPEG4/ISO/AVC", timescale: TimeStamp.scale)
    track.defaultDuration = nanoseconds
    var parser = PictureParser(.h264, near: 0, track)
    try parser.finish()
    #expect(parser.takeWhole().isEmpty)
  }

  @Test func picturesOfWhichNothingTellsATimeAreAnError() throws {
    #expect(throws: StreamError.self) {
      try times([Self.picture(order: 0, time: 0), Self.picture(order: 2)])
    }
    var clock = PictureClock(.h264, near: 0, usual: 3600, delay: nil)
    #expect(try clock.take(Self.picture(order: 0)).isEmpty)
    #expect(clock.lost == 1)
  }

  @Test(arguments: [0, 1])
  func soundWithoutATimeCountsBackFromTheNextOne(packet: Int) throws {
    // AC-3 of 32 kbit/s at 48 kHz: 128 bytes, 32 ms.
    let frame: [UInt8] =
      [0x0B, 0x77, 0, 0, 0, 0x40, 0x40, 0] + [UInt8](repeating: 0x55, count: 120)
    var track = SoundTrack(.ac3)
    for number in 0..<3 {
      // Packets end within frames.
      let bytes = (frame + frame)[...]
      try track.take(bytes.prefix(100), at: number == packet + 1 ? 90_000 : nil)
      try track.take(bytes.dropFirst(100), at: nil)
    }
    try track.finish()
    let times = track.takeAll().map(\.time)
    #expect(times == (0..<6).map { 90_000 + ($0 - 2 * (packet + 1)) * 2880 })
    #expect(track.lost == 0 && !track.isOpen)
  }

  @Test func aFrameToWhichOthersBelongIsOpenUntilTheyHaveCome() throws {
    let plain = PlainSound(.eac3, frames: 2)
    var track = SoundTrack(.eac3)
    try track.take(plain.bytes[..<320], at: 90_000)
    #expect(!track.isOpen)
    try track.take(plain.bytes[320..<520], at: nil)
    #expect(track.isOpen)
    try track.take(plain.bytes[520...], at: nil)
    #expect(!track.isOpen && track.takeAll().map { Array($0.bytes) } == plain.frames)
  }

  @Test(arguments: [(7200, 7200), (0, 0), (-1, nil), (-3600, nil)] as [(Int, Int?)])
  func stampsThatShowAPictureBeforeItIsDecodedTellNoDelay(composition: Int, delay: Int?) throws {
    var segment = DemuxedSegment()
    let track = TrackDescription(
      kind: .video(width: 2, height: 2), codec: "V_MPEG4/ISO/AVC", timescale: TimeStamp.scale)
    segment.add(
      track,
      [
        MediaSample(
          track: 0, time: 90_000, composition: composition, duration: 0, isKey: true,
          bytes: [1, 2])
      ])
    #expect(segment.delay == delay)
    // A layout that was kept is the same, so each slot has the same bytes after a restart.
    let strand = LayoutStrand(
      format: .samples, isAll: true, streams: [SectionStreams(picture: 256, delay: segment.delay)])
    let layout = try StreamLayout(
      strands: [strand],
      tracks: [LayoutTrack(strand: 0, source: 0, description: track)],
      fragments: [
        LayoutFragment(
          strand: 0, resource: 0, bytes: 0..<188, start: 0, duration: 0, slot: 1000,
          edge: SegmentEdge())
      ], zero: 0, duration: 0, head: [1],
      identity: [UInt8](repeating: 7, count: StreamLayout.identitySize))
    let stored = try layout.encoded(hash: SHA256.hash)
    #expect(try StreamLayout(encoded: stored, hash: SHA256.hash) == layout)
  }

  @Test func aLayoutTellsHowItsSegmentsBegin() throws {
    let strand = LayoutStrand(
      format: .samples, isAll: true, streams: [SectionStreams(picture: 256, delay: 7200)])
    let track = LayoutTrack(
      strand: 0, source: 0,
      description: TrackDescription(
        kind: .video(width: 2, height: 2), codec: "V_MPEG4/ISO/AVC", timescale: TimeStamp.scale))
    let edges = [
      SegmentEdge(), SegmentEdge(phase: 187, picture: .foreign), SegmentEdge(picture: .own), nil,
    ]
    let beginning = try SegmentBeginning(of: [1, 2, 3])
    let layout = try StreamLayout(
      strands: [strand], tracks: [track],
      fragments: edges.enumerated().map { number, edge in
        LayoutFragment(
          strand: 0, resource: 0, bytes: 0..<10, start: 0, duration: 1, slot: 100,
          beginning: number > 1 ? beginning : nil, edge: edge)
      }, zero: 0, duration: 4, head: [1], identity: [UInt8](repeating: 7, count: 32))
    let stored = try layout.encoded(hash: SHA256.hash)
    let read = try StreamLayout(encoded: stored, hash: SHA256.hash)
    #expect(read == layout && read.fragments.map(\.edge) == edges)
  }
}
