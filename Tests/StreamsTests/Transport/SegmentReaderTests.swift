import TestSupport
import Testing

@testable import Streams

/// The samples of a transport stream are those that ffmpeg takes out of it, bytes and times.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Broadcast.isPossible, "ffmpeg is not installed"))
struct SegmentReaderTests {
  /// The picture's units of both, so that the lengths of start codes make no difference.
  private func units(_ bytes: [UInt8]) -> [[UInt8]] {
    AnnexB.units(in: bytes[...]).map { Array(bytes[$0]) }
  }

  private func units(lengthPrefixed samples: [MediaSample]) throws -> [[UInt8]] {
    var units: [[UInt8]] = []
    for sample in samples {
      var cursor = ByteCursor(sample.bytes, of: "sample")
      while !cursor.isAtEnd {
        let length = Int(try cursor.number(UInt32.self))
        units.append(Array(try cursor.take(length)))
      }
    }
    return units
  }

  private func compare(_ broadcast: Broadcast, _ name: String, delimiter: String) throws {
    let segment = try SegmentReader.read(broadcast.bytes(name)[...])
    #expect(segment.tracks.count == 2)
    let pictures = segment.samples.filter { $0.track == 0 }
    let sounds = segment.samples.filter { $0.track == 1 }
    let expected = try broadcast.packets("v", of: name, filter: delimiter)
    #expect(try units(lengthPrefixed: pictures) == units(expected))
    let times = try broadcast.times("v", of: name)
    #expect(
      pictures.map { .init(time: $0.time + $0.composition, decoding: $0.time, isKey: $0.isKey) }
        == times)
    let soundTimes = try broadcast.times("a", of: name).map(\.time)
    #expect(soundTimes.count == sounds.count)
    // ffprobe rounds each frame's time by itself.
    #expect(zip(soundTimes, sounds).allSatisfy { abs($0 - $1.time) <= 2 })
  }

  @Test func picturesInH264AndSoundInAAC() throws {
    let broadcast = try Broadcast()
    try broadcast.make([
      "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", "50", "-c:a", "aac", "-f", "hls",
      "-hls_time", "2", "-hls_playlist_type", "vod", "v.m3u8",
    ])
    let playlist = try MediaPlaylist(broadcast.bytes("v.m3u8"), at: "http://h/v.m3u8")
    #expect(playlist.track.segments.count == 3 && playlist.track.container == .transport)
    var all: [MediaSample] = []
    for place in 0..<3 {
      let name = "v\(place).ts"
      try compare(broadcast, name, delimiter: "h264_metadata=aud=remove")
      let segment = try SegmentReader.read(broadcast.bytes(name)[...])
      #expect(segment.tracks[0].kind == .video(width: 322, height: 182))
      #expect(segment.tracks[0].codec == "V_MPEG4/ISO/AVC")
      #expect(segment.tracks[1].kind == .audio(rate: 44_100, channels: 1))
      // AAC-LC, 44.1 kHz, one channel (ISO 14496-3 §1.6).
      #expect(segment.tracks[1].codecPrivate == [0x12, 0x08])
      #expect(segment.samples.contains { $0.isDiscardable && $0.track == 0 })
      let sound = segment.samples.filter { $0.track == 1 }
      let frames = try broadcast.packets("a", of: name, filter: "aac_adtstoasc")
      #expect(sound.flatMap { Array($0.bytes) } == frames)
      all += segment.samples
    }
    #expect(all.count { $0.track == 0 } == 150)
    let facts = try (0..<3).map { place in
      let bytes = try broadcast.bytes("v\(place).ts")
      return SegmentFacts(bytes: 0..<bytes.count, beginning: bytes)
    }
    let samples = try SegmentedSamples(playlist.track, facts)
    let index = try samples.index(facts, stamps: samples.stamps, keys: 0)
    #expect(index.tracks[0].description.defaultDuration == 40_000_000)
  }

  /// The record of the parameter sets is the one that ffmpeg writes into a file.
  @Test(arguments: [
    ("libx264", "yuv420p", "avcC"), ("libx264", "yuv444p", "avcC"),
    ("libx264", "yuv422p10le", "avcC"),
  ])
  func theConfigurationIsThatOfAFile(encoder: String, pixels: String, box: String) throws {
    let broadcast = try Broadcast()
    try broadcast.make(
      [
        "-an", "-c:v", encoder, "-preset", "ultrafast", "-pix_fmt", pixels, "-f", "mpegts", "v.ts",
      ], seconds: 1)
    try broadcast.run(["-i", "v.ts", "-c", "copy", "v.mp4"])
    let segment = try SegmentReader.read(broadcast.bytes("v.ts")[...])
    let file = try broadcast.bytes("v.mp4")
    let place = try #require(file.firstRange(of: Array(box.utf8)))
    let record = file[place.upperBound...].prefix(segment.tracks[0].codecPrivate.count)
    #expect(Array(record) == segment.tracks[0].codecPrivate)
  }

  @Test func picturesInHEVCAndSoundInMP3() throws {
    let broadcast = try Broadcast()
    try broadcast.make(
      [
        "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=25",
        "-c:a", "libmp3lame", "-f", "mpegts", "v.ts",
      ], seconds: 3)
    try compare(broadcast, "v.ts", delimiter: "hevc_metadata=aud=remove")
    let segment = try SegmentReader.read(broadcast.bytes("v.ts")[...])
    #expect(segment.tracks[0].codec == "V_MPEGH/ISO/HEVC")
    #expect(segment.tracks[0].kind == .video(width: 322, height: 182))
    #expect(segment.tracks[1].codec == "A_MPEG/L3")
    let sound = segment.samples.filter { $0.track == 1 }.flatMap { Array($0.bytes) }
    #expect(sound == (try broadcast.packets("a", of: "v.ts", filter: "null")))
    // Profile, level, chroma and depths are where ffmpeg writes them too.
    try broadcast.run(["-i", "v.ts", "-c:v", "copy", "-an", "-tag:v", "hvc1", "v.mp4"])
    let file = try broadcast.bytes("v.mp4")
    let place = try #require(file.firstRange(of: Array("hvcC".utf8)))
    let record = Array(file[place.upperBound...].prefix(23))
    let own = Array(segment.tracks[0].codecPrivate.prefix(23))
    #expect(own[..<13] == record[..<13] && own[16...18] == record[16...18] && own[21] == record[21])
  }

  @Test(arguments: [("ac3", "A_AC3", 2), ("eac3", "A_EAC3", 6)])
  func soundOfDolby(encoder: String, name: String, channels: Int) throws {
    let broadcast = try Broadcast()
    try broadcast.make(
      [
        "-vn", "-c:a", encoder, "-ar", "48000", "-ac", "\(channels)", "-map", "1:a", "-f", "mpegts",
        "a.ts",
      ], seconds: 2)
    let segment = try SegmentReader.read(broadcast.bytes("a.ts")[...])
    #expect(segment.tracks.map(\.codec) == [name])
    #expect(segment.tracks[0].kind == .audio(rate: 48_000, channels: channels))
    let expected = try broadcast.packets("a", of: "a.ts", filter: "null")
    #expect(segment.samples.flatMap { Array($0.bytes) } == expected)
    #expect(segment.samples.map(\.time) == (try broadcast.times("a", of: "a.ts").map(\.time)))
  }

  @Test func onlyTheWantedTracksAreRead() throws {
    let broadcast = try Broadcast()
    try broadcast.make(["-c:v", "libx264", "-c:a", "aac", "-f", "mpegts", "v.ts"], seconds: 1)
    let bytes = try broadcast.bytes("v.ts")
    #expect(try SegmentReader.read(bytes[...], .picture).tracks.map(\.isVideo) == [true])
    #expect(try SegmentReader.read(bytes[...], .sound).tracks.map(\.isVideo) == [false])
  }

  /// Times have 33 bits. A film longer than 26 hours, or one that begins near their end, goes on.
  @Test func timesGoOnWhereTheirBitsBeginAgain() throws {
    let broadcast = try Broadcast()
    let offset = "95440"  // seconds; the bits begin again at 95,443.7
    try broadcast.make([
      "-c:v", "libx264", "-g", "25", "-c:a", "aac", "-output_ts_offset", offset, "-f", "mpegts",
      "v.ts",
    ])
    let segment = try SegmentReader.read(
      broadcast.bytes("v.ts")[...], near: 95_440 * TimeStamp.scale)
    let start = try #require(segment.start)
    let times = segment.samples.filter { $0.track == 0 }.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 3600 })
    #expect((segment.samples.last?.time ?? 0) > 1 << 33)
    #expect(start > 95_440 * TimeStamp.scale)
  }

  /// Advertisements have clocks of their own. In the film, all pictures follow one another.
  @Test func sectionsFollowOneAnother() throws {
    let broadcast = try Broadcast()
    for (name, offset) in [("a", "95442"), ("b", "7"), ("c", "70000")] {
      try broadcast.make(
        [
          "-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-an", "-output_ts_offset", offset,
          "-f", "mpegts", "\(name).ts",
        ], seconds: 2)
    }
    let text = ["a", "b", "c"].map { "#EXTINF:2,\n\($0).ts\n" }
    let lines = "#EXTM3U\n" + text.joined(separator: "#EXT-X-DISCONTINUITY\n") + "#EXT-X-ENDLIST\n"
    let track = try MediaPlaylist(Array(lines.utf8), at: "http://h/v.m3u8").track
    var places: [Int] = []
    for (segment, name) in zip(track.segments, ["a", "b", "c"]) {
      let bytes = try broadcast.bytes("\(name).ts")
      let first = try #require(
        try SegmentReader.read(bytes.prefix(65_536), isWhole: false).start)
      let clock = SectionClock(track.sections[segment.section], first: first)
      let samples = try SegmentReader.read(bytes[...], near: clock.time(near: segment)).samples
      places += samples.map { clock.place(of: $0.time + $0.composition) }
    }
    #expect(places == (0..<150).map { $0 * 3600 })
  }

  @Test func theBeginningTellsTracksAndTime() throws {
    let broadcast = try Broadcast()
    try broadcast.make(["-c:v", "libx264", "-c:a", "aac", "-b:v", "2M", "-f", "mpegts", "v.ts"])
    let bytes = try broadcast.bytes("v.ts")
    let whole = try SegmentReader.read(bytes[...])
    let beginning = try SegmentReader.read(bytes.prefix(65_536), isWhole: false)
    #expect(beginning.start == whole.start)
    #expect(beginning.tracks.map(\.codecPrivate) == whole.tracks.map(\.codecPrivate))
    let pictures = beginning.samples.filter { $0.track == 0 }
    #expect(pictures.count > 3)
    #expect(
      pictures.map(\.bytes)
        == whole.samples.filter { $0.track == 0 }.prefix(pictures.count).map(\.bytes))
  }

  @Test(.enabled(if: Broadcast.canDecrypt, "openssl is not installed"))
  func encryptedSegmentsAreThoseThatWereEncrypted() throws {
    let broadcast = try Broadcast()
    let key: [UInt8] = Array(100..<116)
    try broadcast.write(key, to: "k.key")
    let path = broadcast.path(of: "k.key")
    try broadcast.write(Array("k.key\n\(path)\n".utf8), to: "info")
    let arguments = [
      "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-c:a", "aac", "-f", "hls",
      "-hls_time", "2", "-hls_playlist_type", "vod",
    ]
    try broadcast.make(arguments + ["-hls_key_info_file", "info", "e.m3u8"])
    try broadcast.make(arguments + ["p.m3u8"])
    let track = try MediaPlaylist(broadcast.bytes("e.m3u8"), at: "http://h/e.m3u8").track
    #expect(track.keys == ["http://h/k.key"] && track.segments.count == 3)
    for (place, segment) in track.segments.enumerated() {
      let cipher = try broadcast.bytes("e\(place).ts")
      let vector = try #require(segment.part.key?.vector)
      let bytes = SegmentCipher.bytes(of: vector)
      let plain = try AES128(key: key).segment(cipher[...], vector: bytes)
      #expect(plain == (try broadcast.bytes("p\(place).ts")))
      // With another key they are noise, in which no packet is found.
      let noise = try AES128(key: key.reversed()).segment(cipher[...], vector: bytes)
      #expect(SegmentEdge.phase(of: noise[...]) == nil)
    }
  }

  @Test(arguments: [
    ("aac", "adts", "A_AAC"), ("libmp3lame", "mp3", "A_MPEG/L3"), ("ac3", "ac3", "A_AC3"),
  ])
  func packedAudioBeginsAtTheTimeOfItsTag(encoder: String, format: String, name: String) throws {
    let broadcast = try Broadcast()
    try broadcast.make(
      ["-map", "1:a", "-c:a", encoder, "-ar", "48000", "-write_xing", "0", "-id3v2_version", "0"]
        .filter { format == "mp3" || !["-write_xing", "0", "-id3v2_version"].contains($0) }
        + ["-f", format, "a"], seconds: 2)
    let frames = try broadcast.bytes("a")
    let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
    let time: UInt64 = 0x1_2345_6789
    let content = owner + time.bigEndianBytes
    let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    let segment = try PackedAudio.read((tag + frames)[...])
    #expect(StreamContainer(beginning: tag + frames) == .packedAudio)
    #expect(StreamContainer(beginning: frames) == .packedAudio)
    #expect(segment.tracks.map(\.codec) == [name])
    // The nearest time to 0 that has these bits.
    #expect(segment.start == 0x1_2345_6789 - 1 << 33)
    #expect(try PackedAudio.read((tag + frames)[...], near: 1 << 33).start == 0x1_2345_6789)
    let filter = format == "adts" ? "aac_adtstoasc" : "null"
    let expected = try broadcast.packets("a", of: "a", filter: filter)
    #expect(segment.samples.flatMap { Array($0.bytes) } == expected)
    #expect(try PackedAudio.read(frames[...], near: 77).start == 77)
  }

  /// A stream with tags between, and frames that are cut by packets, as some packers write it.
  @Test func aFrameMayGoOnInTheNextPacket() throws {
    let broadcast = try Broadcast()
    try broadcast.make(["-map", "1:a", "-c:a", "aac", "-f", "adts", "a"], seconds: 1)
    let frames = try broadcast.bytes("a")
    var whole = SoundTrack(.aac)
    try whole.take(frames[...], at: 1000)
    var cut = SoundTrack(.aac)
    var place = 0
    while place < frames.count {
      let end = min(frames.count, place + 100)
      try cut.take(frames[place..<end], at: place == 0 ? 1000 : nil)
      place = end
    }
    #expect(whole.samples(track: 0).count > 40)
    #expect(whole.samples(track: 0) == cut.samples(track: 0))
  }

  @Test func codecsWithoutAPlaceInAFileAreNamed() throws {
    let broadcast = try Broadcast()
    try broadcast.make(["-an", "-c:v", "mpeg2video", "-f", "mpegts", "v.ts"], seconds: 1)
    #expect(
      throws: StreamError.unsupported("feedfs cannot make a file of this codec: MPEG-2 video")
    ) { try SegmentReader.read(broadcast.bytes("v.ts")[...]) }
  }

  @Test(arguments: 1...3)
  func damagedStreamsAreReadOrRefused(seed: UInt64) throws {
    let broadcast = try Broadcast()
    try broadcast.make(
      [
        "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "80k", "-c:a", "aac", "-f", "mpegts",
        "v.ts",
      ],
      seconds: 1)
    let bytes = try broadcast.bytes("v.ts")
    var random = SeededRandom(seed: seed)
    for _ in 0..<300 {
      var damaged = bytes
      for _ in 0...random.below(30) {
        damaged[random.below(damaged.count)] = UInt8(random.below(256))
      }
      if random.chance(30) {
        let start = random.below(damaged.count)
        damaged.removeSubrange(start..<min(damaged.count, start + random.below(400)))
      }
      if let segment = try? SegmentReader.read(damaged[...]) {
        #expect(segment.samples.allSatisfy { $0.track < segment.tracks.count })
        #expect(segment.samples.reduce(0) { $0 + $1.bytes.count } <= 2 * damaged.count)
      }
    }
    for end in stride(from: 0, to: min(4000, bytes.count), by: 1) {
      _ = try? SegmentReader.read(bytes[..<end], isWhole: false)
      _ = try? SegmentReader.read(bytes[..<end])
    }
  }
}

extension SegmentReader {
  /// Reads a segment of which nothing is known.
  static func read(
    _ bytes: ArraySlice<UInt8>, _ contents: TrackContents = .both, near place: Int = 0,
    as tracks: [TrackDescription] = [], isWhole: Bool = true
  ) throws(StreamError) -> DemuxedSegment {
    try SegmentedSamples.demuxed(bytes, contents, near: place, as: tracks, isWhole: isWhole)
  }
}
