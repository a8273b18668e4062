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
    let shared = SharedText(in: directory.path, name: "text")
    try shared.change { _ in "a long text\nof two lines\n" }
    try shared.change { $0.hasPrefix("a long") ? "short\n" : nil }
    #expect(try text(of: shared) == "short\n")
  }

  @Test func aFullDiskDoesNotCostTheTextThatIsThere() throws {
    let disk = try #require(
      directory.mountSmallDisk("disk", bytes: 64 << 10), "this process may not mount")
    let shared = SharedText(in: disk, name: "text")
    let line = "line\n"
    try shared.change { _ in line }
    #expect(throws: StorageError.self) {
      try shared.change { $0 + String(repeating: "x", count: 128 << 10) }
    }
    #expect(try text(of: shared).hasPrefix(line))
  }
}
