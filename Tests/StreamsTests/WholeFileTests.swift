import Testing

@testable import Streams

/// A film is made of all of a fragmented file, or the file stays as it is.
struct WholeFileTests {
  private static var sound: TestBoxes.Track {
    var track = TestBoxes.Track()
    track.id = 2
    track.handler = "soun"
    track.entry = TestBoxes.sound("ac-3", TestBoxes.box("dac3", [0x10, 0x3C, 0]))
    return track
  }

  private static func track(
    _ id: Int = 1, handler: String = "vide", tables: [UInt8] = [], edits: [(Int, Int)] = []
  ) -> TestBoxes.Track {
    var track = handler == "soun" ? sound : TestBoxes.Track()
    (track.id, track.handler, track.tables, track.edits) = (id, handler, tables, edits)
    return track
  }

  private static let run = TestBoxes.Run(
    samples: (0..<5).map { (10 + $0, 40, $0 == 0 ? 0x200_0000 : 0x101_0000, 0) })
  private static let empty = TestBoxes.Run(samples: [])

  private static func fragment(
    _ time: Int?, track: Int = 1, _ run: TestBoxes.Run = run, description: Int? = nil
  ) -> [UInt8] {
    description.map {
      TestBoxes.fragment(
        track: track, time: time, run, headerFlags: 0x2_0002, header: TestBoxes.words($0))
    } ?? TestBoxes.fragment(track: track, time: time, run)
  }

  private static func file(
    _ tracks: [TestBoxes.Track], more: [UInt8] = [], _ rest: [UInt8]...
  ) -> [UInt8] {
    TestBoxes.brand + TestBoxes.moov(tracks, more: more) + rest.joined()
  }

  private static func file(_ rest: [UInt8]...) -> [UInt8] {
    file([track()], Array(rest.joined()))
  }

  private static let two = fragment(0) + fragment(200)
  private static let sidx = TestBoxes.sidx([
    (fragment(0).count, 200, false), (fragment(200).count, 200, false),
  ])
  private static let orphan = TestBoxes.box("mdat", [UInt8](repeating: 9, count: 50))

  /// A fragment whose media is longer than its samples.
  private static var loose: [UInt8] {
    var bytes = fragment(200)
    let place = bytes.count - 60 - 8
    bytes.replaceSubrange(place..<place + 4, with: TestBoxes.number(60 + 8 + 5, 4))
    return bytes + [1, 2, 3, 4, 5]
  }

  /// A fragment whose media lies in front of its `moof`.
  private static func reversed(_ time: Int) -> [UInt8] {
    let own = fragment(time)
    let media = Array(own.suffix(60 + 8))
    var moof = Array(own.dropLast(60 + 8))
    // The last run begins with its offset, behind flags and number.
    let place = moof.count - 5 * 16 - 4
    moof.replaceSubrange(place..<place + 4, with: TestBoxes.number(-60, 4))
    return media + moof
  }

  /// A fragment whose media has a size of 64 bits.
  private static var large: [UInt8] {
    let own = fragment(200)
    var moof = Array(own.dropLast(60 + 8))
    let place = moof.count - 5 * 16 - 4
    moof.replaceSubrange(place..<place + 4, with: TestBoxes.number(moof.count + 16, 4))
    return moof + TestBoxes.words(1) + Array("mdat".utf8) + TestBoxes.number(60 + 16, 8)
      + own.suffix(60)
  }

  /// A fragment of picture and sound, of which the sound goes on where the picture ends.
  private static func both(_ time: Int, second: Int = 2) -> [UInt8] {
    func traf(_ track: Int, _ flags: Int, _ offset: Int?) -> [UInt8] {
      TestBoxes.box(
        "traf", TestBoxes.full("tfhd", 0, flags, TestBoxes.words(track)),
        TestBoxes.full("tfdt", 1, 0, TestBoxes.number(time, 8)), TestBoxes.trun(run, offset: offset)
      )
    }
    func moof(_ offset: Int) -> [UInt8] {
      TestBoxes.box(
        "moof", TestBoxes.full("mfhd", 0, 0, TestBoxes.words(1)), traf(1, 0, offset),
        traf(second, 0, nil))
    }
    return moof(moof(0).count + 8) + TestBoxes.box("mdat", [UInt8](repeating: 5, count: 120))
  }

  private static let stsz = TestBoxes.full("stsz", 0, 0, TestBoxes.words(0, 3, 5, 5, 5))
  private static let none =
    TestBoxes.full("stsz", 0, 0, TestBoxes.words(0, 0))
    + TestBoxes.full("stco", 0, 0, TestBoxes.words(0))

  private static let films: [(name: String, bytes: [UInt8])] = [
    ("no index", file(two)),
    ("an index in front", file(sidx, two)),
    ("an index that leaves the first fragment out", file(late, two)),
    ("an index behind", file(two, TestBoxes.box("mfra", [UInt8](repeating: 0, count: 40)))),
    ("other boxes between", file(fragment(0), TestBoxes.box("emsg", [1, 2, 3]), fragment(200))),
    ("empty tables", file([track(tables: none)], two)),
    ("an edit", file([track(edits: [(0, 80)])], two)),
    ("an empty edit and an edit", file([track(edits: [(40, -1), (0, 0)])], two)),
    ("an empty run", file(two, fragment(400, empty))),
    ("sizes of 64 bits", file(fragment(0), large)),
    ("a fragment without its time", file(fragment(0), fragment(nil))),
    ("media in front of its moof", file(fragment(0), reversed(200))),
    ("the only description", file(fragment(0), fragment(200, description: 1))),
    ("places counted from the data before", file([track(), sound], both(0), both(200))),
    ("sound in some fragments alone", file([track(), sound], fragment(0), both(200))),
  ]

  private static let late = TestBoxes.sidx(
    earliest: 200, gap: fragment(0).count, [(fragment(200).count, 200, false)])

  private static let others: [(name: String, bytes: [UInt8])] = [
    ("pictures in the head's tables", file([track(tables: stsz)], two)),
    (
      "sounds in the head's tables",
      file([track(), track(2, handler: "soun", tables: stsz)], both(0))
    ),
    (
      "sizes of 4 bits",
      file([track(tables: TestBoxes.full("stz2", 0, 0, TestBoxes.words(4, 2)))], two)
    ),
    ("chunks", file([track(tables: TestBoxes.full("stco", 0, 0, TestBoxes.words(1, 99)))], two)),
    (
      "chunks at places of 64 bits",
      file([track(tables: TestBoxes.full("co64", 0, 0, TestBoxes.words(1, 0, 99)))], two)
    ),
    ("a head alone, and its media", file([track(tables: stsz)], orphan)),
    ("a head and media that nothing names", file(orphan)),
    ("a second sound", file([track(), sound, track(3, handler: "soun")], both(0))),
    ("a second picture", file([track(), track(3)], two)),
    ("subtitles", file([track(), track(3, handler: "sbtl")], two)),
    ("words", file([track(), track(3, handler: "text")], two)),
    ("a time code", file([track(), track(3, handler: "tmcd")], two)),
    ("timed data", file([track(), track(3, handler: "meta")], two)),
    ("a track of an unknown kind", file([track(), track(3, handler: "abcd")], two)),
    (
      "its own chapters",
      file(
        [track()], more: TestBoxes.box("udta", TestBoxes.full("chpl", 1, 0, TestBoxes.words(0))),
        two)
    ),
    ("several edits", file([track(edits: [(100, 0), (100, 300)])], two)),
    ("a cut in a moof", file(fragment(0), Array(fragment(200).prefix(60)))),
    ("a cut in the media", file(fragment(0), Array(fragment(200).dropLast(7)))),
    ("a cut in a header", file(fragment(0), Array(fragment(200).prefix(5)))),
    (
      "a cut in the media, behind an index",
      file(sidx, fragment(0), Array(fragment(200).dropLast(7)))
    ),
    ("media that nothing names in front", file(orphan, two)),
    ("media that nothing names behind", file(two, orphan)),
    ("media that no sample has", file(fragment(0), loose)),
    ("a track that the head lacks", file(fragment(0), fragment(200, track: 7))),
    ("a track that the head lacks, beside another", file(both(0, second: 7), both(200, second: 7))),
    ("no time at all", file(fragment(nil), fragment(nil))),
    ("another description", file(fragment(0), fragment(200, description: 2))),
    ("the first media in front of its moof", file(reversed(0), fragment(200))),
    ("ten thousand tracks", file((1...10_000).map { track($0) }, two)),
    ("seventeen tracks", file((1...17).map { track($0) }, two)),
  ]

  /// Returns the index of which a film is made; nil if the file stays as it is.
  private static func index(of bytes: [UInt8]) -> StrandIndex? {
    guard FragmentedHead.isThere(in: Array(bytes.prefix(FragmentedHead.maxBytes))) == true,
      let index = try? Assembly.index(of: bytes).index,
      (try? index.checkThatNothingIsLost()) != nil
    else { return nil }
    return index
  }

  @Test(arguments: films.map(\.name)) func allOfTheFileIsInTheFilm(name: String) throws {
    let bytes = try #require(Self.films.first { $0.name == name }).bytes
    let index = try #require(Self.index(of: bytes))
    let layout = try Assembly.layout([index])
    let media = try Box.all(in: bytes[...]).filter { $0.type == "mdat" }
      .reduce(0) { $0 + $1.body.count }
    var found = 0
    for (slot, fragment) in layout.fragments.enumerated() {
      let content = bytes[fragment.bytes]
      var map = ClusterMap(layout, slot: slot)
      try map.take(content, at: 0)
      let made = try map.made()
      #expect(made.balance.isEven, "\(made.balance)")
      for case .range(let range) in made.pieces { found += range.count }
    }
    #expect(found == media)
  }

  @Test(arguments: others.map(\.name)) func theFileStaysAsItIs(name: String) throws {
    let bytes = try #require(Self.others.first { $0.name == name }).bytes
    #expect(Self.index(of: bytes) == nil)
  }

  /// A list names what it wants, and another sound is told.
  @Test func whatAStreamLeavesOutIsNamed() throws {
    let tracks = [Self.track(), Self.sound, Self.track(3, handler: "soun")]
    let bytes = Self.file(tracks + [Self.track(4, handler: "sbtl")], Self.both(0))
    let index = try Assembly.index(of: bytes).index
    #expect(index.lost == ["subtitles"])
    #expect(index.repeated(in: .both) == ["another sound (deu)"])
    #expect(index.repeated(in: .picture) == [])
    var source = StreamSource(file: "http://h/1")
    source.tell(index.lost + index.repeated(in: .both) + index.lost)
    #expect(source.reason.hasSuffix("; left out: subtitles, another sound (deu)"))
  }

  @Test func aBalanceCountsEachByteOnce() {
    var balance = MediaBalance()
    balance.add(media: [10..<20, 30..<50], samples: [40..<50, 10..<15, 12..<18, 0..<5])
    #expect(balance.unclaimed == 12 && balance.outside == 5)
    #expect(balance.words == "12 bytes that belong to no picture or sound")
    balance.add(media: [], samples: [])
    #expect((balance + balance).unclaimed == 24)
    #expect(MediaBalance().words == nil)
  }
}
