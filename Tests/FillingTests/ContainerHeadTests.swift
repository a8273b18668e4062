import TestSupport
import Testing

@testable import Filling

/// The place of a container's index and the playing time, according to its first bytes.
@Suite(.timeLimit(.minutes(1)))
struct ContainerHeadTests {
  struct Head: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    let offset: Int?

    init(_ name: String, _ bytes: [UInt8], _ offset: Int?) {
      testDescription = name
      self.bytes = bytes
      self.offset = offset
    }
  }

  private static let type = box("ftyp", length: 24) + [UInt8](repeating: 0x69, count: 16)

  static let heads = [
    Head("index in front", type + box("moov", length: 5_000), nil),
    Head(
      "index behind the data", type + box("free", length: 8) + box("mdat", length: 900_000), 900_032
    ),
    Head("data of more than 4 GiB", type + box("mdat", longLength: 5 << 32), 24 + 5 << 32),
    Head("data up to the end", type + box("mdat", length: 0), nil),
    Head("a box that is shorter than its head", type + box("mdat", length: 7), nil),
    Head("a length beyond all bounds", type + box("mdat", longLength: -1), nil),
    Head("a head that is cut", Array((type + box("mdat", longLength: 99)).prefix(34)), nil),
    Head("Matroska with the index behind", matroska(cuesAt: 700_000), 47 + 700_000),
    Head("WebM of unknown length", matroska(cuesAt: 9, unknownLength: true), 47 + 9),
    Head("Matroska without an index", Array(matroska(cuesAt: 1).prefix(47)), nil),
    Head("Matroska that is cut", Array(matroska(cuesAt: 700_000).dropLast(2)), nil),
    Head("MPEG-TS", [UInt8](repeating: 0x47, count: 188), nil),
    Head("nothing", [], nil),
  ]

  @Test(arguments: heads)
  func itIsFound(head: Head) {
    #expect(ContainerHead.indexOffset(in: head.bytes.span.bytes) == head.offset)
  }

  @Test func noBytesAreTooOdd() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<20_000 {
      var bytes = random.chance(50) ? Self.matroska(cuesAt: 77_777) : Self.type + Self.type
      for _ in 0..<1 + random.below(6) {
        bytes[random.below(bytes.count)] = UInt8(random.below(256))
      }
      if let offset = ContainerHead.indexOffset(in: bytes.span.bytes) { #expect(offset >= 0) }
      if let time = ContainerHead.duration(in: bytes.span.bytes) { #expect(time > .zero) }
    }
  }

  static let films: [(name: String, bytes: [UInt8], duration: Duration?)] = [
    ("MP4", type + movie(0, scale: 1000, ticks: 61_500), .milliseconds(61_500)),
    ("MP4 of a later version", type + movie(1, scale: 90_000, ticks: 90_000 << 12), .seconds(4096)),
    (
      "MP4 whose head is the second box",
      type + box("free", length: 8) + movie(0, scale: 1, ticks: 7),
      .seconds(7)
    ),
    ("a fragmented MP4", type + movie(0, scale: 1000, ticks: 0), nil),
    ("MP4 of unknown time", type + movie(0, scale: 1, ticks: 0xffff_ffff), nil),
    ("MP4 without a clock", type + movie(0, scale: 0, ticks: 9), nil),
    ("MP4 of a century", type + movie(1, scale: 1, ticks: 3_000_000_000), nil),
    ("MP4 that is cut", Array((type + movie(0, scale: 1, ticks: 7)).dropLast(3)), nil),
    ("MP4 with its index behind", type + box("mdat", length: 9_000), nil),
    (
      "Matroska", matroska(cuesAt: 9) + info(scale: 1_000_000, ticks: 90_500), .milliseconds(90_500)
    ),
    (
      "Matroska with another unit", matroska(cuesAt: 9) + info(scale: 1_000, ticks: 5e6),
      .seconds(5)
    ),
    ("Matroska without a time", matroska(cuesAt: 9), nil),
    ("Matroska of no number", matroska(cuesAt: 9) + info(scale: 1_000_000, ticks: .nan), nil),
  ]

  @Test(arguments: films.indices)
  func thePlayingTimeIsRead(_ number: Int) {
    let film = Self.films[number]
    #expect(ContainerHead.duration(in: film.bytes.span.bytes) == film.duration, "\(film.name)")
  }

  @Test func anIndexBehindTellsThePlayingTime() {
    let bytes = [1, 2, 3] + Self.movie(0, scale: 4, ticks: 10)
    let time = ContainerHead.durationOfMovie(in: bytes.span.bytes, at: 3)
    #expect(time == .milliseconds(2500))
  }

  private static func movie(_ version: Int, scale: Int, ticks: Int) -> [UInt8] {
    let width = version == 1 ? 8 : 4
    let header =
      number(version << 24, 4) + [UInt8](repeating: 9, count: 2 * width) + number(scale, 4)
      + number(ticks, width)
    return box("moov", length: 16 + header.count) + box("mvhd", length: 8 + header.count) + header
  }

  private static func info(scale: Int, ticks: Double) -> [UInt8] {
    let parts =
      [0x2a, 0xd7, 0xb1, 0x83] + number(scale, 3) + [0x44, 0x89, 0x88]
      + number(Int(bitPattern: UInt(ticks.bitPattern)), 8)
    return [0x15, 0x49, 0xa9, 0x66, 0x80 | UInt8(parts.count)] + parts
  }

  private static func box(_ type: String, length: Int) -> [UInt8] {
    number(length, 4) + Array(type.utf8)
  }

  private static func box(_ type: String, longLength: Int) -> [UInt8] {
    number(1, 4) + Array(type.utf8) + number(longLength, 8)
  }

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns an EBML header, a segment whose data begin at 47, and its SeekHead.
  private static func matroska(cuesAt offset: Int, unknownLength: Bool = false) -> [UInt8] {
    let seek: [UInt8] =
      [0x53, 0xab, 0x84, 0x1c, 0x53, 0xbb, 0x6b] + [0x53, 0xac, 0x84] + number(offset, 4)
    let info: [UInt8] =
      [0x4d, 0xbb, 0x8b, 0x53, 0xab, 0x84, 0x15, 0x49, 0xa9, 0x66]
      + [0x53, 0xac, 0x81, 0x20]
    let entries = info + [0x4d, 0xbb, 0x80 | UInt8(seek.count)] + seek
    let length: [UInt8] =
      unknownLength ? [0x01] + [UInt8](repeating: 0xff, count: 7) : [0x01] + number(1 << 30, 7)
    return [0x1a, 0x45, 0xdf, 0xa3, 0x9e] + [UInt8](repeating: 0x42, count: 30)
      + [0x18, 0x53, 0x80, 0x67] + length
      + [0x11, 0x4d, 0x9b, 0x74, 0x80 | UInt8(entries.count)] + entries
  }
}
