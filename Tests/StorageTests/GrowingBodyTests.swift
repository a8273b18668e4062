import Blocks
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// The file of a body without length, and what becomes of it at its end.
@Suite(.timeLimit(.minutes(1))) struct GrowingBodyTests {
  private static let maxLength = 4000
  private static let entry = CacheFixture.key.entry
  private static let url = "https://h/a"
  private static let key = EntryKey(entry: entry, salt: url, isGrowing: true)
  private static let body = Representation(length: maxLength, validator: .none)

  private let cache = CacheFixture()

  private func growing(in directory: CacheDirectory) throws -> EntryFile {
    try directory.file(Self.body, key: Self.key)
  }

  @Test(arguments: [96, 100, 16, 1])
  func itsBytesBecomeThoseOfTheProvedVersionWithoutACopy(length: Int) throws {
    let directory = try cache.directory()
    let growing = try growing(in: directory)
    try growing.write(0..<length)
    let before = growing.bytes(0..<length)
    let proved = Representation(length: length, validator: .none)
    let key = EntryKey(entry: Self.entry, salt: Self.url)
    let inode = try TemporaryDirectory.status(cache.path(endingWith: ".data")).st_ino
    let file = try directory.prove(growing, as: key, proved, contentType: "video/mp4")

    #expect(file.isWhole && file.contentType == "video/mp4")
    #expect(file.bytes(0..<length) == Pattern.bytes(0..<length) && before == file.bytes(0..<length))
    let status = try TemporaryDirectory.status(cache.path(endingWith: ".data"))
    #expect(status.st_ino == inode && status.st_size == length)
    #expect(try directory.file(proved, key: key) === file)
    #expect(directory.growing(of: Self.entry, salt: Self.url, maxLength: Self.maxLength) == nil)
    // A reader of the growing body goes on.
    #expect(growing.bytes(0..<length) == Pattern.bytes(0..<length))
    #expect(throws: StorageError.self) { try growing.write(length..<length + 1) }
    directory.close()
    let again = try cache.directory()
    #expect(again.newest(of: Self.entry) == proved)
    #expect(try again.file(proved, key: key).lendableBlocks()?.bytes(in: file.layout) == length)
  }

  @Test func afterAKillItsCompleteBlocksAreThere() throws {
    let growing = try growing(in: cache.directory())
    try growing.write(0..<90)
    try growing.writeOut()
    let directory = try cache.directory()

    #expect(
      directory.growing(of: Self.entry, salt: Self.url, maxLength: Self.maxLength) == Validator.none
    )
    #expect(directory.newest(of: Self.entry) == nil, "no version has its length")
    let again = try self.growing(in: directory)
    #expect(again.cachedBlocks == BlockSet(0..<5) && again.bytes(0..<80) == Pattern.bytes(0..<80))
  }

  @Test func anotherAddressOrLimitIsAnotherBody() throws {
    let directory = try cache.directory()
    try growing(in: directory).write(0..<90)

    #expect(
      directory.growing(of: Self.entry, salt: "https://h/b", maxLength: Self.maxLength) == nil)
    #expect(directory.growing(of: Self.entry, salt: Self.url, maxLength: 5000) == nil)
    #expect(directory.growing(of: "other", salt: Self.url, maxLength: Self.maxLength) == nil)
    let tagged = Representation(length: Self.maxLength, validator: .entityTag("\"1\""))
    try directory.file(tagged, key: EntryKey(entry: Self.entry, isGrowing: true)).write(0..<1)
    #expect(
      directory.growing(of: Self.entry, salt: "https://h/b", maxLength: Self.maxLength)
        == .entityTag("\"1\""))
  }

  @Test func aBodyThatLacksBytesOrItsNameIsNotProved() throws {
    let directory = try cache.directory()
    let growing = try growing(in: directory)
    try growing.write(0..<16)
    try growing.write(32..<48)
    let key = EntryKey(entry: Self.entry)
    let proved = Representation(length: 48, validator: .none)
    #expect(throws: StorageError.self) {
      try directory.prove(growing, as: key, proved, contentType: nil)
    }
    try growing.write(16..<32)
    directory.remove(Self.key, Self.body)
    #expect(throws: StorageError.self) {
      try directory.prove(growing, as: key, proved, contentType: nil)
    }
    #expect(growing.bytes(0..<48) == Pattern.bytes(0..<48))
  }

  @Test func anOlderFeedfsIgnoresTheFile() throws {
    let directory = try cache.directory()
    try growing(in: directory).write(0..<90)
    directory.close()
    let index = try TemporaryDirectory.read(cache.path(endingWith: ".idx"))

    // Its only version is 1.
    #expect(index[8..<12].elementsEqual([1, 0, 1, 0]))
    #expect(IndexHeader(Array(index.prefix(IndexHeader.page)))?.key == Self.key)
  }
}
