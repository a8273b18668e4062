import Testing

/// A link of a document leads to something.
@Suite(.timeLimit(.minutes(1)))
struct LinkTests {
  private struct Link: Equatable {
    /// The path from the root of the checkout; empty for the document itself.
    let path: String
    /// The part behind `#`; nil if there is none.
    let anchor: String?
  }

  private static let documents: [String: String] = {
    var texts = Repository.texts(below: "docs", endingWith: ".md")
    texts = Dictionary(uniqueKeysWithValues: texts.map { ("docs/\($0)", $1) })
    for name in ["CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"] {
      texts[name] = Repository.text(of: name)
    }
    return texts
  }()

  @Test func eachLinkLeadsSomewhere() {
    #expect(Self.documents.count > 40)
    var count = 0
    for (document, text) in Self.documents {
      for link in Self.links(of: text, in: document) {
        count += 1
        let target = link.path.isEmpty ? document : link.path
        #expect(Repository.has(target), "\(document): \(target)")
        guard let anchor = link.anchor, let text = Self.documents[target] else { continue }
        #expect(Self.anchors(of: text).contains(anchor), "\(document): \(target)#\(anchor)")
      }
    }
    #expect(count > 100)
  }

  @Test func aLinkIsResolvedAgainstItsDocument() {
    let text =
      "[a](b.md), [c](../d.md#e-f) [g](#h) [i](https://j.org/k) `[l](m.md)`\n"
      + "```\n[n](o.md)\n```"
    #expect(
      Self.links(of: text, in: "docs/x/y.md")
        == [
          Link(path: "docs/x/b.md", anchor: nil), Link(path: "docs/d.md", anchor: "e-f"),
          Link(path: "", anchor: "h"),
        ])
  }

  @Test func anAnchorIsMadeOfAHeading() {
    let text = "# One, `two` and [three](x.md)!\n## A-b c_d\ntext\n```\n# none\n```\n## A-b c_d"
    #expect(Self.anchors(of: text) == ["one-two-and-three", "a-b-c_d", "a-b-c_d-1"])
  }

  private static func links(of text: String, in document: String) -> [Link] {
    prose(of: text).replacing(/`[^`\n]*`/, with: "").matches(of: /\]\(([^()\s]+)\)/).compactMap {
      let parts = $0.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      guard !$0.1.contains("://"), !$0.1.hasPrefix("mailto:") else { return nil }
      let anchor = parts.count > 1 ? String(parts[1]) : nil
      guard !parts[0].isEmpty else { return Link(path: "", anchor: anchor) }
      var path = document.split(separator: "/").dropLast()
      for step in parts[0].split(separator: "/") where step != "." {
        if step == ".." { path = path.dropLast() } else { path.append(step) }
      }
      return Link(path: path.joined(separator: "/"), anchor: anchor)
    }
  }

  /// Returns the anchors that GitHub gives to the headings.
  private static func anchors(of text: String) -> Set<String> {
    var counts: [String: Int] = [:]
    return Set(
      prose(of: text).split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
        let title = line.drop { $0 == "#" }.dropFirst().replacing(/\]\([^)]*\)/, with: "]")
        let kept = title.lowercased().filter {
          $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
        }
        let anchor = String(kept.map { $0 == " " ? "-" : $0 })
        let count = counts[anchor, default: 0]
        counts[anchor] = count + 1
        return count == 0 ? anchor : "\(anchor)-\(count)"
      })
  }

  /// Returns the text without blocks of code.
  private static func prose(of text: String) -> String {
    text.replacing(/(?m)^ *```[\s\S]*?^ *```/, with: "")
  }
}
