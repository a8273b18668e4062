import Markup
import Testing

@Suite(.timeLimit(.minutes(1)))
struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("=", ""), ("T25l", "One"), ("\n T25lICYg\n\tdHdv\r\n", "One & two"), ("T24=", "On"),
    ("TQ==", "M"), ("w6k=", "é"), ("/+8=", "\u{FFFD}\u{FFFD}"),
  ])
  func aTextIsDecodedWhateverItsLines(encoded: String, text: String) {
    #expect(Base64.text(encoded) == text)
  }

  @Test(arguments: [
    ("T24", "On"), ("TQ", "M"), ("TR", "M"), ("T", ""), ("T25lI", "One"), ("T2=5l", "One"),
    ("T25l====", "One"),
  ])
  func aTextWithoutItsEndOrItsPaddingIsDecodedToo(encoded: String, text: String) {
    #expect(Base64.text(encoded) == text)
  }

  @Test(arguments: ["no base64!", "T25l-", "T25_", "é", "T25l\u{0}"])
  func whatIsNoBase64IsNoText(encoded: String) {
    #expect(Base64.text(encoded) == nil)
  }
}
