import Testing

/// Every promise in the documents must have a test that holds it.
@Suite(.timeLimit(.minutes(1)))
struct ReferenceTests {
  @Test func eachRowNamesTestsThatAreThere() throws {
    let rows = Repository.text(of: "SECURITY.md").split(separator: "\n")
      .filter { $0.hasPrefix("|") }.dropFirst(2)
    #expect(rows.count > 25)
    for row in rows {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      #expect(cells.count == 6, "\(row)")
      let tests = (cells.dropLast().last ?? "").split(separator: "`").filter { $0.contains(".") }
      #expect(!tests.isEmpty, "\(row)")
      for test in tests {
        let name = test.split(separator: ".")
        let sources = Self.targets.map { Repository.text(of: "Tests/\($0)/\(name[0]).swift") }
        #expect(sources.contains { $0.contains("func \(name[1])(") }, "\(test)")
      }
    }
  }

  /// Finds `SuiteTests.theTest`, and further tests of the same suite as `.theTest`.
  @Test(arguments: documents + decisions)
  func whatADocumentNamesIsThere(document: String) throws {
    let words = Repository.text(of: "docs/\(document)").split(separator: "`")
    try #require(words.count > (Self.documents.contains(document) ? 10 : 2))
    var suite: Substring?
    for word in words where word.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." }) {
      let name = word.split(separator: ".", omittingEmptySubsequences: false)
      if name[0].hasSuffix("Tests") { suite = name[0] }
      guard let suite else { continue }
      let sources = Self.targets.map { Repository.text(of: "Tests/\($0)/\(suite).swift") }
      #expect(
        name[0].hasSuffix("Tests") ? sources.contains { !$0.isEmpty } || isTarget(suite) : true)
      guard name.count == 2, name[0].isEmpty || name[0] == suite,
        name[1].first?.isLowercase ?? false, name[1].contains(where: \.isUppercase)
      else { continue }
      #expect(sources.contains { $0.contains("func \(name[1])(") }, "\(suite).\(name[1])")
    }
  }

  @Test func theIndexNamesEachDecision() {
    #expect(Self.decisions.count > 15)
    let index = Repository.text(of: "docs/internals/decisions/README.md")
    for decision in Self.decisions {
      let name = decision.dropFirst("internals/decisions/".count)
      #expect(index.contains("](\(name)): "), "\(decision)")
      let lines = Repository.text(of: "docs/\(decision)").split(separator: "\n")
      for heading in ["# ", "## Decision", "## Why", "## How"] {
        #expect(lines.contains { $0.hasPrefix(heading) }, "\(decision): \(heading)")
      }
    }
  }

  @Test func theMapIsReadInAnAfternoon() {
    let lines = Repository.text(of: "docs/architecture.md").count { $0 == "\n" }
    #expect(lines > 100 && lines <= 250, "\(lines) lines")
  }

  private func isTarget(_ name: Substring) -> Bool {
    Self.targets.contains(String(name))
  }

  /// Documents below `docs`.
  private static let documents = [
    "internals/semantics.md", "reliability.md", "internals/performance.md", "architecture.md",
  ]

  /// All decisions; a new page is found automatically.
  private static let decisions = Repository.texts(
    below: "docs/internals/decisions", endingWith: ".md"
  ).keys
    .filter { $0 != "README.md" }.sorted().map { "internals/decisions/\($0)" }

  @Test func theChangelogBeginsWithTheVersionOfTheProgram() throws {
    let heading = try #require(
      Repository.text(of: "CHANGELOG.md").split(separator: "\n").first { $0.hasPrefix("## ") })
    let version = try #require(heading.dropFirst(3).split { $0 == "," || $0 == " " }.first)
    let product = Repository.text(of: "Sources/Host/Process/Product.swift")
    #expect(product.contains("version = \"\(version)\""), "\(heading)")
  }

  private static let targets = [
    "PromiseTests", "FeedReadingTests", "CatalogTests", "HTTPTests", "StorageTests",
    "SettingsTests", "CommandTests", "AddressesTests", "BlocksTests",
    "FuseTests", "PlaybackTests", "QuantitiesTests", "SimulationTests",
    "FillingTests", "StreamsTests", "StreamsTests/Cuts", "StreamsTests/Text",
    "StreamsTests/Manifests", "StreamsTests/Playlists", "StreamsTests/Transport",
    "TestOriginTests", "HouseTests",
  ]
}
