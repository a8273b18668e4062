import SystemPackage
import Testing

@testable import Storage

/// Small files have one way to be read, written, and left alone.
@Suite(.timeLimit(.minutes(1))) final class SavedValueTests {
  private struct Value: Codable, Equatable {
    var schema = 2
    var names: [String] = []
  }

  private let directory = TemporaryDirectory()

  private func file<Value>(_ format: StateFormat<Value>) -> SavedValue<Value> {
    SavedValue(in: directory.path, name: "state", as: format)
  }

  private func put(_ text: String) throws {
    try SnapshotFile(in: directory.path, name: "state").write(Array(text.utf8))
  }

  private func text() throws -> String? {
    try SnapshotFile(in: directory.path, name: "state").read { String(decoding: $0, as: UTF8.self) }
  }

  private static let rows = StateFormat<[String]>.rows(
    "words", 2, maxBytes: 1 << 10, read: { $0.map { $0.joined(separator: "+") } }, write: { $0 })

  @Test func whatIsWrittenIsReadAgain() throws {
    #expect(file(.json(2) as StateFormat<Value>).read() == nil)
    #expect(file(.json(2)).write(Value(names: ["a"])))
    #expect(file(.json(2)).read() == Value(names: ["a"]))
    #expect(file(.text).write("one\ntwo"))
    #expect(try file(.text).read() == "one\ntwo" && text() == "one\ntwo")
    #expect(file(Self.rows).write(["a b", "c"]))
    #expect(try text() == "feedfs words 2\na b\nc\n")
    #expect(file(Self.rows).read() == ["a+b", "c"])
  }

  @Test(arguments: ["", "{", "[]", "{\"names\":[]}", "{\"schema\":2}", "{\"schema\":\"2\"}"])
  func theOneBeforeADamagedDocumentIsRead(damaged: String) throws {
    #expect(file(.json(2)).write(Value(names: ["before"])))
    try put(damaged)
    #expect(file(.json(2)).read() == Value(names: ["before"]))
  }

  @Test(arguments: ["", "feedfs words", "feedfs lines 2\na\n", "a b\n"])
  func theRowsBeforeDamagedOnesAreRead(damaged: String) throws {
    #expect(file(Self.rows).write(["before"]))
    try put(damaged)
    #expect(file(Self.rows).read() == ["before"])
  }

  @Test func aFileOfALaterFeedfsStays() throws {
    try put("feedfs words 3\nlater\n")
    let rows = file(Self.rows)
    #expect(rows.read() == nil)
    rows.write(["mine"])
    #expect(try text() == "feedfs words 3\nlater\n")

    try put("{\"schema\":3}")
    let document: SavedValue<Value> = file(.json(2))
    #expect(document.read() == nil)
    document.write(Value())
    #expect(try text() == "{\"schema\":3}")
  }

  @Test func aFileOfAnOlderFeedfsIsSetAside() throws {
    try put("feedfs words 1\nolder\n")
    let rows = file(Self.rows)
    #expect(rows.read() == nil)
    #expect(rows.write(["mine"]) && rows.read() == ["mine"])
    #expect(OldFile.all(in: directory.path).map(\.name) == ["state.old"])
  }
}
