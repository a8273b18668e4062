import Testing

/// Comments are read once (CONTRIBUTING.md, "Style").
@Suite(.timeLimit(.minutes(1)))
struct LanguageTests {
  /// Words that make a reader look for the subject of the sentence.
  private static let openings: Set<Substring> = [
    "What", "Who", "Whoever", "Of", "Nobody", "Somebody", "He", "His",
  ]

  @Test(arguments: ["Sources", "Tests", "Benchmarks"])
  func aDocCommentBeginsWithItsSubject(folder: String) {
    for (path, text) in Repository.texts(below: folder, endingWith: ".swift") {
      for line in Self.openingLines(of: text) {
        let word = line.prefix { !$0.isWhitespace }
        #expect(!Self.openings.contains(word), "\(path): \(line)")
      }
    }
  }

  @Test func theFirstLineOfEachDocCommentIsLookedAt() {
    let text = "/// First.\n/// Second.\nlet a = 1\n  /// Third.\n  // Who\n\n/// What of it?"
    #expect(Self.openingLines(of: text) == ["First.", "Third.", "What of it?"])
  }

  /// Returns the first line of each doc comment, without its slashes.
  private static func openingLines(of text: String) -> [Substring] {
    var isOpen = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      let line = line.drop { $0 == " " }
      let isDoc = line.hasPrefix("///")
      defer { isOpen = isDoc }
      return isDoc && !isOpen ? line.dropFirst(3).drop { $0 == " " } : nil
    }
  }
}
