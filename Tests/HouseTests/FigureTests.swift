import TestSupport
import Testing

/// The numbers of docs/internals/semantics.md are those that the tests hold.
@Suite(.timeLimit(.minutes(1)))
struct FigureTests {
  private static let document = SemanticsDocument()

  @Test(arguments: Figure.allCases)
  func aFigureStandsInARowThatNamesItsTest(figure: Figure) throws {
    #expect(figure.quantity != nil, "\(figure.rawValue): one number is wanted")
    let rows = Self.document.rows.filter { $0.text.contains(figure.rawValue) }
    try #require(rows.count == 1, "\"\(figure.rawValue)\" stands in \(rows.count) rows")
    let row = try #require(rows.first)
    #expect(row.text.ranges(of: figure.rawValue).count == 1)
    let users = Self.suites(with: figure)
    #expect(!users.isEmpty, "no test uses \(figure)")
    #expect(row.mayNameNoTest || !users.isDisjoint(with: row.suites), "\(figure): \(users)")
  }

  @Test(arguments: Figure.repeated.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  func aNumberThatStandsTwiceIsTheSame(text: String, figure: Figure) {
    #expect(WrittenNumber.all(in: text) == [figure.quantity])
    #expect(Self.document.rows.count { $0.text.contains(text) } == 1, "\(text)")
  }

  @Test func noNumberIsWithoutAFigure() {
    #expect(Self.document.rows.count > 60)
    for row in Self.document.rows {
      let left = row.rest(without: Figure.allCases.map(\.rawValue) + Figure.repeated.keys)
      #expect(WrittenNumber.all(in: left).isEmpty, "\(left)")
      #expect(!left.contains(/\b(an?|half an?) (second(?! ask)|minute|hour)\b/), "\(left)")
    }
  }

  @Test(
    arguments: [
      ("within 100 ms, or 4 KiB", [(100, .milliseconds), (4, .kibibytes)]),
      ("10,000 seeds; 0.5 s.", [(10_000, nil), (0.5, .seconds)]),
      ("an eighth of M3U, I1 and 5xx", [(0.125, nil)]), ("T−1: 2,", [(1, nil), (2, nil)]),
    ] as [(String, [(Double, WrittenNumber.Unit?)])])
  func aNumberIsReadAsItIsWritten(text: String, numbers: [(Double, WrittenNumber.Unit?)]) {
    #expect(
      WrittenNumber.all(in: text) == numbers.map { WrittenNumber(number: $0.0, unit: $0.1) })
  }

  /// The suites whose files have the figure.
  private static func suites(with figure: Figure) -> Set<String> {
    Set(
      tests.filter { _, text in
        text.ranges(of: "Figure.\(figure)").contains { range in
          text[range.upperBound...].first.map { !$0.isLetter && !$0.isNumber } ?? true
        }
      }.map { path, _ in
        path.split(separator: "/").last.map { String($0.dropLast(".swift".count)) } ?? path
      })
  }

  private static let tests = Repository.texts(below: "Tests", endingWith: "Tests.swift")
}

/// The rows of the tables of docs/internals/semantics.md, and the items of its lists.
private struct SemanticsDocument {
  struct Row {
    let text: String
    /// True for an item about what is not promised.
    let mayNameNoTest: Bool

    /// The suites that the row names.
    var suites: Set<String> {
      Set(
        text.split(separator: "`").compactMap { word in
          let name = word.prefix { $0.isLetter || $0.isNumber }
          return name.hasSuffix("Tests") ? String(name) : nil
        })
    }

    /// The text without `figures`, code, and numbers that promise nothing.
    func rest(without figures: [String]) -> String {
      figures.reduce(text) { $0.replacing($1, with: " ") }
        .replacing(/`[^`]*`/, with: " ").replacing(SemanticsDocument.statuses, with: " ")
        .replacing(SemanticsDocument.others, with: " ")
    }
  }

  let rows: [Row]

  init() {
    var items: [(lines: [Substring], section: Substring)] = []
    var section: Substring = ""
    let lines = Repository.text(of: "docs/internals/semantics.md").split(
      separator: "\n", omittingEmptySubsequences: false)
    for line in lines {
      if line.hasPrefix("#") { section = line }
      if line.hasPrefix("  "), !items.isEmpty {
        items[items.count - 1].lines.append(line.drop { $0 == " " })
      } else if !line.isEmpty, !line.hasPrefix("#") {
        items.append(([line], section))
      }
    }
    rows = items.map { item in
      Row(
        text: item.lines.joined(separator: " "),
        mayNameNoTest: item.section == "## Not kept or not tested yet")
    }
  }

  private static var statuses: Regex<Substring> {
    /\b[2-5]\d\d\b(?! (?:bytes|KiB|MiB|ms|s|min|h)\b)/
  }

  /// Numbers that promise nothing: versions, an exit code, a formula, plain counts.
  private static var others: Regex<Substring> {
    /TLS is 1\.2|Linux 6\.9|HTTP\/2|T−1|\(73\)|0 blocks|two versions|of the two|media are two/
  }
}
