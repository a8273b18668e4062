import Blocks
import TestSupport
import Testing

@testable import Streams

/// A layout says where each byte of a file comes from, and survives on the disk.
struct StreamLayoutTests {
  private func layout(chapters: [StreamChapter] = []) throws -> StreamLayout {
    try Assembly.layout([try Assembly.index(of: TestBoxes.film()).index], chapters: chapters)
  }

  @Test func slotsFollowEachOtherBehindTheHead() throws {
    let layout = try layout()
    #expect(layout.fragments.count == 2)
    let (first, second) = (layout.bytes(ofSlot: 0), layout.bytes(ofSlot: 1))
    #expect(first.lowerBound == layout.head.count && second.lowerBound == first.upperBound)
    #expect(second.upperBound == layout.length)
    #expect(layout.slots(touching: 0..<layout.head.count).isEmpty)
    #expect(layout.slots(touching: 0..<layout.length) == 0..<2)
    #expect(layout.slots(touching: first) == 0..<1)
    #expect(layout.slots(touching: second) == 1..<2)
    #expect(layout.slots(touching: first.upperBound - 1..<first.upperBound + 1) == 0..<2)
    #expect(layout.slots(touching: layout.length..<layout.length + 9).isEmpty)
    #expect(layout.slots(touching: 5..<5).isEmpty)
  }

  @Test func theIdentityIsThatOfTheContentAlone() throws {
    let one = try layout()
    #expect(one == (try layout()) && one.identity.count == 32)
    #expect(one.representation.length == one.length)
    #expect(one.identity != (try layout(chapters: [.init(start: 0, title: "One")])).identity)
    var index = try Assembly.index(of: TestBoxes.film()).index
    index.fragments[1].isGap = true
    #expect(try Assembly.layout([index]).identity != one.identity)
    index.fragments[1].isGap = false
    // The same fragments as files of their own are the same film.
    index.fragments[1].bytes = 0..<index.fragments[1].bytes.count
    index.fragments[1].resource = 1
    #expect(try Assembly.layout([index]).identity == one.identity)
    let index1 = index
    let keyed = try StreamRecipe(strands: [index1], keyHashes: [[1]], hash: SHA256.hash).layout()
    #expect(keyed.identity != one.identity)
  }

  @Test func aLayoutComesBackFromTheDisk() throws {
    var index = try Assembly.index(of: TestBoxes.film()).index
    index.fragments[0].key = FragmentKey(number: 3, vector: [UInt8](repeating: 9, count: 16))
    index.tracks[0].description.defaultDuration = nil
    index.fragments[1].beginning = try SegmentBeginning(count: 17, hash: .max)
    let layout = try Assembly.layout([index], chapters: [.init(start: 5, title: "ä")])
    #expect(layout.fragments[1].beginning?.count == 17)
    let stored = try layout.encoded(hash: SHA256.hash)
    #expect(try StreamLayout(encoded: stored, hash: SHA256.hash) == layout)
  }

  @Test func aDamagedLayoutIsRefusedAtEveryByte() throws {
    let stored = try layout().encoded(hash: SHA256.hash)
    for place in stored.indices {
      var damaged = stored
      damaged[place] ^= 0x55
      #expect(throws: StreamError.self) { try StreamLayout(encoded: damaged, hash: SHA256.hash) }
    }
    for count in 0..<stored.count {
      #expect(throws: StreamError.self) {
        try StreamLayout(encoded: Array(stored.prefix(count)), hash: SHA256.hash)
      }
    }
  }

  @Test(arguments: 0..<20)
  func whatLooksWholeIsCheckedPartByPart(seed: UInt64) throws {
    let stored = try layout().encoded(hash: SHA256.hash)
    let parts = Array(stored.dropFirst(12 + 4 + 32))
    var random = SeededRandom(seed: seed)
    for _ in 0..<200 {
      var damaged = parts
      for _ in 0...random.below(4) {
        damaged[random.below(damaged.count)] = UInt8(random.below(256))
      }
      guard let layout = try? StreamLayout(parts: damaged[...]) else { continue }
      #expect(layout.length >= layout.head.count && layout.places == layout.places.sorted())
      for slot in layout.fragments.indices {
        var map = ClusterMap(layout, slot: slot)
        _ = map.needs
        try? map.take(parts[...], at: 0)
        _ = try? map.pieces()
      }
    }
  }

  @Test func aMissingFragmentIsASlotThatSaysNothing() throws {
    var index = try Assembly.index(of: TestBoxes.film()).index
    index.fragments[1].isGap = true
    let layout = try Assembly.layout([index])
    let map = ClusterMap(layout, slot: 1)
    #expect(map.needs == nil)
    let bytes = Assembly.bytes(try map.pieces(), of: [])
    #expect(bytes.count == layout.fragments[1].slot && bytes[0] == 0xEC)
    #expect(bytes.dropFirst(9).allSatisfy { $0 == 0 })
  }

  @Test func samplesThatWereTakenApartBecomeClusters() throws {
    let track = TrackDescription(
      kind: .video(width: 16, height: 16), codec: "V_MPEG4/ISO/AVC", timescale: 90_000)
    let strand = StrandIndex(
      format: .samples, initialisation: [1],
      tracks: [.init(source: 0, description: track, earliest: 0)],
      fragments: [.init(bytes: 0..<1000, start: 0, duration: 1_000_000_000)], end: 1_000_000_000,
      sections: [2_000_000_000])
    let layout = try Assembly.layout([strand])
    let samples = [
      MediaSample(track: 0, time: 0, composition: 3600, isKey: true, bytes: [1, 2, 3]),
      MediaSample(track: 0, time: 1800, isKey: false, isDiscardable: true, bytes: [4]),
    ]
    var clusters = SampleClusters(layout, slot: 0)
    let bytes = try Array((clusters.add(samples) + clusters.finish()).joined())
    let element = try #require(
      try Element(id: 0, body: bytes[...], level: 0).first(ElementID.cluster))
    #expect(try element.first(ElementID.timestamp)?.number == 2020)
    let blocks = try element.children.filter { $0.id == ElementID.simpleBlock }
    #expect(blocks.map { Array($0.body) } == [[0x81, 0, 20, 0x80, 1, 2, 3], [0x81, 0, 0, 1, 4]])
    #expect(bytes.count == layout.fragments[0].slot)
  }

  // MARK: Picture and sound apart

  /// A strand whose fragments follow each other, `seconds` long each.
  private func strand(video: Bool, start: Double, seconds: Double, count: Int) -> StrandIndex {
    func time(_ number: Double) -> Int { Int((start + number * seconds) * 1e9) }
    let track =
      video
      ? TrackDescription(
        kind: .video(width: 16, height: 16), codec: "V_MPEG4/ISO/AVC", timescale: 90_000)
      : TrackDescription(
        kind: .audio(rate: 48_000, channels: 2), codec: "A_AAC", timescale: 48_000)
    return StrandIndex(
      format: .samples, initialisation: [video ? 1 : 2],
      tracks: [.init(source: 0, description: track, earliest: time(0))],
      fragments: (0..<count).map { number in
        .init(
          bytes: number * 1000..<number * 1000 + 1000, start: time(Double(number)),
          duration: time(Double(number + 1)) - time(Double(number)))
      }, end: time(Double(count)))
  }

  /// The strands of the slots in their order.
  private func order(_ layout: StreamLayout) -> [Int] { layout.fragments.map(\.strand) }

  /// Packagers cut sound at its own frames, some milliseconds beside the picture.
  @Test(arguments: [-0.499, -0.044, -0.022, 0, 0.022])
  func soundThatBeginsNearAPictureComesBehindIt(start: Double) throws {
    let layout = try Assembly.layout([
      strand(video: true, start: 1, seconds: 4, count: 3),
      strand(video: false, start: 1 + start, seconds: 4, count: 3),
    ])
    #expect(order(layout) == [0, 1, 0, 1, 0, 1])
    #expect(try cuedSlots(of: layout) == [0, 2, 4])
  }

  /// Sound of five seconds beside pictures of two.
  @Test func aCueLeadsToTheSoundThatLastsUntilItsTime() throws {
    let layout = try Assembly.layout([
      strand(video: true, start: 0, seconds: 2, count: 5),
      strand(video: false, start: 0, seconds: 5, count: 2),
    ])
    // Pictures at 0, 2, 4, 6 and 8 s; sound at 0 and 5 s.
    #expect(order(layout) == [0, 1, 0, 0, 1, 0, 0])
    #expect(try cuedSlots(of: layout) == [0, 1, 1, 4, 4])
  }

  // MARK: The recipe

  /// The places of the slots of a film with this head, if none is made longer.
  private func places(_ strand: StrandIndex, behind head: [UInt8]) throws -> [Int] {
    var places = [head.count]
    for fragment in strand.fragments {
      places.append(try places[places.count - 1] + SlotSize.bytes(fragment: fragment, of: strand))
    }
    return places
  }

  /// A strand whose segments have these sizes, and last two seconds each.
  private func strand(of sizes: [Int], _ format: StrandFormat = .samples) -> StrandIndex {
    var index = strand(video: true, start: 0, seconds: 2, count: sizes.count)
    index.format = format
    for (place, size) in sizes.enumerated() { index.fragments[place].bytes = 0..<size }
    return index
  }

  @Test func slotsToWhichCuesLeadBeginOnABlock() throws {
    let strand = strand(of: [600_000, 900_000, 1000, 600_000, 5_000_000])
    let layout = try Assembly.layout([strand])
    #expect(LayoutRecipe.block == BlockLayout.standardBlockSize)
    let places = layout.places.dropFirst().dropLast()
    // A short segment is not worth it.
    #expect(places.map { $0 % BlockLayout.standardBlockSize == 0 } == [true, true, false, true])
    #expect(try cuedSlots(of: layout) == [0, 1, 2, 3, 4])
    let least = try #require(self.places(strand, behind: layout.head).last)
    #expect(layout.length > least && layout.length - least < 4 * BlockLayout.standardBlockSize)
  }

  @Test(arguments: [1, 20_000, 100_000, 520_000, 600_000])
  func whatFillsSlotsIsLittle(size: Int) throws {
    let strand = strand(of: [Int](repeating: size, count: 100))
    let layout = try Assembly.layout([strand])
    let least = try #require(places(strand, behind: layout.head).last)
    #expect(Double(layout.length) < Double(least) * 1.125)
  }

  @Test func nothingFillsTheSlotsOfFilmsWithoutSamplesInPackets() throws {
    let strand = strand(of: [300_000, 900_000], .movie)
    let layout = try Assembly.layout([strand])
    #expect(try layout.places == places(strand, behind: layout.head))
  }

  /// Packagers write over their segments.
  @Test func otherBeginningsAreAnotherFilm() throws {
    func layout(_ byte: UInt8) throws -> StreamLayout {
      var strand = strand(of: [300_000, 900_000])
      strand.fragments[1].beginning = try SegmentBeginning(of: [1, 2, byte])
      return try Assembly.layout([strand])
    }
    let one = try layout(3)
    #expect(try layout(3) == one)
    let other = try layout(4)
    #expect(other.identity != one.identity && other.places == one.places)
  }

  @Test func aVersionTellsTheRecipe() throws {
    let layout = try Assembly.layout([strand(of: [300_000, 900_000])])
    guard case .entityTag(let tag) = layout.representation.validator else {
      Issue.record("a film without a tag")
      return
    }
    #expect(tag.hasPrefix("\"s3-") && StreamLayout.isFilm(layout.representation))
    // A film of another feedfs is one too.
    #expect(StreamLayout.isFilm("\"s9-0123456789abcdef0123456789abcdef\""))
    #expect(!StreamLayout.isFilm("\"x\""))
  }

  @Test(arguments: [1, 2, 4]) func aLayoutOfAnotherRecipeIsNotRead(recipe: UInt8) throws {
    var stored = try Assembly.layout([strand(of: [300_000, 900_000])]).encoded(hash: SHA256.hash)
    #expect(stored[48..<56] == [0, 0, 0, 0, 0, 0, 0, 3])
    stored[55] = recipe
    stored.replaceSubrange(16..<48, with: try SHA256.hash(Array(stored[48...])))
    let other = stored
    #expect(throws: StreamError.unsupported("layout")) {
      try StreamLayout(encoded: other, hash: SHA256.hash)
    }
  }

  @Test func filmsOfOneStrandKeepTheirIdentity() throws {
    let layout = try Assembly.layout([strand(video: true, start: 0, seconds: 2, count: 5)])
    #expect(try cuedSlots(of: layout) == [0, 1, 2, 3, 4])
  }

  /// The slot to which each cue leads, as the head of the file tells it.
  private func cuedSlots(of layout: StreamLayout) throws -> [Int] {
    let head = layout.head[...]
    let first = try ElementHeader(head)
    let segment = try ElementHeader(head.dropFirst(first.headerSize + (first.size ?? 0)))
    let start = first.headerSize + (first.size ?? 0) + segment.headerSize
    let parts = try Element(id: 0, body: head.dropFirst(start), level: 0).children
    let cues = try #require(parts.last { $0.id == ElementID.cues })
    return try cues.children.map { point in
      let positions = try point.first(ElementID.cueTrackPositions)
      let place = try #require(try positions?.first(ElementID.cueClusterPosition)?.number)
      return try #require(layout.places.firstIndex(of: place + start))
    }
  }
}
