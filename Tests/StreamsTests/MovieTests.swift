import Testing

@testable import Streams

/// Boxes of MP4 files are read as packagers write them, and never beyond their ends.
struct MovieTests {
  private func head(
    _ tracks: [TestBoxes.Track], isExtendedFirst: Bool = false
  ) throws -> MovieHead {
    let bytes = TestBoxes.moov(tracks, isExtendedFirst: isExtendedFirst)
    return try MovieHead(try #require(try Box.all(in: bytes[...]).first))
  }

  @Test(arguments: [true, false])
  func aHeadIsReadInAnyOrderOfItsBoxes(isExtendedFirst: Bool) throws {
    var track = TestBoxes.Track()
    track.id = 7
    track.defaults.duration = 33
    let head = try head([track], isExtendedFirst: isExtendedFirst)
    let found = try #require(head.tracks.first)
    #expect(found.id == 7 && found.shift == 0)
    #expect(found.defaults == SampleDefaults(duration: 33, size: 10, flags: 0))
    #expect(
      found.description
        == TrackDescription(
          kind: .video(width: 320, height: 180), codec: "V_MPEG4/ISO/AVC",
          codecPrivate: [1, 2, 3], language: "deu", timescale: 1000))
  }

  @Test(
    arguments: [
      ([(0, 1024)], 1024), ([(80, -1), (0, 100)], 100 - 80 * 90), ([(80, -1)], -7200), ([], 0),
      ([(0, 5), (0, 900)], 5),
    ] as [([(Int, Int)], Int)])
  func anEditListShiftsTheTimes(edits: [(Int, Int)], shift: Int) throws {
    var track = TestBoxes.Track()
    track.timescale = 90_000
    track.edits = edits
    #expect(try head([track]).tracks.map(\.shift) == [shift])
  }

  @Test func aTrackOfTextIsLeftOut() throws {
    var text = TestBoxes.Track()
    text.id = 2
    text.handler = "text"
    #expect(try head([TestBoxes.Track(), text]).tracks.map(\.id) == [1])
  }

  /// Some packagers leave room among the tables.
  @Test func anEmptyBoxAmongTheTablesIsPassedOver() throws {
    var track = TestBoxes.Track()
    track.tables =
      TestBoxes.box("free") + TestBoxes.full("stsz", 0, 0, TestBoxes.words(0, 3))
      + TestBoxes.full("stco", 0, 0, TestBoxes.words(1)) + TestBoxes.box("skip", [1])
    #expect(try head([track]).samples == 3)
  }

  @Test(arguments: ["encv", "enca"])
  func anEncryptedFilmIsRefused(type: String) throws {
    var track = TestBoxes.Track()
    track.entry = TestBoxes.box(type, [UInt8](repeating: 0, count: 90))
    #expect(
      throws: StreamError.unsupported("the stream is protected by DRM, so feedfs cannot read it")
    ) { try head([track]) }
  }

  @Test func aFilmWithoutFragmentsIsRefused() throws {
    let whole = TestBoxes.moov([TestBoxes.Track()])
    let box = try #require(try Box.all(in: whole[...]).first)
    let kept = try box.children.filter { $0.type != "mvex" }
    let bytes = TestBoxes.box(
      "moov", Array(kept.map { TestBoxes.box($0.type.description, Array($0.body)) }.joined()))
    let plain = try #require(try Box.all(in: bytes[...]).first)
    #expect(throws: StreamError.unsupported("the MP4 file is not fragmented")) {
      try MovieHead(plain)
    }
  }

  // MARK: Fragments

  private func samples(
    _ fragment: [UInt8], origin: Int = 0, defaults: [Int: SampleDefaults] = [1: SampleDefaults()]
  ) throws -> [FragmentSample] {
    var movie = MovieFragment(defaults: defaults, origin: origin, size: fragment.count)
    var walk = FragmentWalk(size: fragment.count)
    try walk.take(fragment[...], at: 0)
    for moof in walk.moofs { try movie.read(moof.body, at: moof.place) }
    return movie.samples
  }

  private static let run = TestBoxes.Run(
    samples: [(3, 40, 0x200_0000, 80), (4, 40, 0x101_0000, 0), (5, 40, 0x181_0000, 0)])

  @Test func samplesHaveTheirPlacesTimesAndMarks() throws {
    let fragment = TestBoxes.fragment(time: 1000, Self.run)
    let samples = try samples(fragment)
    #expect(samples.map(\.time) == [1000, 1040, 1080])
    #expect(samples.map(\.composition) == [80, 0, 0])
    #expect(samples.map(\.isKey) == [true, false, false])
    #expect(samples.map(\.isDiscardable) == [false, false, true])
    #expect(
      samples.map { Array(fragment[$0.bytes]) } == [[1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3, 3]])
  }

  @Test func theClockGoesOnWhereAMoofHasNoTime() throws {
    let fragment =
      TestBoxes.fragment(time: 500, Self.run) + TestBoxes.fragment(time: nil, Self.run)
    let samples = try samples(fragment)
    #expect(samples.map(\.time) == [500, 540, 580, 620, 660, 700])
    #expect(Array(fragment[samples[3].bytes]) == [1, 1, 1])
    #expect(throws: StreamError.malformed("a fragment without its time")) {
      try self.samples(TestBoxes.fragment(time: nil, Self.run))
    }
  }

  @Test func placesAreCountedFromTheFileWhereTheHeaderSaysSo() throws {
    let shape = TestBoxes.fragment(
      time: 0, Self.run, headerFlags: 1, header: TestBoxes.number(0, 8))
    // The base is the place of the fragment itself, 5000 bytes into its file.
    let fragment = TestBoxes.fragment(
      time: 0, Self.run, headerFlags: 1, header: TestBoxes.number(5000, 8))
    #expect(fragment.count == shape.count)
    #expect(Array(fragment[try samples(fragment, origin: 5000)[0].bytes]) == [1, 1, 1])
    #expect(throws: StreamError.malformed("a sample outside its fragment")) {
      try samples(fragment, origin: 9000)
    }
  }

  @Test(arguments: [0, 1])
  func compositionsMayBeNegative(version: Int) throws {
    var run = Self.run
    run.version = version
    run.samples[1].composition = -40
    #expect(try samples(TestBoxes.fragment(time: 0, run)).map(\.composition) == [80, -40, 0])
  }

  @Test func sizesMayComeFromTheHead() throws {
    var run = TestBoxes.Run(samples: [(6, 40, 0, 0), (6, 40, 0, 0)])
    run.hasSizes = false
    let defaults = [1: SampleDefaults(duration: 0, size: 6, flags: 0)]
    let found = try samples(TestBoxes.fragment(time: 0, run), defaults: defaults)
    #expect(found.map(\.bytes.count) == [6, 6])
    #expect(found[1].bytes.lowerBound == found[0].bytes.upperBound)
  }

  @Test func aRunOfFourBillionSamplesIsRefused() throws {
    let run = TestBoxes.full("trun", 0, 0, TestBoxes.words(0xFFFF_FFFF))
    let moof = TestBoxes.box(
      "moof",
      TestBoxes.box(
        "traf", TestBoxes.full("tfhd", 0, 0x2_0000, TestBoxes.words(1)),
        TestBoxes.full("tfdt", 0, 0, TestBoxes.words(0)), run))
    #expect(throws: StreamError.tooLarge("samples")) { try samples(moof) }
  }

  // MARK: Codecs

  private func sound(_ entry: [UInt8]) throws -> TrackDescription {
    var track = TestBoxes.Track()
    track.handler = "soun"
    track.entry = entry
    track.timescale = 48_000
    return try #require(try head([track]).tracks.first).description
  }

  private static func esds(_ object: UInt8) -> [UInt8] {
    TestBoxes.full(
      "esds", 0, 0,
      [3, 0x80, 0x80, 0x80, 25, 0, 1, 0, 4, 17, object] + [UInt8](repeating: 0, count: 12)
        + [5, 2, 0x11, 0x90, 6, 1, 2])
  }

  @Test func theConfigurationOfSoundIsInMatroskasForm() throws {
    let aac = try sound(TestBoxes.sound("mp4a", Self.esds(0x40)))
    #expect(aac.codec == "A_AAC" && aac.codecPrivate == [0x11, 0x90])
    #expect(try sound(TestBoxes.sound("mp4a", Self.esds(0x6B))).codec == "A_MPEG/L3")
    let opus = try sound(
      TestBoxes.sound("Opus", TestBoxes.box("dOps", [0, 2, 1, 0x38, 0, 0, 0xBB, 0x80, 0, 1, 0])))
    #expect(opus.codec == "A_OPUS" && opus.seekPreRoll == 80_000_000)
    #expect(opus.codecDelay == 6_500_000)
    #expect(
      opus.codecPrivate
        == Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 1, 0, 0])
    let surround = try sound(TestBoxes.sound("ac-3", TestBoxes.box("dac3", [0x10, 0x3C, 0])))
    #expect(surround.codec == "A_AC3" && surround.codecPrivate.isEmpty)
    #expect(surround.kind == .audio(rate: 48_000, channels: 6))
    let stereo = try sound(TestBoxes.sound("ec-3", TestBoxes.box("dec3", [0, 0, 0x20, 0x04, 0])))
    #expect(stereo.codec == "A_EAC3" && stereo.kind == .audio(rate: 48_000, channels: 2))
    // 96 kHz do not fit the field of the sample entry.
    let info: [UInt8] = [0x80, 0, 0, 34] + [UInt8](repeating: 0, count: 10) + [0x17, 0x70, 0x03]
    let flac = try sound(
      TestBoxes.sound(
        "fLaC", rate: 0,
        TestBoxes.full("dfLa", 0, 0, info + [UInt8](repeating: 0, count: 21))))
    #expect(flac.codec == "A_FLAC" && flac.kind == .audio(rate: 96_000, channels: 2))
    #expect(flac.codecPrivate.starts(with: Array("fLaC".utf8) + [0x80, 0, 0, 34]))
  }

  @Test func anUnknownCodecIsNamed() throws {
    #expect(throws: StreamError.unsupported("feedfs does not know the codec dtsc")) {
      try sound(TestBoxes.sound("dtsc"))
    }
    #expect(throws: StreamError.unsupported("feedfs does not know the codec mp4a.a9")) {
      try sound(TestBoxes.sound("mp4a", Self.esds(0xA9)))
    }
  }
}
