import Testing

@testable import Streams

/// Sound of another configuration is right or refused, and never put among the samples of a track.
struct OtherConfigurationTests {
  /// A frame of AAC behind its head.
  private static func adts(
    rate: Int = 3, channels: Int = 2, kind: Int = 2, size: Int = 100, fill: UInt8 = 0x21
  ) -> [UInt8] {
    let length = size + 7
    let second = (kind - 1) << 6 | rate << 2 | channels >> 2
    return [
      0xFF, 0xF1, UInt8(second), UInt8((channels & 3) << 6 | length >> 11),
      UInt8(length >> 3 & 0xFF),
      UInt8(length & 7) << 5 | 0x1F, 0xFC,
    ] + [UInt8](repeating: fill, count: size)
  }

  /// A frame of MP3: 128 kbit/s.
  private static func mp3(rate: Int = 1, isMono: Bool = false) -> [UInt8] {
    let length = 1152 / 8 * 128_000 / [44_100, 48_000, 32_000][rate]
    return [0xFF, 0xFB, UInt8(0x90 | rate << 2), isMono ? 0xC4 : 0x44]
      + [UInt8](repeating: 0x21, count: length - 4)
  }

  /// A frame of AC-3: 192 kbit/s, by its mode (2: stereo, 7: five channels).
  private static func ac3(rate: Int = 0, mode: Int = 2) -> [UInt8] {
    let length = [768, 836, 1152][rate]
    return [0x0B, 0x77, 0, 0, UInt8(rate << 6 | 20), 8 << 3, UInt8(mode << 5), 0]
      + [UInt8](repeating: 0x21, count: length - 8)
  }

  private static func many(_ count: Int, _ frame: [UInt8]) -> [[UInt8]] {
    [[UInt8]](repeating: frame, count: count)
  }

  private struct Change {
    let name: String
    let before: [UInt8]
    let after: [UInt8]
    var words: String?
  }

  private static let changes: [Change] = [
    Change(name: "AAC of 44.1 kHz", before: adts(), after: adts(rate: 4), words: "at 44.1 kHz"),
    Change(name: "AAC of 32 kHz", before: adts(), after: adts(rate: 5), words: "at 32 kHz"),
    Change(name: "AAC of 24 kHz", before: adts(), after: adts(rate: 6), words: "at 24 kHz"),
    Change(name: "AAC, mono", before: adts(), after: adts(channels: 1), words: "with 1 channel"),
    Change(
      name: "AAC, six channels", before: adts(), after: adts(channels: 6), words: "with 6 channels"),
    Change(name: "AAC of another kind", before: adts(), after: adts(kind: 1), words: "of kind 1"),
    Change(name: "AAC of other sizes", before: adts(), after: adts(size: 300)),
    Change(name: "MP3 of 44.1 kHz", before: mp3(), after: mp3(rate: 0), words: "at 44.1 kHz"),
    Change(name: "MP3 of 32 kHz", before: mp3(), after: mp3(rate: 2), words: "at 32 kHz"),
    Change(name: "MP3, mono", before: mp3(), after: mp3(isMono: true), words: "with 1 channel"),
    Change(name: "MP3 alike", before: mp3(), after: mp3()),
    Change(name: "AC-3 of 32 kHz", before: ac3(), after: ac3(rate: 2), words: "at 32 kHz"),
    // Each of its frames tells its channels.
    Change(name: "AC-3 of five channels", before: ac3(), after: ac3(mode: 7)),
    Change(name: "AC-3 behind AAC", before: adts(), after: ac3(), words: "AC3 at 48 kHz"),
    Change(name: "MP3 behind AAC", before: adts(), after: mp3(), words: "MPEG/L3 at 48 kHz"),
  ]

  private static func track(_ frame: [UInt8]) throws -> TrackDescription {
    try #require(try PackedAudio.read((frame + frame)[...]).tracks.first)
  }

  private func expect(
    _ change: Change, _ body: () throws -> [MediaSample], _ count: Int
  ) throws {
    do {
      let samples = try body()
      #expect(change.words == nil, "\(change.name)")
      #expect(samples.count == count, "\(change.name)")
    } catch StreamError.unsupported(let words) {
      #expect(words.contains(change.words ?? "right"), "\(words)")
      #expect(words.contains("sound"))
    }
  }

  /// A segment behind a break, in a slot.
  @Test(arguments: changes.map(\.name)) func aSegmentIsRightOrRefused(name: String) throws {
    let change = try #require(Self.changes.first { $0.name == name })
    let track = try Self.track(change.before)
    let segment = Array(Self.many(20, change.after).joined())
    try expect(change, { try PackedAudio.read(segment[...], as: [track]).samples }, 20)
  }

  /// Within a segment, each frame in a packet of its own, and many in one.
  @Test(arguments: changes.filter { !$0.name.contains("behind") }.map(\.name), [1, 7, 40])
  func aChangeInASegmentIsRightOrRefused(name: String, packet: Int) throws {
    let change = try #require(Self.changes.first { $0.name == name })
    let frames = Self.many(20, change.before) + Self.many(20, change.after)
    let codec = try #require(SoundFrame.codec(of: change.before[...]))
    try expect(
      change,
      {
        var track = SoundTrack(codec)
        for start in stride(from: 0, to: frames.count, by: packet) {
          let bytes = Array(frames[start..<min(frames.count, start + packet)].joined())
          try track.take(bytes[...], at: start * 1920)
        }
        try track.finish()
        return track.samples(track: 0)
      }, 40)
  }

  /// The payload of packets ends within frames.
  @Test(arguments: changes.filter { !$0.name.contains("behind") }.map(\.name), [1, 100, 184])
  func aChangeInPiecesIsRightOrRefused(name: String, size: Int) throws {
    let change = try #require(Self.changes.first { $0.name == name })
    let bytes = (Self.many(20, change.before) + Self.many(20, change.after)).flatMap(\.self)
    let codec = try #require(SoundFrame.codec(of: change.before[...]))
    try expect(
      change,
      {
        var track = SoundTrack(codec)
        for start in stride(from: 0, to: bytes.count, by: size) {
          let end = min(bytes.count, start + size)
          try track.take(bytes[start..<end], at: start == 0 ? 0 : nil)
        }
        try track.finish()
        #expect(track.lost == 0 && track.unclaimed == 0)
        return track.samples(track: 0)
      }, 40)
  }

  /// The last frame is confirmed by the end of the sound, and one frame by another behind it.
  @Test(arguments: [1, 2, 3], [1, 50, 1000])
  func framesOfAnotherConfigurationAreNoSamplesInPieces(count: Int, size: Int) throws {
    let bytes = (Self.many(5, Self.adts()) + Self.many(count, Self.adts(rate: 5))).flatMap(\.self)
    var track = SoundTrack(.aac)
    func read() throws {
      for start in stride(from: 0, to: bytes.count, by: size) {
        try track.take(
          bytes[start..<min(bytes.count, start + size)], at: start == 0 ? 0 : nil)
      }
      try track.finish()
    }
    guard count == 1 else {
      #expect(throws: StreamError.self) { try read() }
      return
    }
    try read()
    #expect(track.samples(track: 0).count == 5 && track.lost > 90)
  }

  /// Bytes within a damaged frame may look like a head.
  @Test func aHeadThatIsNoneIsNoOtherConfiguration() throws {
    var frames = Self.many(20, Self.adts()).flatMap(\.self)
    let place = 10 * 107
    // The head of the eleventh frame is lost, and something like another one lies in it.
    frames.replaceSubrange(place..<place + 2, with: [0, 0])
    frames.replaceSubrange(place + 20..<place + 27, with: Self.adts(rate: 5).prefix(7))
    var track = SoundTrack(.aac)
    try track.take(frames[...], at: 0)
    #expect(track.samples(track: 0).count == 19)
    #expect(track.unclaimed == 107)
    let segment = try PackedAudio.read(frames[...])
    #expect(segment.unclaimed == 107 && segment.samples.count == 19)
  }

  // MARK: Breaks

  private func source(_ segments: [[UInt8]]) throws -> (TrackSource, [SegmentFacts]) {
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
    for number in segments.indices {
      text += (number > 0 ? "#EXT-X-DISCONTINUITY\n" : "") + "#EXTINF:0.4,\n\(number).aac\n"
    }
    let track = try MediaPlaylist(Array((text + "#EXT-X-ENDLIST\n").utf8), at: "http://h/p").track
    let facts = segments.map { SegmentFacts(bytes: 0..<$0.count, beginning: $0) }
    return (track, facts)
  }

  @Test(arguments: changes.map(\.name)) func aBreakTellsItAtOpen(name: String) throws {
    let change = try #require(Self.changes.first { $0.name == name })
    let (track, facts) = try source(
      [change.before, change.after, change.before].map { Array(Self.many(20, $0).joined()) })
    try expect(
      change,
      {
        do {
          _ = try SegmentedSamples(track, facts)
        } catch StreamError.unsupported(let words) {
          #expect(words.hasSuffix(", after a discontinuity"))
          throw StreamError.unsupported(words)
        }
        return []
      }, 0)
  }

  @Test func aSlotOfAnotherConfigurationIsAnError() throws {
    let segments = [Self.adts(), Self.adts()].map { Array(Self.many(20, $0).joined()) }
    let (track, facts) = try source(segments)
    let samples = try SegmentedSamples(track, facts)
    let index = try samples.index(facts, stamps: samples.stamps, keys: 0)
    let layout = try StreamRecipe(strands: [index], hash: SHA256.hash).layout()
    #expect(try SlotBytes(layout, slot: 1).bytes(of: segments[1], key: nil).count > 2000)
    let other = Array(Self.many(20, Self.adts(rate: 5)).joined())
    #expect(throws: StreamError.self) { try SlotBytes(layout, slot: 1).bytes(of: other, key: nil) }
    let mono = Array(Self.many(20, Self.mp3()).joined())
    #expect(throws: StreamError.self) { try SlotBytes(layout, slot: 1).bytes(of: mono, key: nil) }
  }

  @Test func anotherHeadIsToldByItsSound() {
    func head(_ rate: Int) -> [UInt8] {
      var track = TestBoxes.Track()
      track.handler = "soun"
      track.entry = TestBoxes.sound("ac-3", rate: rate, TestBoxes.box("dac3", [0x10, 0x3C, 0]))
      return TestBoxes.brand + TestBoxes.moov([track])
    }
    let words = SegmentedMovie.obstacle(from: head(48_000), to: head(32_000))
    #expect(words.hasPrefix("the segments of the stream have different heads (EXT-X-MAP)"))
    #expect(words.contains("AC3 at 32 kHz") && words.contains("from AC3 at 48 kHz"))
    #expect(SegmentedMovie.obstacle(from: [], to: head(32_000)).hasSuffix("(EXT-X-MAP)"))
  }

  // MARK: Transport streams

  private static let pictures: [(String, [String])] = [
    ("h264", ["-c:v", "libx264", "-preset", "ultrafast"]),
    ("smaller", ["-c:v", "libx264", "-preset", "ultrafast", "-s", "160x90"]),
    ("hevc", ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"]),
  ]

  /// Pictures of another size bring their parameter sets along; another codec is refused.
  @Test(
    .enabled(if: Broadcast.isPossible, "ffmpeg is not installed"),
    arguments: [("smaller", true), ("hevc", false)])
  func picturesBehindABreakAreRightOrRefused(other: String, isRight: Bool) throws {
    let broadcast = try Broadcast()
    for (name, words) in Self.pictures where name == "h264" || name == other {
      try broadcast.make(words + ["-c:a", "aac", "-f", "mpegts", "\(name).ts"], seconds: 1)
    }
    let first = try SegmentReader.read(broadcast.bytes("h264.ts")[...])
    let bytes = try broadcast.bytes("\(other).ts")
    guard isRight else {
      #expect(throws: StreamError.self) { try SegmentReader.read(bytes[...], as: first.tracks) }
      return
    }
    let segment = try SegmentReader.read(bytes[...], as: first.tracks)
    #expect(first.tracks[0].obstacle(to: segment.tracks[0]) == nil)
    // The first picture has its own sets.
    let picture = try #require(segment.samples.first { $0.track == 0 })
    #expect(picture.isKey)
    let kinds = Self.units(of: Array(picture.bytes)).map { $0 & 31 }
    #expect(kinds.contains(7) && kinds.contains(8))
  }

  /// Returns the first byte of each unit of a picture.
  private static func units(of picture: [UInt8]) -> [UInt8] {
    var kinds: [UInt8] = []
    var place = 0
    while place + 4 < picture.count {
      kinds.append(picture[place + 4])
      place += 4 + picture[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    return kinds
  }

  @Test(.enabled(if: Broadcast.isPossible, "ffmpeg is not installed"))
  func theSoundOfATransportStreamIsHeldAgainstTheFilm() throws {
    let broadcast = try Broadcast()
    for rate in ["48000", "44100"] {
      try broadcast.make(
        ["-map", "1:a", "-c:a", "aac", "-ar", rate, "-f", "mpegts", "\(rate).ts"], seconds: 2)
    }
    let first = try SegmentReader.read(broadcast.bytes("48000.ts")[...])
    let other = try broadcast.bytes("44100.ts")
    #expect(try SegmentReader.read(other[...]).samples.count > 80)
    let error = try #require(throws: StreamError.self) {
      try SegmentReader.read(other[...], as: first.tracks)
    }
    #expect(
      "\(error)".contains("at 44.1 kHz") && "\(error)".contains("from AAC of kind 2 at 48 kHz"))
  }

  /// Segments that may be cut anywhere are held against the film too, at open and in their slots.
  @Test(.enabled(if: Broadcast.isPossible, "ffmpeg is not installed"))
  func theSoundOfASegmentThatMayBeCutIsHeldAgainstTheFilm() throws {
    let broadcast = try Broadcast()
    for rate in ["48000", "44100"] {
      try broadcast.make(
        ["-map", "1:a", "-c:a", "aac", "-ar", rate, "-f", "mpegts", "\(rate).ts"], seconds: 2)
    }
    let own = try broadcast.bytes("48000.ts")
    let other = try broadcast.bytes("44100.ts")
    let film = try CutFilm([own, own], seconds: 4)
    #expect(film.layout.fragments[0].edge != nil)
    for (bytes, isRight) in [(own, true), (other, false)] {
      let slot = SlotBytes(film.layout, slot: 1)
      guard !isRight else {
        #expect(try slot.bytes(of: bytes, key: nil).count > 2000)
        continue
      }
      let error = try #require(throws: StreamError.self) { try slot.bytes(of: bytes, key: nil) }
      #expect("\(error)".contains("at 44.1 kHz"), "\(error)")
    }
    // A break tells it when the layout is learned.
    var lines = "#EXTM3U\n#EXTINF:2,\n0.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:2,\n1.ts\n"
    lines += "#EXT-X-ENDLIST\n"
    let track = try MediaPlaylist(Array(lines.utf8), at: "http://h/v").track
    let facts = [own, other].map { SegmentFacts(bytes: 0..<$0.count, beginning: $0) }
    let error = try #require(throws: StreamError.self) { try SegmentedSamples(track, facts) }
    #expect("\(error)".contains("at 44.1 kHz") && "\(error)".contains("after a discontinuity"))
  }
}
