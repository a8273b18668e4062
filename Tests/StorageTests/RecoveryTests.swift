import Blocks
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct RecoveryTests {
  private let cache = CacheFixture()

  @Test(arguments: [true, false]) func whatWasWrittenIsThereAgain(closing: Bool) throws {
    try cache.keep([16..<48, 96..<100], closing: closing)
    let file = try cache.directory().file()
    #expect(file.cachedBlocks.runs(in: file.layout.all).map(\.count) == [2, 1])
    #expect(file.lendableBlocks() == file.cachedBlocks)
    #expect(file.contentType == "video/mp4")
  }

  @Test func nothingThatWasWrittenIsLostByAStopAtAnyPoint() throws {
    let origin = try cache.directory().file()
    for end in 1...100 {
      try origin.write((end - 1)..<end)
      try origin.writeOut()
      let copy = CacheFixture()
      try copy.directory().close()
      for suffix in [".data", ".idx"] {
        let path = try cache.path(endingWith: suffix)
        let name = path.lastComponent?.string ?? ""
        try TemporaryDirectory.write(
          TemporaryDirectory.read(path), to: copy.folder.appending(name))
      }
      let file = try copy.directory().file()
      #expect(file.cachedBlocks == BlockSet(0..<(end == 100 ? 7 : end / 16)))
      #expect(file.lendableBlocks() == file.cachedBlocks)
    }
  }

  @Test func aFlippedByteAfterAnUncleanStopIsLostAndCanBeWrittenAgain() throws {
    try cache.keep([0..<100], closing: false)
    try flip(".data", at: 40)
    let directory = try cache.directory()
    let file = try directory.file()
    #expect(file.lend(0..<100) { _ in true } == .lost([BlockIndex(2)]))
    try file.write(32..<48)
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
    directory.close()
    // After a clean stop the bytes are trusted, but not a file that somebody has changed since.
    try flip(".data", at: 40)
    #expect(try cache.directory().file().lend(40..<41) { _ in true } == .lost([BlockIndex(2)]))
  }

  @Test func aFlippedByteIsFoundEvenAfterTheFileWasClosedWithoutReadingIt() throws {
    try cache.keep([0..<100], closing: false)
    let directory = try cache.directory()
    #expect(try directory.file().bytes(0..<16) == Pattern.bytes(0..<16))
    directory.close()
    try flip(".data", at: 40)
    #expect(try cache.directory().file().lend(0..<100) { _ in true } == .lost([BlockIndex(2)]))
  }

  @Test func onceEverythingWasVerifiedTheFileIsMarkedCleanAgain() throws {
    try cache.keep([16..<48], closing: false)
    #expect(try TemporaryDirectory.read(cache.path(endingWith: ".idx"))[20] == 0)
    let directory = try cache.directory()
    let file = try directory.file()
    #expect(file.bytes(16..<48) == Pattern.bytes(16..<48))
    directory.close()
    #expect(try TemporaryDirectory.read(cache.path(endingWith: ".idx"))[20] == 1)
  }

  @Test func whatAKilledProcessLeftUnflushedIsFlushed() throws {
    try cache.keep([16..<48], closing: false)
    let file = try cache.directory().file()
    #expect(!file.isFlushed)
    #expect(file.lendableBlocks() == BlockSet(1..<3))
    try file.flush()
    #expect(file.isFlushed)
  }

  @Test func theCleanMarkGoesWithTheFirstWriteAndNotWithReading() throws {
    try cache.keep([0..<16], closing: true)
    let clean = try TemporaryDirectory.read(cache.path(endingWith: ".idx"))
    var directory = try cache.directory()
    #expect(try directory.file().bytes(0..<16) == Pattern.bytes(0..<16))
    directory.close()
    // Its date is set at the close, so the mark has another change time.
    let read = try TemporaryDirectory.read(cache.path(endingWith: ".idx"))
    #expect(read[20..<28] == clean[20..<28] && read[64...] == clean[64...])

    directory = try cache.directory()
    // The beginning of a block is only in memory, and changes nothing on the disk.
    let file = try directory.file()
    try file.write(16..<17)
    #expect(try TemporaryDirectory.read(cache.path(endingWith: ".idx")) == read)
    try file.write(17..<32)
    try file.writeOut()
    #expect(try TemporaryDirectory.read(cache.path(endingWith: ".idx"))[20] == 0)
    directory.close()
  }

  @Test func aCleanMarkThatOutlivedTheBitmapIsNotBelieved() throws {
    // A power cut can leave this: the old header, new bits, and not the bytes that the bits
    // announce.
    try cache.keep([0..<16], closing: true)
    let index = try cache.path(endingWith: ".idx")
    let clean = try TemporaryDirectory.read(index)
    try cache.keep([16..<32], closing: false)
    let later = try TemporaryDirectory.read(index)
    try TemporaryDirectory.write(Array(clean[..<4096] + later[4096...]), to: index)
    try flip(".data", at: 20)
    #expect(try cache.directory().file().lendableBlocks() == BlockSet(0..<1))
  }

  @Test(arguments: [true, false]) func anIndexCutAnywhereNeverLendsAWrongByte(closing: Bool) throws
  {
    try cache.keep([16..<64], closing: closing)
    let index = try cache.path(endingWith: ".idx")
    let data = try cache.path(endingWith: ".data")
    let whole = try TemporaryDirectory.read(index)
    let bytes = try TemporaryDirectory.read(data)
    #expect(whole.count == 4096 + 8 + 4 * 4)
    for end in whole.indices where end < 130 || end % 256 == 0 || end > 4090 {
      try TemporaryDirectory.write(Array(whole[..<end]), to: index)
      try TemporaryDirectory.write(bytes, to: data)
      let file = try cache.directory().file()
      let lent = try #require(file.lendableBlocks(), "cut at \(end)")
      #expect(lent == BlockSet(1..<max(1, (end - 4104) / 4)), "cut at \(end)")
    }
  }

  @Test(arguments: [true, false])
  func anIndexWithAnyByteFlippedNeverLendsAWrongByte(closing: Bool) throws {
    try cache.keep([16..<64], closing: closing)
    let index = try cache.path(endingWith: ".idx")
    let data = try cache.path(endingWith: ".data")
    let whole = try TemporaryDirectory.read(index)
    let bytes = try TemporaryDirectory.read(data)
    for offset in whole.indices where offset < 130 || offset % 256 == 0 || offset > 4090 {
      var flipped = whole
      flipped[offset] ^= [0x01, 0x80, 0xff][offset % 3]
      try TemporaryDirectory.write(flipped, to: index)
      try TemporaryDirectory.write(bytes, to: data)
      let file = try cache.directory().file()
      let lent = try #require(file.lendableBlocks(), "byte \(offset)")
      #expect(lent.isEmpty || offset >= 4096, "byte \(offset)")
      #expect(lent.subtracting(BlockSet(1..<4)).isEmpty, "byte \(offset)")
    }
  }

  @Test func aDamagedIndexIsReplacedAndTheOldFileLeftToWhoMappedIt() throws {
    let first = try cache.directory()
    let old = try first.file()
    try old.write(0..<100)
    first.close()
    try flip(".idx", at: 100)
    let inode = TemporaryDirectory.status(try cache.path(endingWith: ".data")).st_ino
    let second = try cache.directory()
    #expect(
      try second.open(
        CacheFixture.key, CacheFixture.representation, contentType: nil, create: false) == nil)
    #expect(TemporaryDirectory.status(try cache.path(endingWith: ".data")).st_ino == inode)
    #expect(try second.file().cachedBlocks.isEmpty)
    #expect(TemporaryDirectory.status(try cache.path(endingWith: ".data")).st_ino != inode)
    #expect(old.bytes(0..<100) == Pattern.bytes(0..<100))
  }

  @Test(arguments: [0, 1, 16, 40, 99], [true, false])
  func aDataFileThatIsTooShortLosesItsEnd(length: Int, closing: Bool) throws {
    try cache.keep([0..<100], closing: closing)
    let data = try cache.path(endingWith: ".data")
    try TemporaryDirectory.write(
      Array(TemporaryDirectory.read(data)[..<length]), to: data)
    let file = try cache.directory().file()
    #expect(file.cachedBlocks == BlockSet(0..<(length / 16)))
    #expect(file.lendableBlocks() == BlockSet(0..<(length / 16)))
    try file.write(0..<100)
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
  }

  @Test(arguments: [".data", ".idx"]) func aMissingHalfCountsAsNothing(suffix: String) throws {
    try cache.keep([0..<100], closing: true)
    TemporaryDirectory.remove(try cache.path(endingWith: suffix))
    let file = try cache.directory().file()
    #expect(file.cachedBlocks.isEmpty)
    try file.write(0..<100)
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
  }

  @Test func blocksDroppedFromACleanFileStayDropped() throws {
    try cache.keep([0..<100], closing: true)
    try cache.directory().file().drop(BlockIndex(1)..<BlockIndex(2))
    #expect(try cache.directory().file().cachedBlocks.count == 6)
    #expect(try TemporaryDirectory.read(cache.path(endingWith: ".idx"))[20] == 0)
  }

  private func flip(_ suffix: String, at offset: Int) throws {
    let path = try cache.path(endingWith: suffix)
    var bytes = try TemporaryDirectory.read(path)
    bytes[offset] ^= 0x10
    try TemporaryDirectory.write(bytes, to: path)
  }
}
