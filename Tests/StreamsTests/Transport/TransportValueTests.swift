import TestSupport
import Testing

@testable import Streams

/// The parts of transport streams, without one.
struct TransportValueTests {
  /// A frame of an ID3 tag.
  private static func frame(_ name: String, _ content: [UInt8], isOld: Bool) -> [UInt8] {
    let (size, bits) = (content.count, isOld ? 8 : 7)
    let digits = (0..<4).reversed().map { UInt8(size >> (bits * $0) & (isOld ? 0xFF : 0x7F)) }
    return Array(name.utf8) + digits + [0, 0] + content
  }

  private static func chapter(_ start: Int, _ title: [UInt8], isOld: Bool) -> [UInt8] {
    frame(
      "CHAP",
      Array("c\(start)\0".utf8) + (0..<4).reversed().map { UInt8(start >> (8 * $0) & 0xFF) }
        + [UInt8](repeating: 0xFF, count: 12) + frame("TIT2", title, isOld: isOld), isOld: isOld)
  }

  @Test(arguments: [true, false])
  func chaptersOfATagAreRead(isOld: Bool) {
    let wide = Array("Zwei ä".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let long = [3] + [UInt8](repeating: 0x41, count: 300)
    let frames =
      Self.frame("TALB", [0, 0x41], isOld: isOld)
      + Self.chapter(61_000, [1, 0xFF, 0xFE] + wide, isOld: isOld)
      + Self.chapter(0, [0, 0x4F, 0x6E, 0x65, 0], isOld: isOld)
      + Self.chapter(90_000, long, isOld: isOld)
      + Self.frame("CHAP", Array("no title\0".utf8), isOld: isOld)
    let size = [UInt8(frames.count >> 7), UInt8(frames.count & 0x7F)]
    let tag = Array("ID3".utf8) + [isOld ? 3 : 4, 0, 0, 0, 0] + size + frames
    #expect(
      TagChapters.chapters(in: tag + [0xFF, 0xF1]) == [
        StreamChapter(start: 0, title: "One"),
        StreamChapter(start: 61_000_000_000, title: "Zwei ä"),
        StreamChapter(start: 90_000_000_000, title: String(repeating: "A", count: 200)),
      ])
    for count in 0..<tag.count { _ = TagChapters.chapters(in: Array(tag.prefix(count))) }
    #expect(TagChapters.chapters(in: [0xFF, 0xF1, 0x4C]).isEmpty)
  }

  @Test func unitsAreFoundBetweenStartCodes() {
    let bytes: [UInt8] = [9, 0, 0, 0, 1, 7, 7, 0, 0, 1, 8, 0, 0, 0, 0, 1, 0, 0, 1, 5, 0]
    #expect(AnnexB.units(in: bytes[...]).map { Array(bytes[$0]) } == [[7, 7], [8], [5]])
    #expect(AnnexB.units(in: []).isEmpty && AnnexB.units(in: [0, 0, 0]).isEmpty)
    #expect(AnnexB.lengthPrefixed([5..<7], of: bytes[...]) == [0, 0, 0, 2, 7, 7])
  }

  @Test func timesGetTheBitsAboveFromTheirPlace() {
    let range = 1 << 33
    #expect(TimeStamp.unwrapped(5, near: 0) == 5)
    #expect(TimeStamp.unwrapped(5, near: range - 5) == range + 5)
    #expect(TimeStamp.unwrapped(range - 5, near: range + 5) == range - 5)
    #expect(TimeStamp.unwrapped(range - 5, near: 0) == -5)
    #expect(TimeStamp.unwrapped(7, near: 9 * range) == 9 * range + 7)
    #expect(TimeStamp.ticks(.milliseconds(1500)) == 135_000)
  }

  @Test func aVectorIsANumberWithTheHighestByteFirst() {
    #expect(SegmentCipher.bytes(of: 0x0102) == Array(repeating: 0, count: 14) + [1, 2])
  }

  /// The tables of a program with one stream: its type and its descriptors.
  private static func tables(_ type: UInt8, _ descriptors: [UInt8]) throws -> ProgramTables {
    func packet(_ stream: UInt8, _ section: [UInt8]) -> [UInt8] {
      let length = UInt8(section.count + 4)
      let head: [UInt8] = [0x47, 0x40, stream, 0x10, 0, section[0], 0xB0, length]
      let bytes = head + section.dropFirst() + [0, 0, 0, 0]
      return bytes + [UInt8](repeating: 0xFF, count: TransportPacket.length - bytes.count)
    }
    let programs = packet(0, [0, 0, 1, 0xC1, 0, 0, 0, 1, 0xE0, 0x20])
    let streams = packet(
      0x20,
      [2, 0, 1, 0xC1, 0, 0, 0xE0, 0x21, 0xF0, 0, type, 0xE0, 0x21, 0xF0, UInt8(descriptors.count)]
        + descriptors)
    var tables = ProgramTables()
    for packet in [programs, streams] {
      try tables.take(try #require(TransportPacket(packet[...], at: 0)))
    }
    return tables
  }

  /// Streams of broadcasters have the type of private data, and a descriptor that tells the codec.
  @Test(
    arguments: [
      (0x1B, [], .picture(.h264)), (0x24, [], .picture(.hevc)), (0x0F, [], .sound(.aac)),
      (0x03, [], .sound(.mpegAudio)), (0x04, [], .sound(.mpegAudio)), (0x81, [], .sound(.ac3)),
      (0x87, [], .sound(.eac3)), (0x06, [0x6A, 1, 0], .sound(.ac3)),
      (0x06, [5, 4] + Array("AC-3".utf8), .sound(.ac3)),
      (0x06, [0x0A, 4, 0x64, 0x65, 0x75, 0, 0x6A, 1, 0], .sound(.ac3)),
      (0x06, [0x7A, 1, 0], .sound(.eac3)), (0x06, [5, 4] + Array("EAC3".utf8), .sound(.eac3)),
      (0x06, [5, 4] + Array("HEVC".utf8), .picture(.hevc)),
      (0x06, [5, 4] + Array("Opus".utf8), .unsupportedSound("Opus in a transport stream")),
      (0x06, [0x59, 1, 0], nil), (0x15, [], nil),
    ] as [(UInt8, [UInt8], ProgramTables.Kind?)])
  func aTableTellsTheCodecOfItsStream(
    type: UInt8, descriptors: [UInt8], kind: ProgramTables.Kind?
  ) throws {
    let streams = try #require(try Self.tables(type, descriptors).streams)
    #expect(streams.map(\.kind) == [kind].compactMap(\.self))
    if let stream = streams.first {
      #expect(stream.stream == 0x21)
      #expect(stream.language == (descriptors.first == 0x0A ? "deu" : nil))
    }
  }

  @Test func othersAreNoTransportStreams() {
    for bytes in [[], [0x47], [UInt8](repeating: 0, count: 1000)] as [[UInt8]] {
      #expect(throws: StreamError.self) { try SegmentReader.read(bytes[...]) }
      #expect(throws: StreamError.self) { try PackedAudio.read(bytes[...]) }
    }
    // Packets without tables.
    let empty = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
    #expect(throws: StreamError.self) { try SegmentReader.read((empty + empty)[...]) }
  }

  @Test func bytesOfNoMeaningEndSoon() {
    var random = SeededRandom(seed: 9)
    let begun = ContinuousClock.now
    for length in [1000, 300_000] {
      let noise = (0..<length).map { _ in UInt8(random.below(256)) }
      _ = try? SegmentReader.read(noise[...])
      _ = try? PackedAudio.read(([0xFF, 0xF1] + noise)[...])
      let ones = [UInt8](repeating: 0xFF, count: length)
      _ = try? PackedAudio.read(([0x0B, 0x77] + ones)[...])
      _ = try? PackedAudio.read(ones[...])
      _ = try? SegmentReader.read([UInt8](repeating: 0x47, count: length)[...])
      _ = try? SequenceParameters(h264: noise.prefix(200))
      _ = try? SequenceParameters(hevc: noise.prefix(200))
      _ = PictureCodec.isRecoveryPoint(ones[...])
    }
    #expect(ContinuousClock.now - begun < .seconds(20).here)
  }

  @Test(arguments: 1...3)
  func parameterSetsOfNoMeaningAreRefused(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<20_000 {
      let bytes = (0..<random.below(60)).map { _ in
        random.chance(40) ? 0xFF : UInt8(random.below(256))
      }
      if let facts = try? SequenceParameters(h264: bytes[...]) {
        #expect(facts.width > 0 && facts.width <= 65_536 && facts.height <= 131_072)
      }
      if let facts = try? SequenceParameters(hevc: bytes[...]) {
        #expect(facts.width > 0 && facts.width <= 65_535)
      }
    }
  }

  private static let beginnings: [(bytes: [UInt8], container: StreamContainer)] = [
    (packet + [0x47], .transport), ([0x1A, 0x45, 0xDF, 0xA3, 1], .webM),
    ([0x1F, 0x43, 0xB6, 0x75, 1], .webM), ([0xFF, 0xF1, 0x50], .packedAudio),
    ([0x0B, 0x77, 0, 0], .packedAudio), ([], .unknown),
  ]
  private static let packet = [0x47] + [UInt8](repeating: 0, count: 187)
  private static let words: [(text: String, container: StreamContainer)] = [
    ("\0\0\0\u{18}ftyp", .mp4), ("\0\0\0\u{18}moof", .mp4), ("ID3\u{4}", .packedAudio),
    ("WEBVTT\n", .text), ("<html>", .unknown),
  ]

  @Test func theFirstBytesTellTheContainer() {
    for (bytes, container) in Self.beginnings {
      #expect(StreamContainer(beginning: bytes) == container, "\(bytes.prefix(4))")
    }
    for (text, container) in Self.words {
      #expect(StreamContainer(beginning: Array(text.utf8)) == container, "\(text)")
    }
  }
}
