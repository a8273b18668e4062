import Testing

@testable import Streams

/// Segments with a whole picture in front of them.
@Suite(.timeLimit(.minutes(1)))
struct SegmentDisguiseTests {
  private static func chunk(_ name: String, _ count: Int) -> [UInt8] {
    let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    return length + Array(name.utf8) + [UInt8](repeating: 7, count: count + 4)
  }

  private static func png(_ count: Int = 100) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", 13) + chunk("IDAT", count)
      + chunk("IEND", 0)
  }

  /// A JPEG with a segment that has the end's marker in it, and with coded data.
  private static let jpeg: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xE1, 0, 6, 0xFF, 0xD9, 1, 2, 0xFF, 0xFF, 0xDB, 0, 4, 1, 2]
    + [0xFF, 0xDA, 0, 3, 1, 5, 6, 0xFF, 0, 7, 0xFF, 0xD3, 8, 0xFF, 0xD9]

  private static let transport: [UInt8] = (0..<8).flatMap { number in
    [0x47, 0x40, UInt8(number), 0x10] + [UInt8](repeating: 0xFF, count: 184)
  }
  private static let movie: [UInt8] =
    [0, 0, 0, 24] + Array("stypmsdh".utf8) + [UInt8](repeating: 0, count: 900)

  @Test(arguments: [png(), png(0), png(90_000), jpeg], [transport, movie])
  func theSegmentBeginsBehindThePicture(picture: [UInt8], segment: [UInt8]) {
    let all = picture + segment
    #expect(SegmentDisguise(beginning: all) == .ends(picture.count))
    #expect(SegmentDisguise.without(all) == segment)
    // Wherever the bytes end within the picture, more are asked for.
    for count in [4, 9, picture.count / 2, picture.count - 1] where count > 8 {
      #expect(SegmentDisguise(beginning: Array(all.prefix(count))) == .unfinished)
    }
  }

  @Test(arguments: [1, 100, 1000])
  func fillingBehindThePictureIsPassedOver(count: Int) {
    let front = Self.png() + [UInt8](repeating: 0xFF, count: count)
    #expect(SegmentDisguise(beginning: front + Self.transport) == .ends(front.count))
  }

  /// The rest of a packet belongs to the segment before, and is no filling.
  @Test(arguments: [1, 100, 187])
  func theRestOfAPacketIsNotPassedOver(count: Int) {
    let segment = [UInt8](repeating: 3, count: count) + Self.transport
    #expect(SegmentDisguise(beginning: Self.png() + segment) == .ends(Self.png().count))
  }

  @Test(arguments: [
    transport, movie, [], [0x89], Array("GIF89a".utf8),
    // A picture and nothing else, or behind it what is no segment.
    png() + [UInt8](repeating: 0, count: 4000), jpeg + Array(repeating: 0x20, count: 4000),
    // Lengths that no picture has.
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8),
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 1, 2, 3], png(300_000) + transport,
  ])
  func whatHasNoSegmentBehindItStaysAsItIs(bytes: [UInt8]) {
    #expect(SegmentDisguise(beginning: bytes) == .none)
    #expect(SegmentDisguise.without(bytes) == bytes)
  }
}
