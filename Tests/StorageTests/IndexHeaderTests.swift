import Blocks
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct IndexHeaderTests {
  private func header(
    entry: String = "id", salt: String = "", length: Int = 100, blockSize: Int = 16,
    validator: Validator = .entityTag("\"1\""), contentType: String? = "video/mp4"
  ) -> IndexHeader {
    IndexHeader(
      key: EntryKey(entry: entry, salt: salt),
      representation: Representation(length: length, validator: validator),
      layout: BlockLayout(length: length, blockSize: blockSize), contentType: contentType)
  }

  @Test(
    arguments: [
      nil, CleanMark(checksum: 0xdead_beef, data: FileGlance(inode: 0, size: 0, changed: 0)),
      CleanMark(checksum: 7, data: FileGlance(inode: .max, size: 100, changed: -1)),
      CleanMark(
        checksum: 0, data: FileGlance(inode: 1, size: .max, changed: 1_764_331_200_123_456_789)),
    ] as [CleanMark?])
  func whatWasStoredIsReadAgain(cleanMark: CleanMark?) {
    var stored = header()
    stored.cleanMark = cleanMark
    #expect(stored.encoded.count == 4096)
    #expect(IndexHeader(stored.encoded) == stored)
  }

  @Test func aLongIdTakesAsManyPagesAsItNeeds() {
    let stored = header(entry: String(repeating: "é", count: 5000))
    #expect(stored.encoded.count == 3 * 4096)
    #expect(stored.fits)
    #expect(IndexHeader(stored.encoded) == stored)
    #expect(!header(entry: String(repeating: "x", count: 70_000)).fits)
  }

  @Test func anotherEntryOrVersionIsNotTheSame() {
    let others = [
      header(entry: "i", salt: "d"), header(salt: "s"), header(length: 101), header(blockSize: 32),
      header(validator: .entityTag("\"2\"")), header(validator: .lastModified("\"1\"")),
      header(validator: .none),
    ]
    for other in others {
      #expect(!header().belongs(to: other))
    }
  }

  @Test func moreBlocksThanCanBeLookedThroughAreRefused() {
    let absurd = header(length: .max, blockSize: 1)
    #expect(!absurd.fits)
    #expect(IndexHeader(absurd.encoded) == nil)
  }

  @Test func anEndlessContentTypeIsNotKept() {
    #expect(header(contentType: String(repeating: "x", count: 256)).contentType == nil)
  }

  @Test func aMarkWithoutARecordOfTheDataFileIsNone() {
    var marked = header()
    marked.cleanMark = CleanMark(
      checksum: 5, data: FileGlance(inode: 12, size: 100, changed: 1_764_331_200_123_456_789))
    var bytes = marked.encoded
    bytes.replaceSubrange(28..<64, with: Array("6e0aa2fd-0000-4000-8000-1234567890ab".utf8))
    bytes.replaceSubrange(16..<20, with: [0, 0, 0, 0])
    bytes.replaceSubrange(16..<20, with: CRC32C(of: bytes.span.bytes).value.encoded)
    #expect(IndexHeader(bytes) == header())
  }

  @Test func everyFlippedBitIsSeen() {
    var marked = header()
    marked.cleanMark = CleanMark(
      checksum: 5, data: FileGlance(inode: 12, size: 100, changed: 1_764_331_200_123_456_789))
    let whole = marked.encoded
    for offset in whole.indices {
      var flipped = whole
      flipped[offset] ^= 1 << UInt8(offset & 7)
      #expect(IndexHeader(flipped) == nil)
    }
  }

  @Test(
    arguments: [(0, OtherFormat.older), (2, .newer), (1 << 17 | 1, .newer)]
      as [(UInt32, OtherFormat)])
  func anotherFormatIsNotRead(version: UInt32, is other: OtherFormat) {
    for isGrowing in [false, true] {
      var bytes = header().encoded
      bytes.replaceSubrange(8..<12, with: (version | (isGrowing ? 1 << 16 : 0)).encoded)
      bytes.replaceSubrange(16..<20, with: [0, 0, 0, 0])
      bytes.replaceSubrange(16..<20, with: CRC32C(of: bytes.span.bytes).value.encoded)
      #expect(IndexHeader(bytes) == nil && IndexHeader.otherFormat(of: bytes) == other)
    }
    #expect(IndexHeader.otherFormat(of: header().encoded) == nil)
  }
}
