import Synchronization
import SystemPackage
import Testing

@testable import Storage

/// A small text that several processes change.
@Suite(.timeLimit(.minutes(1)))
struct SharedTextTests {
  private let directory = TemporaryDirectory()

  private func text(of shared: SharedText) throws -> String {
    var found = ""
    try shared.change {
      found = $0
      return nil
    }
    return found
  }

  @Test func aShorterTextLeavesNothingOfTheLongerOne() throws {
    let shared = SharedText(in: directory.path, name: "text", format: 1)
    try shared.change { _ in "a long text\nof two lines\n" }
    try shared.change { $0.hasPrefix("a long") ? "short\n" : nil }
    #expect(try text(of: shared) == "short\n")
  }

  @Test func aTextOfAnOlderFormatIsSetAside() throws {
    let path = directory.path.appending("text")
    try TemporaryDirectory.write(Array("feedfs text 1\nold\n".utf8), to: path)
    let shared = SharedText(in: directory.path, name: "text", format: 2)
    #expect(try text(of: shared) == "")
    try shared.change { _ in "feedfs text 2\nnew\n" }
    #expect(try text(of: shared) == "feedfs text 2\nnew\n")
    let old = try TemporaryDirectory.read(directory.path.appending("text.old"))
    #expect(old == Array("feedfs text 1\nold\n".utf8))
  }

  @Test func aTextOfALaterFeedfsStaysAsItIs() throws {
    let path = directory.path.appending("text")
    let later = Array("feedfs text 3\nlater\n".utf8)
    try TemporaryDirectory.write(later, to: path)
    let told = Mutex<[FilePath]>([])
    let disk = Disk.real.telling { format, path in
      told.withLock { $0.append(format == .newer ? path : "older") }
    }
    let shared = SharedText(in: directory.path, name: "text", format: 2, on: disk)
    for _ in 0..<2 {
      #expect(throws: StorageError.newer(path)) { try shared.change { _ in "mine" } }
    }
    #expect(told.withLock { $0 } == [path])
    #expect(try TemporaryDirectory.read(path) == later)
    #expect(TemporaryDirectory.names(in: directory.path) == ["text"])
  }

  @Test func aFullDiskDoesNotCostTheTextThatIsThere() throws {
    let disk = try #require(
      directory.mountSmallDisk("disk", bytes: 64 << 10), "this process may not mount")
    let shared = SharedText(in: disk, name: "text", format: 1)
    let line = "line\n"
    try shared.change { _ in line }
    #expect(throws: StorageError.self) {
      try shared.change { $0 + String(repeating: "x", count: 128 << 10) }
    }
    #expect(try text(of: shared).hasPrefix(line))
  }
}
