import Markup

extension HTMLParser {
  /// The elements that can come first in a page. Some servers' listings begin directly with their
  /// content.
  private static let openings: Set<String> = [
    "html", "head", "title", "body", "meta", "link", "script", "style", "h1", "pre", "ul", "ol",
    "table", "p", "div", "center", "hr",
  ]

  /// Whether a document is HTML, by its first tag.
  static func recognizes(_ utf8: [UInt8]) -> Bool {
    var reader = HTMLReader(utf8)
    while let token = reader.next() {
      switch token {
      case .text(let text) where text.trimmed.isEmpty: continue
      case .start(let name, _): return openings.contains(name)
      case .text, .end: return false
      }
    }
    return false
  }

  /// Whether the document contains the start tag of a feed.
  static func holdsFeed(_ utf8: [UInt8]) -> Bool {
    var rest = utf8[...]
    while let less = rest.firstIndex(of: Byte.less) {
      rest = rest[(less + 1)...]
      if roots.contains(where: { isTag($0, at: rest) }) { return true }
    }
    return false
  }

  /// Returns the part of a page from the first start tag of a feed to the last end tag of the same
  /// name. Without such an end tag, the part goes to the end of the page.
  static func partWithFeed(of utf8: [UInt8]) -> [UInt8] {
    var (start, root): (Int?, [UInt8]) = (nil, [])
    for place in utf8.indices where utf8[place] == Byte.less {
      guard let name = roots.first(where: { isTag($0, at: utf8[(place + 1)...]) }) else { continue }
      (start, root) = (place, name)
      break
    }
    guard let start else { return utf8 }
    let end = utf8.indices.last { place in
      utf8[place] == Byte.less && place + 1 < utf8.count && utf8[place + 1] == Byte.slash
        && isTag(root, at: utf8[(place + 2)...])
    }
    guard let end, end > start, let close = utf8[end...].firstIndex(of: Byte.greater) else {
      return Array(utf8[start...])
    }
    return Array(utf8[start...close])
  }

  private static let roots = ["rss", "feed", "rdf:rdf"].map { Array($0.utf8) }

  private static func isTag(_ name: [UInt8], at rest: ArraySlice<UInt8>) -> Bool {
    guard let end = rest.dropFirst(name.count).first, Byte.isSpace(end) || end == Byte.greater
    else { return false }
    return rest.prefix(name.count).map(Byte.lowercased) == name
  }
}
