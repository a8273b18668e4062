import TestSupport
import Testing

@testable import Streaming

/// The place of a container's index, according to its first bytes.
@Suite(.timeLimit(.minutes(1)))
struct ContainerIndexTests {
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
    #expect(ContainerIndex.offset(inHead: head.bytes.span.bytes) == head.offset)
  }

  @Test func noBytesAreTooOdd() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<20_000 {
      var bytes = random.chance(50) ? Self.matroska(cuesAt: 77_777) : Self.type + Self.type
      for _ in 0..<1 + random.below(6) {
        bytes[random.below(bytes.count)] = UInt8(random.below(256))
      }
      if let offset = ContainerIndex.offset(inHead: bytes.span.bytes) { #expect(offset >= 0) }
    }
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
