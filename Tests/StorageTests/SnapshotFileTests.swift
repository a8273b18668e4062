import Glibc
import Storage
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(1))) struct SnapshotFileTests {
  private let temporary = TemporaryDirectory()

  private var folder: FilePath {
    temporary.path.appending("state")
  }

  private var snapshot: SnapshotFile {
    SnapshotFile(in: folder, name: "catalog")
  }

  private struct Refused: Error {}

  private func text(_ snapshot: SnapshotFile) throws -> String? {
    try snapshot.read { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard text.hasSuffix(".") else { throw Refused() }
      return text
    }
  }

  private func write(_ text: String, _ snapshot: SnapshotFile) throws {
    try snapshot.write(Array(text.utf8))
  }

  @Test func theNewestIsReadAndTheOneBeforeKept() throws {
    #expect(try text(snapshot) == nil)
    for version in ["one.", "two.", "three."] {
      try write(version, snapshot)
      #expect(try text(snapshot) == version)
    }
    #expect(TemporaryDirectory.names(in: folder) == ["catalog", "catalog.1"])
    #expect(try TemporaryDirectory.read(folder.appending("catalog.1")) == Array("two.".utf8))
    #expect(TemporaryDirectory.status(folder).st_mode & 0o7777 == 0o700)
    #expect(TemporaryDirectory.status(folder.appending("catalog")).st_mode & 0o7777 == 0o600)
  }

  @Test func aDamagedOneFallsBackToTheOneBefore() throws {
    try write("one.", snapshot)
    try write("two.", snapshot)
    try TemporaryDirectory.write(Array("tw".utf8), to: folder.appending("catalog"))
    #expect(try text(snapshot) == "one.")
    unlink(folder.appending("catalog").string)
    #expect(try text(snapshot) == "one.")
    try TemporaryDirectory.write([], to: folder.appending("catalog.1"))
    #expect(try text(snapshot) == nil)
  }

  @Test func aDamagedOneDoesNotPushOutTheOneBefore() throws {
    let snapshot = snapshot
    try write("one.", snapshot)
    try write("two.", snapshot)
    try TemporaryDirectory.write(Array("tw".utf8), to: folder.appending("catalog"))
    #expect(try text(snapshot) == "one.")
    try write("three.", snapshot)
    #expect(try TemporaryDirectory.read(folder.appending("catalog.1")) == Array("one.".utf8))
    try write("four.", snapshot)
    #expect(try TemporaryDirectory.read(folder.appending("catalog.1")) == Array("three.".utf8))
  }

  @Test func aStopBetweenTheTwoRenamesLosesNothing() throws {
    try write("one.", snapshot)
    rename(folder.appending("catalog").string, folder.appending("catalog.1").string)
    #expect(try text(snapshot) == "one.")
    try write("two.", snapshot)
    #expect(try text(snapshot) == "two.")
    #expect(try TemporaryDirectory.read(folder.appending("catalog.1")) == Array("one.".utf8))
  }

  @Test func whatAKilledWriterLeftIsRemovedAndNothingElse() throws {
    try write("one.", snapshot)
    for name in ["catalog.7-1.new", "catalog.txt", "other.7-1.new", "catalogs.new"] {
      try TemporaryDirectory.write([1], to: folder.appending(name))
    }
    try write("two.", snapshot)
    #expect(
      TemporaryDirectory.names(in: folder)
        == ["catalog", "catalog.1", "catalog.txt", "catalogs.new", "other.7-1.new"])
  }

  @Test func linksAreNeitherReadNorWrittenThrough() throws {
    try write("one.", snapshot)
    let victim = temporary.path.appending("victim")
    try TemporaryDirectory.write(Array("mine.".utf8), to: victim)
    unlink(folder.appending("catalog").string)
    symlink(victim.string, folder.appending("catalog").string)
    #expect(try text(snapshot) == nil)
    try write("two.", snapshot)
    #expect(try text(snapshot) == "two.")
    #expect(try TemporaryDirectory.read(victim) == Array("mine.".utf8))
  }

  @Test func aFolderThatOthersMayWriteIsRefused() throws {
    mkdir(folder.string, 0o700)
    chmod(folder.string, 0o777)
    #expect(throws: StorageError.notOurs(folder, .writableByOthers)) { try write("one.", snapshot) }
    #expect(throws: StorageError.notOurs(folder, .writableByOthers)) { try text(snapshot) }
  }

  @Test func aFullDiskLeavesTheNewestAsItWas() throws {
    guard let disk = temporary.mountSmallDisk("disk", bytes: 64 << 10) else {
      return print("skipped: a small disk can only be mounted by root")
    }
    let snapshot = SnapshotFile(in: disk, name: "catalog")
    try write("one.", snapshot)
    #expect(throws: StorageError.noSpace(disk.appending("catalog"))) {
      try snapshot.write([UInt8](repeating: 1, count: 128 << 10))
    }
    #expect(try text(snapshot) == "one.")
    #expect(TemporaryDirectory.names(in: disk) == ["catalog"])
  }
}
