import Blocks
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// The ranges of broken answers are stored beside the file, until they were compared.
@Suite(.timeLimit(.minutes(1))) struct SuspectRangesTests {
  private let cache = CacheFixture()

  // MARK: The format

  @Test(arguments: [[], [0..<1], [5..<99, 100..<(1 << 42)]] as [[ByteRange]])
  func whatWasStoredIsReadAgain(ranges: [ByteRange]) {
    #expect(SuspectRanges.decoded(SuspectRanges.encoded(ranges)) == ranges)
  }

  @Test func everyFlippedBitAndEveryCutIsSeen() {
    let whole = SuspectRanges.encoded([5..<99, 100..<200])
    for offset in whole.indices {
      var flipped = whole
      flipped[offset] ^= 1 << UInt8(offset & 7)
      #expect(SuspectRanges.decoded(flipped) == nil)
      #expect(SuspectRanges.decoded(Array(whole.prefix(offset))) == nil)
    }
  }

  // MARK: In the cache

  @Test(arguments: [true, false]) func itOutlastsTheProcess(isClosed: Bool) throws {
    try keep(suspect: [16..<48], closing: isClosed)

    #expect(try cache.directory().file().suspects == [16..<48])
  }

  @Test func aWholeFileIsNotSoundBeforeAllWasCompared() throws {
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<100)
    directory.suspect([16..<48], of: file)
    try file.makeDurable { true }
    #expect(file.isWhole && !file.isDurable)
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
    directory.suspect([], of: file)

    #expect(file.isDurable)
    #expect(TemporaryDirectory.names(in: cache.folder).allSatisfy { !$0.hasSuffix(".doubt") })
  }

  @Test(arguments: [0, 7, 15, 40]) func ofAFileThatCannotBeReadAllIsSuspect(cut: Int) throws {
    try keep(suspect: [16..<48, 50..<60], closing: true)
    let path = try cache.path(endingWith: ".doubt")
    try TemporaryDirectory.write(Array(TemporaryDirectory.read(path).prefix(cut)), to: path)

    #expect(try cache.directory().file().suspects == [0..<100])
  }

  @Test func itGoesWithItsFile() throws {
    try keep(suspect: [16..<48], closing: true)
    let directory = try cache.directory()
    directory.remove(CacheFixture.key, CacheFixture.representation)

    #expect(TemporaryDirectory.names(in: cache.folder).allSatisfy { !$0.hasSuffix(".doubt") })
    #expect(try directory.file().suspects == [])
  }

  /// A program of the previous version may have cleared the file, and left a file that it does not
  /// know.
  @Test func whatIsLeftOfAnotherFileSaysNothingOfANewOne() throws {
    try keep(suspect: [16..<48], closing: true)
    for ending in [".idx", ".data"] {
      TemporaryDirectory.remove(try cache.path(endingWith: ending))
    }

    #expect(try cache.directory().file().suspects == [])
  }

  // MARK: The previous version

  /// The previous version reads index and data alone, whatever other files lie beside them.
  @Test func theIndexIsTheSameWhetherSomethingIsSuspectOrNot() throws {
    try cache.keep([0..<100], closing: true)
    let path = try cache.path(endingWith: ".idx")
    let before = try TemporaryDirectory.read(path).dropFirst(IndexHeader.page)
    let directory = try cache.directory()
    directory.suspect([16..<48], of: try directory.file())
    directory.close()

    #expect(try TemporaryDirectory.read(path).dropFirst(IndexHeader.page) == before)
  }

  /// The index in the corpus is older than the file of suspect ranges; it gets the real checksums
  /// here.
  @Test func aCacheOfTheVersionBeforeIsReadOn() throws {
    let key = EntryKey(entry: "urn:1")
    let representation = Representation(
      length: 100, validator: .lastModified("Mon, 01 Jan 2024 00:00:00 GMT"))
    try cache.directory().close()
    var index = try TemporaryDirectory.read(Self.corpus)
    let sums: [UInt32] = (0..<7).map { block in
      let bytes = Pattern.bytes(16 * block..<min(16 * block + 16, 100))
      return CRC32C(of: bytes.span.bytes).value
    }
    index.replaceSubrange(IndexHeader.page + 8..<index.count, with: sums.flatMap(\.encoded))
    let name = key.fileName(representation, feedKey: "feed")
    try TemporaryDirectory.write(index, to: cache.folder.appending(name + ".idx"))
    try TemporaryDirectory.write(
      Pattern.bytes(0..<100), to: cache.folder.appending(name + ".data"))

    let file = try cache.directory().file(representation, key: key)
    #expect(file.suspects == [])
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
    try file.makeDurable { true }
    #expect(file.isDurable)
  }

  // MARK: Private

  private func keep(suspect ranges: [ByteRange], closing: Bool) throws {
    let directory = try cache.directory()
    let file = try directory.file()
    try file.write(0..<100)
    directory.suspect(ranges, of: file)
    if closing { directory.close() }
  }

  private static let corpus: FilePath = {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return FilePath("/\(folder)/Fuzz/Corpus/index/clean")
  }()
}
