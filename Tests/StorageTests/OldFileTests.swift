import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// Files of formats that are not read are set aside, and those of a later feedfs stay.
@Suite(.timeLimit(.minutes(1))) struct OldFileTests {
  private let cache = CacheFixture()

  private func rewrite(version: UInt32) throws {
    let index = try cache.path(endingWith: ".idx")
    var bytes = try TemporaryDirectory.read(index)
    bytes.replaceSubrange(8..<12, with: version.encoded)
    bytes.replaceSubrange(16..<20, with: [0, 0, 0, 0])
    bytes.replaceSubrange(16..<20, with: CRC32C(of: Array(bytes[..<4096]).span.bytes).value.encoded)
    try TemporaryDirectory.write(bytes, to: index)
  }

  @Test func anIndexOfAnOlderFormatIsSetAsideWithItsBytes() throws {
    try cache.keep([0..<100], closing: true)
    try rewrite(version: 0)
    let told = Mutex<[String]>([])
    let disk = Disk.real.telling { format, path in
      guard format == .older else { return }
      told.withLock { $0.append(path.lastComponent?.string ?? "") }
    }
    let directory = try CacheDirectory(
      at: cache.root, feedKey: "feed", minFree: .bytes(0), blockSize: CacheFixture.blockSize,
      on: disk)
    let file = try directory.file()
    #expect(file.bytes(0..<16) == nil)
    try file.write(0..<100)
    #expect(file.bytes(0..<100) == Pattern.bytes(0..<100))
    directory.close()

    let old = OldFile.all(in: cache.folder)
    #expect(old.map { $0.name.drop { $0 != "." } } == [".data.old", ".idx.old"])
    #expect(Set(told.withLock { $0.map { $0 + ".old" } }) == Set(old.map(\.name)))
    #expect(
      try TemporaryDirectory.read(cache.path(endingWith: ".data.old")) == Pattern.bytes(0..<100))
  }

  @Test func anIndexOfALaterFeedfsStaysAndNothingIsCachedInItsPlace() throws {
    try cache.keep([0..<100], closing: true)
    try rewrite(version: 2)
    let before = try TemporaryDirectory.read(cache.path(endingWith: ".idx"))
    let directory = try cache.directory()
    let data = try cache.path(endingWith: ".data")
    #expect(throws: StorageError.newer(data)) { try directory.file() }
    let opened = try directory.open(
      CacheFixture.key, CacheFixture.representation, contentType: nil, create: false)
    #expect(opened == nil)
    directory.close()
    #expect(try TemporaryDirectory.read(cache.path(endingWith: ".idx")) == before)
    #expect(OldFile.all(in: cache.folder).isEmpty)
  }

  @Test func whatWasSetAsideCountsNoMoreAndCanBeRemoved() throws {
    try cache.keep([0..<100], closing: true)
    let folder = try File(directory: cache.folder)
    let before = CachedFile.all(in: folder).reduce(0) { $0 + $1.bytes }
    let old = cache.folder.appending("lines.old")
    try TemporaryDirectory.write([UInt8](repeating: 1, count: 100_000), to: old)
    #expect(CachedFile.all(in: folder).reduce(0) { $0 + $1.bytes } == before)
    let files = OldFile.all(in: cache.folder)
    #expect(files.map(\.name) == ["lines.old"] && (files.first?.bytes ?? 0) >= 100_000)
    #expect(files.first?.remove(from: cache.folder) == true)
    #expect(OldFile.all(in: cache.folder).isEmpty)
    #expect(OldFile.all(in: cache.folder.appending("nowhere")).isEmpty)
  }

  // MARK: Snapshots

  private func text(_ snapshot: SnapshotFile) throws -> String? {
    try snapshot.read { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if let other = OtherFormat(of: text, named: "film", known: 2) { throw other }
      return text
    }
  }

  @Test func anOlderSnapshotIsSetAsideAndTheOneBeforeToo() throws {
    let snapshot = SnapshotFile(in: cache.root, name: "film")
    try snapshot.write(Array("feedfs film 0".utf8))
    try snapshot.write(Array("feedfs film 1".utf8))
    #expect(try text(snapshot) == nil)
    #expect(TemporaryDirectory.names(in: cache.root) == ["film.1.old", "film.old"])
    try snapshot.write(Array("feedfs film 2".utf8))
    #expect(try text(SnapshotFile(in: cache.root, name: "film")) == "feedfs film 2")
    let old = try TemporaryDirectory.read(cache.root.appending("film.old"))
    #expect(old == Array("feedfs film 1".utf8))
  }

  @Test func aSnapshotOfALaterFeedfsIsNotWrittenOver() throws {
    try SnapshotFile(in: cache.root, name: "film").write(Array("feedfs film 3".utf8))
    let told = Mutex<[FilePath]>([])
    let disk = Disk.real.telling { format, path in
      told.withLock { $0.append(format == .newer ? path : "older") }
    }
    let snapshot = SnapshotFile(in: cache.root, name: "film", on: disk)
    #expect(try text(snapshot) == nil)
    #expect(try text(SnapshotFile(in: cache.root, name: "film", on: disk)) == nil)
    #expect(told.withLock { $0 } == [cache.root.appending("film")])
    try snapshot.write(Array("feedfs film 2".utf8))
    let kept = try TemporaryDirectory.read(cache.root.appending("film"))
    #expect(kept == Array("feedfs film 3".utf8))
    #expect(TemporaryDirectory.names(in: cache.root) == ["film"])
  }
}
