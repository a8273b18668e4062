import Testing

/// Nothing that a program does hangs on the words of a message: these may change at any time.
@Suite(.timeLimit(.minutes(1)))
struct MessageTests {
  /// Names of texts for the user.
  private static let messages: Set = [
    "blame", "complaint", "explanation", "lastError", "message", "problem", "reason", "remark",
    "trouble", "what", "why",
  ]
  /// Names that are of such texts behind a dot. By themselves they are of any.
  private static let members: Set = ["description", "words"]
  private static let searches: Set = [
    "contains", "hasPrefix", "hasSuffix", "starts", "range", "ranges", "firstRange", "firstMatch",
    "wholeMatch", "prefixMatch", "firstIndex", "caseInsensitiveCompare", "compare",
  ]

  @Test func noMessageIsComparedOrSearched() {
    let texts = Repository.texts(below: "Sources", endingWith: ".swift")
    #expect(texts.count > 700)
    for (path, text) in texts {
      for use in Self.uses(in: text) { Issue.record("\(path): \(use)") }
    }
  }

  @Test(
    arguments: [
      ("what.contains(\"HLS\") || a.why?.hasPrefix(b) ?? c", ["what.contains", "why.hasPrefix"]),
      ("error.description.contains(d)", ["description.contains"]),
      ("guard reason == Page.live, Page.live != told.reason", ["reason ==", "!= reason"]),
      ("case .a(let silence) where silence.words.hasSuffix(\"b\"):", ["words.hasSuffix"]),
      ("end == .b(reason: \"c\") || .b(reason: d) != end", ["== (reason:"]),
      ("reason == nil || nil != why || a.reason == .stopped || b == why.count", []),
      ("words.contains(a) && Set(words) == b && what != \"c\"", ["what !="]),
      ("func what() -> A { b.description == c.description }", []),
    ])
  func aUseIsFound(code: String, uses: [String]) {
    #expect(Self.uses(in: code) == uses)
  }

  /// Returns comparisons with messages but with nil and cases, and searches in messages.
  private static func uses(in text: String) -> [String] {
    let tokens = SwiftTokens(in: text).tokens.filter { $0 != .lineEnd }
    return tokens.indices.compactMap { place in
      guard case .word(let name) = tokens[place] else { return nil }
      let isMember = place > 0 && tokens[place - 1] == .sign(".")
      let isMessage = messages.contains(name)
      if isMessage, tokens[..<place].last == .sign("("),
        let sign = comparison(beforeCase: tokens[..<place])
      {
        return "\(sign) (\(name):"
      }
      guard isMessage || isMember && members.contains(name) else { return nil }
      let rest = tokens[(place + 1)...].drop { $0 == .sign("?") }
      if rest.first == .sign("."), case .word(let search)? = rest.dropFirst().first {
        return searches.contains(search) ? "\(name).\(search)" : nil
      }
      guard name != "description", rest.first != .sign("(") else { return nil }
      if let sign = comparison(rest.prefix(2)) {
        let other = rest.dropFirst(2).first
        return other == .word("nil") || other == .sign(".") ? nil : "\(name) \(sign)"
      }
      var start = place
      while start > 1, tokens[start - 1] == .sign(".") {
        start -= tokens[start - 2] == .sign("?") ? 3 : 2
      }
      let before = tokens[..<start].suffix(3)
      guard let sign = comparison(before.suffix(2)), before.first != .word("nil") else {
        return nil
      }
      return "\(sign) \(name)"
    }
  }

  private static func comparison(_ tokens: ArraySlice<SwiftTokens.Token>) -> String? {
    switch Array(tokens) {
    case [.sign("="), .sign("=")]: "=="
    case [.sign("!"), .sign("=")]: "!="
    default: nil
    }
  }

  /// Returns the sign in front of `.name(`, with which `tokens` end.
  private static func comparison(beforeCase tokens: ArraySlice<SwiftTokens.Token>) -> String? {
    guard tokens.dropLast(2).last == .sign(".") else { return nil }
    return comparison(tokens.dropLast(3).suffix(2))
  }
}
