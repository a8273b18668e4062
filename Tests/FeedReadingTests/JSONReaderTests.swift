import Testing

@testable import FeedReading
@testable import Markup

@Suite(.timeLimit(.minutes(1)))
struct JSONReaderTests {
  private func read(_ text: String) -> (value: JSONValue, reader: JSONReader) {
    var reader = JSONReader(Array(text.utf8))
    let value = reader.document()
    return (value, reader)
  }

  @Test(arguments: [
    (#""a\"b\\\/\u00e9\n""#, "a\"b\\/é"), (#""\ud83d\ude00""#, "😀"),
    ("12345678901234567890", "12345678901234567890"), ("7.0", "7"), ("7e1", "70"), ("0.5", "0.5"),
    ("-3", "-3"),
  ])
  func textIsWhatWasWritten(text: String, expected: String) {
    let (value, reader) = read(text)
    #expect(value.text == expected && !reader.isDamaged)
  }

  /// The first or the second half of a character that was cut in two.
  @Test(arguments: [#""a\ud83d""#, #""a\ude00""#, #""a\ud83d\ud83d""#, #""a\uzzzz""#])
  func halfACharacterDoesNotCostTheText(text: String) throws {
    #expect(try #require(read(text).value.text).hasPrefix("a\u{FFFD}"))
  }

  @Test func membersKeepTheirOrderAndTheLastOfAKeyCounts() {
    let value = read(#"{"b": 1, "a": true, "b": [null, false]}"#).value
    #expect(value.object?.members.map(\.key) == ["b", "a", "b"])
    #expect(value["b"]?.array?.count == 2 && value["a"]?.isTrue == true)
  }

  /// Each text is a form of `{"a": ["x"], "b": "y"}`, damaged by its publisher or a broken
  /// connection.
  @Test(arguments: [
    #"{"a": ["x"], "b": "y""#, #"{"a": ["x"], "b": "y", "c": "z"#,
    #"{"a": ["x"], "b": "y", "c": tr"#,
    #"{"a": ["x"], "b": "y", "c": 12"#, #"{"a": ["x"} "b": "y"}"#,
    #"{"a": ["x"], c: "d", "b": "y"}"#, #"{"a": ["x"], "c": NaN, "d": -Infinity, "b": "y"}"#,
    #"{"a": ["x" "#, #"{"a": ["x"], "b": "y"}<script>"#, #"{"a": ["x", :], "b" "y", "b": "y"}"#,
  ])
  func whatIsWholeOfADamagedDocumentIsRead(text: String) {
    let (value, reader) = read(text)
    #expect(reader.isDamaged)
    #expect(value["a"]?.array?.first?.text == "x")
    #expect(value["b"]?.text ?? "y" == "y")
    #expect(value["c"]?.text == nil)
  }

  @Test(arguments: ["[1, 2, ]", "[1 2]", "[,1,,2]"]) func aCommaDoesNoHarm(text: String) {
    let (value, reader) = read(text)
    #expect(value.array?.map(\.text) == ["1", "2"] && !reader.isDamaged)
  }

  @Test func onlyWhatLiesTooDeepIsLeftOut() {
    let deep =
      String(repeating: "[", count: 10_000) + "\"]\"" + String(repeating: "]", count: 10_000)
    let (value, reader) = read(#"{"a": \#(deep), "b": "y"}"#)
    #expect(reader.isTooDeep && !reader.isDamaged && value["b"]?.text == "y")
    let (within, shallow) = read(
      String(repeating: "[", count: 256) + String(repeating: "]", count: 256))
    #expect(within.array != nil && !shallow.isTooDeep)
  }

  @Test func thereAreNoMoreValuesThanAreKept() {
    var reader = JSONReader(Array("[1, 2, 3, 4]".utf8), maxValues: 3)
    let value = reader.document()
    #expect(reader.isCut && !reader.isDamaged && value.array?.map(\.text) == ["1", "2"])
  }

  @Test(arguments: ["[", "{\"a\":", "\"\\", "{", "]", ":", ",", "{\"", "\\u", "[{", "-", "}"])
  func anyPieceIsReadInLinearTime(piece: String) {
    _ = read("[" + String(repeating: piece, count: 100_000))
  }
}
