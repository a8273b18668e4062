import Blocks
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct HeaderFieldTests {
  @Test(arguments: [
    ("Authorization", "Bearer a.b-c=="), ("Cookie", "a=b; c=\"d\""), ("X-Key", "two words\ttab"),
    ("User-Agent", "mine"), ("!#$%&'*+-.^_`|~", "~"),
  ])
  func whatTheGrammarAllowsBecomesOneLine(name: String, value: String) throws {
    #expect(try HeaderField(name: name, value: value).line == "\(name): \(value)")
  }

  @Test(arguments: [
    ("X", "a\r\nEvil: 1"), ("X", "a\nEvil: 1"), ("X", "a\rb"), ("X", "a\0b"), ("X", "\u{1B}[2J"),
    ("X", "\u{202E}abc"), ("X", "ü"), ("X", ""), ("X", " a"), ("X", "a "), ("X", "a\u{7F}"),
    ("X", String(repeating: "a", count: 8193)), ("", "a"), ("X Y", "a"), ("X:", "a"),
    ("X\r\nEvil", "a"), ("X\0", "a"), ("Ü", "a"), (String(repeating: "X", count: 65), "a"),
  ])
  func whatCouldBeginAnotherLineIsRefused(name: String, value: String) {
    #expect(throws: HTTPError.self) { try HeaderField(name: name, value: value) }
  }

  @Test(arguments: [
    "Host", "HOST", "Range", "If-Range", "if-none-match", "Accept-Encoding", "Content-Length",
    "Transfer-Encoding", "Connection", "TE", "Upgrade", "Expect", "Trailer", "Proxy-Authorization",
  ])
  func whatFramesTheMessageIsNotTheUsersToSay(name: String) {
    #expect(throws: HTTPError.self) { try HeaderField(name: name, value: "a") }
  }

  @Test func noErrorTellsTheValue() throws {
    let error = try #require(throws: HTTPError.self) {
      try HeaderField(name: "X", value: "s3cret\n")
    }
    #expect(!error.description.contains("s3cret"))
  }

  // MARK: Validators in requests

  /// Validators come from origins, and from a catalog on the disk.
  @Test(arguments: ["\"a\"\r\nX: y", "\"a\nb\"", "\"a\0\"", "\"a\u{7F}\"", "\"\u{1B}\"", "\"ü\""])
  func noValidatorBeginsAnotherLine(text: String) {
    #expect(!EntityTag.isStrong(text))
    #expect(!HTTPDate.isValid("Fri, 01 May 2026 10:00:00 GMT\(text)"))
    let document = DocumentRequest(
      url: "http://e.org/", entityTag: text, lastModified: "Fri, 01 May 2026\(text)")
    #expect(document.fields.isEmpty)
    for validator in [Validator.entityTag(text), .lastModified("01 May 2026\(text)")] {
      let request = RangeRequest(
        url: "http://e.org/", range: .bytes(0..<1),
        expected: Representation(length: 9, validator: validator))
      #expect(request.fields == ["Accept-Encoding: identity", "Range: bytes=0-0"])
    }
  }
}
