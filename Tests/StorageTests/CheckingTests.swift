import Blocks
import Glibc
import SystemPackage
import Testing

@testable import Storage

/// Comparing cached bytes with their checksums, and removing them. Blocks of 16 bytes.
@Suite(.timeLimit(.minutes(1)))
struct CheckingTests {
  private let cache = CacheFixture()

  @Test func aFlippedByteIsFoundInStepsAndItsBlockIsWrittenAnew() throws {
    try cache.keep([0..<100], closing: true)
    try flip(35)
    let directory = try cache.directory()
    let name = try #require(directory.versions().first?.name)
    var wrong: [BlockIndex] = []
    var compared = 0
    var next: BlockIndex? = BlockIndex(0)
    while let start = next {
      let checked = try #require(directory.check(name, from: start, bytes: 32))
      #expect(checked.bytes <= 48)
      compared += checked.bytes
      wrong += checked.wrong
      next = checked.next
    }

    #expect(wrong == [BlockIndex(2)] && compared == CacheFixture.length)
    let file = try directory.file()
    #expect(file.cachedBlocks == BlockSet(0..<7).subtracting(BlockSet(2..<3)))
    try file.write(32..<48)
    #expect(file.lendableBlocks() == BlockSet(0..<7))
    directory.close()
  }

  @Test func aLookIsNoUse() throws {
    try cache.keep([0..<100], closing: true)
    let path = try cache.path(endingWith: ".data")
    let before = try #require(try? File(path.lastComponent?.string ?? "", in: folder, for: .write))
    try before.touch(.at(1_000_000_000_000_000_000))
    let directory = try cache.directory()
    let version = try #require(directory.versions(of: CacheFixture.key.entry).first)
    #expect(version.used == 1_000_000_000 + 1 << 30 || version.used == 1_000_000_000)
    _ = directory.check(version.name, from: BlockIndex(0), bytes: .max)
    directory.close()
    #expect(try before.status().modified == 1_000_000_000_000_000_000)
  }

  @Test func whoReadsWhatIsTakenAwayGoesOnWithItAndTheNextBeginsAnew() throws {
    let directory = try cache.directory()
    let old = try directory.file()
    try old.write(0..<100)
    let version = try #require(directory.versions().first)
    #expect(version.key == CacheFixture.key && directory.isOpen(version.name))
    #expect(version.representation == CacheFixture.representation)
    directory.remove(version.name)
    let new = try directory.file()

    #expect(old !== new && new.cachedBlocks.isEmpty)
    #expect(old.lendableBlocks() == BlockSet(0..<7))
    try new.write(0..<16)
    #expect(old.lendableBlocks() == BlockSet(0..<7) && new.lendableBlocks() == BlockSet(0..<1))
    directory.close()
  }

  @Test func pinsAreThereAfterAKillAndGoWhenTheyAreTakenBack() throws {
    let directory = try cache.directory()
    #expect(directory.pin(["a", "b"]))
    let names = PinnedNames(in: directory.folder.file)
    #expect(names.prefixes.count == 2)
    #expect(names.contains(EntryKey.prefix(of: "a", feedKey: "feed") + "x"))
    #expect(!names.contains(EntryKey.prefix(of: "c", feedKey: "feed") + "x"))
    #expect(directory.pin([]))
    #expect(PinnedNames(in: directory.folder.file).prefixes.isEmpty)
    directory.close()
  }

  private var folder: File {
    get throws { try File(directory: cache.folder) }
  }

  private func flip(_ offset: Int) throws {
    let path = try cache.path(endingWith: ".data")
    let file = try File(path.lastComponent?.string ?? "", in: folder, for: .write)
    let byte = try file.read(1, at: offset)
    try file.write([~byte[0]], at: offset)
  }
}
