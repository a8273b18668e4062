import Testing

/// The messages on the page about troubles are those that the program prints.
@Suite(.timeLimit(.minutes(1)))
struct TroublePageTests {
  private static let page = Repository.text(of: "docs/troubleshooting.md")
  private static let sources = plain(
    Repository.texts(below: "Sources", endingWith: ".swift").sorted { $0.key < $1.key }
      .map(\.value).joined(separator: "\n"))
  /// Messages of the system, and not of feedfs.
  private static let others: Set<Substring> = [
    "Stale file handle", "Input/output error", "Transport endpoint is not connected",
  ]

  @Test func eachMessageOfThePageIsOneOfTheProgram() {
    let messages = Self.messages(in: Self.page).filter { !Self.others.contains($0) }
    #expect(messages.count > 50)
    for message in messages {
      for part in Self.parts(of: message) {
        // The text of all sources is not for a report.
        let isPrinted = Self.sources.contains(part)
        #expect(isPrinted, "`\(message)`: \"\(part)\"")
      }
    }
  }

  @Test func aMessageIsReadThroughInterpolationsAndBrokenLines() {
    let code = """
      let a = "\\(path) is full; free"
        + " some space"
      let b = finding("/dev/fuse", "is gone (\\(why(of: ["x"])))")
      """
    let text = Self.plain(code)
    #expect(text.contains(" is full; free some space") && text.contains("/dev/fuse is gone"))
    #expect(Self.parts(of: "… is full; free …, or not") == ["is full; free", ", or not"])
    #expect(
      Self.messages(in: "| you see | why |\n|---|---|\n| `a …`, or `b` | `c` |") == ["a …", "b"])
  }

  /// Returns the code in the first column of all tables.
  private static func messages(in page: String) -> [Substring] {
    page.split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { row in
      let cell =
        row.dropFirst(2).firstRange(of: " | ").map { row.dropFirst(2)[..<$0.lowerBound] } ?? ""
      return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map(\.element)
    }
  }

  /// Returns the words between the names and numbers that "…" stands for.
  private static func parts(of message: some StringProtocol) -> [Substring] {
    String(message).split(separator: "…").map { part in
      var part = part.drop { $0 == " " }
      while part.last == " " { part.removeLast() }
      return part
    }.filter { !$0.isEmpty }
  }

  /// Returns source code with neighbouring literals joined.
  private static func plain(_ code: String) -> String {
    code.replacing(/"\s*\+\s*"/, with: "").replacing(/",\s*"/, with: " ")
  }
}
