import Testing

@testable import Streams

/// Elements are written as Matroska wants them, and read as others write them.
struct MatroskaTests {
  @Test(arguments: [
    (0, 1), (126, 1), (127, 2), (16_382, 2), (16_383, 3), (2_097_150, 3), (2_097_151, 4),
  ])
  func aSizeTakesAsFewBytesAsItCan(size: Int, width: Int) throws {
    #expect([UInt8].sizeWidth(size) == width)
    var bytes: [UInt8] = [0xEC]
    bytes.append(size: size, width: width)
    let header = try ElementHeader(bytes[...])
    #expect(header == (try ElementHeader((bytes + [9])[...])))
    #expect(header.size == size && header.headerSize == 1 + width && header.id == 0xEC)
  }

  @Test func aSizeMayBeUnknown() throws {
    #expect(try ElementHeader([0x1F, 0x43, 0xB6, 0x75, 0xFF][...]).size == nil)
    #expect(
      try ElementHeader([0x18, 0x53, 0x80, 0x67, 1, 255, 255, 255, 255, 255, 255, 255][...]).size
        == nil)
    #expect(throws: StreamError.malformed("element")) { try ElementHeader([0, 0x81][...]) }
    #expect(throws: StreamError.malformed("element")) { try ElementHeader([0xEC, 0][...]) }
  }

  @Test(arguments: Array(2..<24) + [126, 127, 128, 129, 1000])
  func whatSaysNothingHasAnyLength(count: Int) throws {
    let void = [UInt8].void(count)
    let header = try ElementHeader(void[...])
    #expect(void.count == count && header.headerSize + (header.size ?? 0) == count)
  }

  @Test func theHeadOfAPairIsWrittenByteByByte() throws {
    let video = TrackDescription(
      kind: .video(width: 320, height: 180), codec: "V_MPEG4/ISO/AVC", codecPrivate: [7, 8],
      timescale: 1000, defaultDuration: 40_000_000)
    let entry = MatroskaTrack.entry(video, number: 1, copied: nil)
    #expect(
      entry
        == [0xAE, 0xBB, 0xD7, 0x81, 1, 0x73, 0xC5, 0x81, 1, 0x9C, 0x81, 0]
        + [0x22, 0xB5, 0x9C, 0x83] + Array("und".utf8) + [0x86, 0x8F]
        + Array("V_MPEG4/ISO/AVC".utf8) + [0x63, 0xA2, 0x82, 7, 8]
        + [0x23, 0xE3, 0x83, 0x84, 0x02, 0x62, 0x5A, 0x00, 0x83, 0x81, 1]
        + [0xE0, 0x87, 0xB0, 0x82, 1, 0x40, 0xBA, 0x81, 0xB4])
    let head = try MatroskaHead(
      entries: [entry], duration: 1_000_000_000, chapters: [],
      cues: [.init(time: 0, track: 1, slot: 0), .init(time: 500, track: 1, slot: 2)],
      slots: [100, 200, 300])
    let file = Element(id: 0, body: head.bytes[...], level: 0)
    #expect(Array(head.bytes.prefix(5)) == [0x1A, 0x45, 0xDF, 0xA3, 0xA3])
    let header = try ElementHeader(head.bytes.dropFirst(40))
    #expect(header.id == ElementID.segment && header.headerSize == 12)
    let content = head.bytes.count - 52
    #expect(header.size == content + 600)
    // Each place leads to what it names.
    _ = file
    let segment = Element(id: 1, body: head.bytes.dropFirst(52), level: 0)
    let parts = try segment.children
    #expect(
      parts.map(\.id)
        == [ElementID.seekHead, ElementID.info, ElementID.tracks, ElementID.cues])
    for seek in try parts[0].children {
      let id = try #require(try seek.first(ElementID.seekID)).number
      let place = try #require(try seek.first(ElementID.seekPosition)).number
      #expect(try ElementHeader(head.bytes.dropFirst(52 + place)).id == UInt32(id))
    }
    let cues = try WebMCues(parts[3])
    #expect(cues.points.map(\.position) == [content, content + 300])
    #expect(cues.points.map(\.time) == [0, 500])
  }

  // MARK: Clusters

  private func block(_ time: Int, _ count: Int = 1) -> ClusterBlock {
    ClusterBlock(
      track: 1, time: time, isKey: true, isDiscardable: false, payload: .range(0..<count))
  }

  private func clusters(_ pieces: [SlotPiece]) throws -> [(time: Int, blocks: Int)] {
    let bytes = Assembly.bytes(pieces, of: [UInt8](repeating: 7, count: 100)[...])
    return try Element(id: 0, body: bytes[...], level: 0).children
      .filter { $0.id == ElementID.cluster }.map { cluster in
        let parts = try cluster.children
        return (
          try #require(parts.first).number, parts.count { $0.id == ElementID.simpleBlock }
        )
      }
  }

  @Test func aClusterEndsWhereItsTimesWouldNotFit() throws {
    let blocks = [block(1000), block(960), block(32_900), block(33_000), block(70_000)]
    let pieces = try ClusterComposer.pieces(of: blocks, slot: 500)
    #expect(pieces.reduce(0) { $0 + $1.count } == 500)
    let found = try clusters(pieces)
    #expect(found.map(\.time) == [960, 33_000, 70_000])
    #expect(found.map(\.blocks) == [3, 1, 1])
  }

  @Test func aSlotIsFilledToItsLastByte() throws {
    let least = try ClusterComposer.pieces(of: [block(0)], slot: 40)
      .prefix { if case .zeros = $0 { false } else { true } }
    #expect(!least.isEmpty)
    // 22 bytes of head, 2 of the block's header, 5 of its content.
    for slot in 29...60 {
      let pieces = try ClusterComposer.pieces(of: [block(0)], slot: slot)
      #expect(pieces.reduce(0) { $0 + $1.count } == slot)
      #expect(try clusters(pieces).map(\.blocks) == [1])
    }
    #expect(throws: StreamError.malformed("a fragment that is larger than was announced")) {
      try ClusterComposer.pieces(of: [block(0)], slot: 28)
    }
  }

  /// Matroska has the bibliographic codes of ISO 639-2, and MP4 the terminological ones.
  @Test(
    arguments: [
      ("deu", "ger"), ("ger", "ger"), ("de-CH", "ger"), ("fr", "fre"), ("nld", "dut"),
      ("slk", "slo"),
      ("eng", "eng"), ("en", "eng"), ("haw", "haw"), ("und", "und"), ("xx", "und"), ("", "und"),
    ])
  func theLanguageIsInMatroskasForm(language: String, written: String) throws {
    var track = TrackDescription(
      kind: .audio(rate: 8000, channels: 1), codec: "A_OPUS", timescale: 1000)
    track.language = language
    let entry = MatroskaTrack.entry(track, number: 1, copied: nil)
    let element = try #require(try Element(id: 0, body: entry[...], level: 1).children.first)
    #expect(try element.first(ElementID.language)?.text == written)
  }

  @Test func moreElementsThanSegmentsAreRefused() {
    let voids = Array(repeatElement([0xEC, 0x80] as [UInt8], count: 100_001).joined())
    #expect(throws: StreamError.tooLarge("segments")) {
      try Element(id: 0, body: voids[...], level: 1).children
    }
  }

  @Test func aTimeBeforeTheBeginningIsRefused() throws {
    #expect(throws: StreamError.malformed("a time before the beginning")) {
      try ClusterComposer.pieces(of: [block(-1)], slot: 100)
    }
  }

  // MARK: Clusters of WebM

  private static let simple: [UInt8] = [0xA3, 0x86, 0x81, 0, 5, 0x80, 1, 2]
  private static let group: [UInt8] =
    [0xA0, 0x8D, 0xA1, 0x86, 0x81, 0, 9, 0, 3, 4, 0x75, 0xA2, 0x82, 1, 2]
  private static let other: [UInt8] = [0xA3, 0x85, 0x82, 0, 5, 0x80, 9]

  private func cluster(_ parts: [UInt8]...) -> [UInt8] {
    [UInt8].element(
      ElementID.cluster,
      [0xBF, 0x84, 1, 2, 3, 4, 0xE7, 0x82, 1, 0, 0xA7, 0x81, 5] + Array(parts.joined()))
  }

  @Test(arguments: [true, false])
  func blocksGetTheNewNumberOfTheirTrack(isOpen: Bool) throws {
    var bytes = cluster(Self.simple, Self.group, Self.other)
    // A cluster that does not know its size ends where the next begins.
    if isOpen { bytes[4] = 0xFF }
    bytes += cluster(Self.simple) + [0xEC, 0x81, 0]
    let rewriter = ClusterRewriter(numbers: [1: 2], zero: -4, isAll: false)
    #expect(try rewriter.pieces(head: bytes[...], size: bytes.count, slot: 200) == nil)
    let pieces = try rewriter.pieces(of: bytes[...], slot: 200)
    let made = Assembly.bytes(pieces, of: bytes[...])
    #expect(made.count == 200)
    let clusters = try Element(id: 0, body: made[...], level: 0).children
      .filter { $0.id == ElementID.cluster }
    #expect(try clusters.map { try $0.first(ElementID.timestamp)?.number } == [260, 260])
    let parts = try clusters[0].children
    #expect(parts.map(\.id) == [0xE7, 0xA3, 0xA0])
    #expect(Array(parts[1].body) == [0x82, 0, 5, 0x80, 1, 2])
    #expect(Array(parts[2].body) == [0xA1, 0x86, 0x82, 0, 9, 0, 3, 4, 0x75, 0xA2, 0x82, 1, 2])
  }

  @Test func aClusterWhoseTrackKeepsItsNumberNeedsItsBeginningAlone() throws {
    let bytes = cluster(
      Self.simple, [0xA3, 0x43, 0xE8, 0x81, 0, 9, 0] + [UInt8](repeating: 3, count: 996))
    let rewriter = ClusterRewriter(numbers: [1: 1], zero: 0, isAll: true)
    let pieces = try #require(
      try rewriter.pieces(head: bytes.prefix(256), size: bytes.count, slot: bytes.count + 50))
    #expect(pieces == (try rewriter.pieces(of: bytes[...], slot: bytes.count + 50)))
    #expect(
      pieces.contains { if case .range(let range) = $0 { range.count > 1000 } else { false } })
  }

  @Test func aFilmInOtherTimesThanMillisecondsIsRefused() throws {
    let info = Element(
      id: ElementID.info, body: [UInt8].element(ElementID.timestampScale, number: 20_833)[...],
      level: 1)
    let tracks = Element(id: ElementID.tracks, body: [], level: 1)
    #expect(throws: StreamError.self) { try WebMHead(info: info, tracks: tracks) }
  }

  @Test func anEncryptedTrackIsRefused() throws {
    let encryption = [UInt8].element(
      ElementID.contentEncodings,
      [UInt8].element(
        ElementID.contentEncoding, [UInt8].element(ElementID.contentEncryption, [])))
    let entry = [UInt8].element(
      ElementID.trackEntry, [0xD7, 0x81, 1, 0x83, 0x81, 1] + encryption)
    #expect(
      throws: StreamError.unsupported("the stream is protected by DRM, so feedfs cannot read it")
    ) {
      try WebMHead(
        info: Element(id: ElementID.info, body: [], level: 1),
        tracks: Element(id: ElementID.tracks, body: entry[...], level: 1))
    }
  }
}
