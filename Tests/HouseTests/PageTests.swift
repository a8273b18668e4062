import Testing

/// The pages of this repository: their links lead somewhere, and decisions say whether they hold.
@Suite(.timeLimit(.minutes(1)))
struct PageTests {
  /// The pages, by their paths.
  private static let pages: [String: String] = {
    var pages = [String: String]()
    for path in ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"] {
      pages[path] = Repository.text(of: path)
    }
    for folder in ["docs", "examples", "Tests"] {
      for (path, text) in Repository.texts(below: folder, endingWith: ".md")
      // The tests may bring programs from elsewhere, with pages of their own.
      where !path.contains("venv/") {
        pages["\(folder)/\(path)"] = text
      }
    }
    return pages
  }()

  @Test func eachLinkLeadsToAFileAndAHeading() {
    #expect(Self.pages.count > 55)
    for (path, text) in Self.pages {
      #expect(!text.isEmpty, "\(path)")
      for link in Self.links(in: text) {
        let (file, heading) = Self.target(of: link, on: path)
        if let page = Self.pages[file] {
          #expect(heading.isEmpty || Self.headings(of: page).contains(heading), "\(path): \(link)")
        } else {
          #expect(Repository.holds(file), "\(path): \(link)")
        }
      }
    }
  }

  @Test func theIndexLeadsToEachPage() {
    let index = Self.pages["docs/README.md"] ?? ""
    let named = Set(Self.links(in: index).map { Self.target(of: $0, on: "docs/README.md").file })
    for path in Self.pages.keys.filter({ $0.hasPrefix("docs/") }) {
      let isDecision = path.hasPrefix("docs/internals/decisions/") && !path.hasSuffix("README.md")
      #expect(isDecision || path == "docs/README.md" || named.contains(path), "\(path)")
    }
  }

  /// The line below the heading: "2026-11-20, in force", or "…, superseded by [name](name.md)".
  @Test func eachDecisionHasADateAndAStatus() {
    let decisions = Self.pages.filter { path, _ in
      path.hasPrefix("docs/internals/decisions/") && !path.hasSuffix("README.md")
    }
    #expect(decisions.count > 15)
    for (path, text) in decisions {
      let line = text.split(separator: "\n").dropFirst().first ?? ""
      let isDated = line.wholeMatch(
        of: /\d{4}-\d\d-\d\d, (in force|superseded by \[[^\]]+\]\([^)]+\))/)
      #expect(isDated != nil, "\(path): \(line)")
    }
  }

  @Test func theFrontPageIsReadAtOnce() {
    let lines = (Self.pages["README.md"] ?? "").count { $0 == "\n" }
    #expect(lines > 50 && lines <= 130, "\(lines) lines")
  }

  @Test func aLinkIsTakenApart() {
    let text = "[a](b.md#c) and `[x](y)`\n```\n[no](no)\n```\n[w](https://a.example/) [d](#e)"
    #expect(Self.links(in: text) == ["b.md#c", "#e"])
    #expect(Self.target(of: "../b.md#c", on: "docs/in/a.md") == ("docs/b.md", "c"))
    #expect(Self.target(of: "#e", on: "docs/a.md") == ("docs/a.md", "e"))
    #expect(
      Self.headings(of: "# `play`, and more\n## Is it so?\n```\n# no\n```") == [
        "play-and-more", "is-it-so",
      ])
  }

  // MARK: Private

  /// Returns the targets of all links to files and headings of this repository.
  private static func links(in text: String) -> [Substring] {
    lines(of: text).flatMap { line in
      line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map { Substring($0.1) }
    }.filter { !$0.contains(":") }
  }

  /// Returns the path below the repository, and the heading, to which a link on a page leads.
  private static func target(of link: Substring, on page: String) -> (file: String, heading: String)
  {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let heading = parts.count > 1 ? String(parts[1]) : ""
    guard let file = parts.first, !file.isEmpty else { return (page, heading) }
    var folders = page.split(separator: "/").dropLast()
    for name in file.split(separator: "/") where name != "." {
      if name == ".." { _ = folders.popLast() } else { folders.append(name) }
    }
    return (folders.joined(separator: "/"), heading)
  }

  /// Returns the names by which links reach the headings of a page.
  private static func headings(of page: String) -> Set<String> {
    Set(
      lines(of: page).filter { $0.hasPrefix("#") }.map { line in
        let words = line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
        return String(
          words.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            .map { $0 == " " ? "-" : $0 })
      })
  }

  /// Returns the lines of a page outside blocks of code.
  private static func lines(of text: String) -> [Substring] {
    var isCode = false
    return text.split(separator: "\n").filter { line in
      let isFence = line.hasPrefix("```")
      if isFence { isCode.toggle() }
      return !isFence && !isCode
    }
  }
}
