import FoundationEssentials
import Testing

@testable import FeedReading
@testable import Markup

@Suite(.timeLimit(.minutes(1)))
struct PrintableTextTests {
  /// Characters that steer terminals, or reverse, break and hide text.
  static let steering: [Unicode.Scalar] =
    [
      "\u{7}", "\u{8}", "\r", "\u{1B}", "\u{7F}", "\u{85}", "\u{90}", "\u{9B}", "\u{9D}", "\u{61C}",
      "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}",
      "\u{2069}", "\u{FEFF}", "\u{FFF9}",
    ]

  @Test(arguments: steering) func nothingThatSteersIsPrinted(scalar: Unicode.Scalar) {
    let text = "a\(scalar)b\nc"
    #expect(!PrintableText.line(text).unicodeScalars.contains(scalar))
    #expect(!PrintableText.lines(text).unicodeScalars.contains(scalar))
    #expect(PrintableText.lines("a\(scalar)\nc") == "a\nc")
    #expect(!PrintableText.line(text).contains("\n"))
  }

  @Test(arguments: steering) func inJSONItIsEscapedAndTheValueStays(scalar: Unicode.Scalar) throws {
    let values = ["title": "a\(scalar)\n\"b\" \\u0041"]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .prettyPrinted
    let json = PrintableText.json(String(decoding: try encoder.encode(values), as: UTF8.self))
    #expect(!json.unicodeScalars.contains(scalar))
    #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == values)
  }

  @Test(arguments: ["Ünïcödé", "日本語", "👩‍👩‍👧", "עברית", "a‌b"])
  func whatIsOnlyTextStays(text: String) {
    #expect(PrintableText.line(text) == text && PrintableText.lines(text) == text)
    #expect(PrintableText.json(text) == text)
  }
}
