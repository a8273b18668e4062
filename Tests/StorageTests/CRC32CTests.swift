import Testing
import TestSupport

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct CRC32CTests {
  /// RFC 3720 appendix B.4, and the check value of the polynomial's catalogues.
  static let vectors: [([UInt8], UInt32)] = [
    ([], 0),
    (Array("123456789".utf8), 0xe306_9283),
    ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
    ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
    (Array(0..<32), 0x46dd_794e),
    ((0..<32).reversed(), 0x113f_db5c),
    (
      [0x01, 0xc0, 0, 0] + [UInt8](repeating: 0, count: 12)
        + [0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0]
        + [0x02, 0, 0, 0, 0, 0, 0, 0],
      0xd996_3a56
    ),
  ]

  @Test(arguments: vectors) func theTableGivesTheKnownValue(bytes: [UInt8], value: UInt32) {
    var checksum = CRC32C()
    checksum.updateByTable(bytes.span.bytes)
    #expect(checksum.value == value)
  }

  @Test(.enabled(if: CRC32C.hasInstructions), arguments: vectors)
  func theProcessorGivesTheKnownValue(bytes: [UInt8], value: UInt32) {
    var checksum = CRC32C()
    checksum.updateByInstructions(bytes.span.bytes)
    #expect(checksum.value == value)
  }

  @Test(.enabled(if: CRC32C.hasInstructions), arguments: 0..<40)
  func bothAgreeAtEveryLengthAndStart(start: Int) {
    let bytes = Pattern.bytes(0..<200)
    for end in start...200 {
      var byTable = CRC32C()
      var byProcessor = CRC32C()
      byTable.updateByTable(bytes.span.bytes.extracting(start..<end))
      byProcessor.updateByInstructions(bytes.span.bytes.extracting(start..<end))
      #expect(byTable == byProcessor)
    }
  }

  @Test(
    .enabled(if: CRC32C.hasInstructions),
    arguments: [
      1_919, 1_920, 1_921, 3_840, 16_319, 16_320, 16_321, 16_384, 18_240, 65_536, 99_999,
    ])
  func bothAgreeOnLongPieces(length: Int) {
    let bytes = Pattern.bytes(0..<length, seed: 5)
    var byTable = CRC32C()
    var byProcessor = CRC32C()
    byTable.updateByTable(bytes.span.bytes)
    byProcessor.updateByInstructions(bytes.span.bytes)
    #expect(byTable == byProcessor)
  }

  @Test func piecesGiveTheValueOfTheWhole() {
    let bytes = Pattern.bytes(0..<100)
    for cut in 0...100 {
      var checksum = CRC32C()
      checksum.update(bytes.span.bytes.extracting(0..<cut))
      checksum.update(bytes.span.bytes.extracting(cut..<100))
      #expect(checksum == CRC32C(of: bytes.span.bytes))
    }
  }
}
