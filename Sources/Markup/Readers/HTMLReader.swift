/// Reads HTML as found on the web. Its tokens are tags and the text between them.
///
/// The reader only moves forward, even if elements are left open. So its time is linear in the
/// document's length.
package struct HTMLReader {
  package enum Token: Hashable {
    /// A start tag. Its name and the names of its attributes are in lower case, and the values are
    /// decoded.
    case start(String, [String: String])
    case end(String)
    /// A decoded text.
    case text(String)
  }

  /// The content of the script or style whose start tag was read last; empty if the last start tag
  /// was of another element. The content is not read as markup.
  package var rawContent: ArraySlice<UInt8> { bytes[raw] }

  private let bytes: [UInt8]
  private var tokens: MarkupTokenizer
  private var raw = 0..<0

  package init(_ utf8: [UInt8]) {
    bytes = utf8
    tokens = MarkupTokenizer(utf8)
  }

  /// Returns the next token; nil at the end.
  package mutating func next() -> Token? {
    while let token = tokens.next() {
      switch token {
      case .text(let range): return .text(decoded(range))
      case .tag(let tag): return take(tag)
      // In HTML, a comment that is never closed ends with the document.
      case .comment(_, isClosed: false), .declaration(_, isClosed: false): tokens.at = bytes.count
      case .comment, .declaration, .characterData, .less: break
      }
    }
    return nil
  }

  // MARK: Private

  private mutating func take(_ tag: MarkupTokenizer.Tag) -> Token {
    let name = lowercased(tag.name)
    if tag.isEnd { return .end(name) }
    if name == "script" || name == "style" { skip(to: name) } else { raw = 0..<0 }
    // If several attributes have the same name, the first one is taken.
    let attributes = Dictionary(
      tag.attributes.map { (lowercased($0.name), $0.value.map(decoded) ?? "") },
      uniquingKeysWith: { first, _ in first })
    return .start(name, attributes)
  }

  /// Skips to the end tag of an element. The content of such an element is no markup.
  private mutating func skip(to name: String) {
    let tag = Array("</\(name)".utf8)
    let start = tokens.at
    defer { raw = start..<tokens.at }
    while let less = bytes[tokens.at...].firstIndex(of: Byte.less) {
      tokens.at = less
      if bytes[less...].prefix(tag.count).map(Byte.lowercased) == tag { return }
      tokens.at += 1
    }
    tokens.at = bytes.count
  }

  private func lowercased(_ range: Range<Int>) -> String {
    String(decoding: bytes[range].map(Byte.lowercased), as: UTF8.self)
  }

  private func decoded(_ range: Range<Int>) -> String {
    PlainText.decode(String(decoding: bytes[range].prefix(XMLLimit.attribute), as: UTF8.self))
  }
}
