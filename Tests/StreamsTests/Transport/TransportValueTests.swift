import TestSupport
import Testing

@testable import Streams

/// The parts of transport streams, without one.
struct TransportValueTests {
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

  @Test func othersAreNoTransportStreams() {
    for bytes in [[], [0x47], [UInt8](repeating: 0, count: 1000)] as [[UInt8]] {
      #expect(throws: StreamFault.self) { try TransportReader.read(bytes[...]) }
      #expect(throws: StreamFault.self) { try PackedAudio.read(bytes[...]) }
    }
    // Packets without tables.
    let empty = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
    #expect(throws: StreamFault.self) { try TransportReader.read((empty + empty)[...]) }
  }

  @Test func bytesOfNoMeaningEndSoon() {
    var random = SeededRandom(seed: 9)
    let begun = ContinuousClock.now
    for length in [1000, 300_000] {
      let noise = (0..<length).map { _ in UInt8(random.below(256)) }
      _ = try? TransportReader.read(noise[...])
      _ = try? PackedAudio.read(([0xFF, 0xF1] + noise)[...])
      let ones = [UInt8](repeating: 0xFF, count: length)
      _ = try? PackedAudio.read(([0x0B, 0x77] + ones)[...])
      _ = try? PackedAudio.read(ones[...])
      _ = try? TransportReader.read([UInt8](repeating: 0x47, count: length)[...])
      _ = try? SequenceParameters(h264: noise.prefix(200))
      _ = try? SequenceParameters(hevc: noise.prefix(200))
      _ = PictureCodec.isRecoveryPoint(ones[...])
    }
    #expect(ContinuousClock.now - begun < .seconds(20))
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
