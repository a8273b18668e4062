/// Turns the texts of feeds into plain text for people.
package enum PlainText {
  /// The HTML elements that begin a new line, and thus separate words.
  static let blockElements: Set<String> = [
    "p", "br", "div", "li", "ul", "ol", "tr", "td", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "blockquote", "pre",
  ]
  private static let voidElements: Set<String> = ["br", "hr", "img", "wbr", "input", "area"]

  /// Strips tags, decodes entities and collapses white space in `raw`, a text from the XML parser.
  ///
  /// The text can be plain text or HTML. So a tag is stripped only if it has an end tag or
  /// attributes, or is an empty element such as `<br>`. The text "the <video> tag" stays as it is.
  /// With `isHTML`, every tag is stripped.
  package static func of(_ raw: String, isHTML: Bool = false) -> String {
    var text = raw
    if text.has(Byte.less) { text = strip(text, all: isHTML) }
    if text.has(Byte.ampersand) {
      text = decode(text)
      if text.has(Byte.less) { text = strip(text, all: false) }
    }
    return collapsed(text)
  }

  /// Returns plain text as `of` does, but in lines. Each block element of HTML begins a new line.
  /// In a text without block elements, the lines stay as they are. There are never two empty lines
  /// in a row.
  package static func lines(of raw: String) -> String {
    // Some publishers escape their HTML twice.
    var text = !raw.has(Byte.less) && raw.has(Byte.escapedLess) ? decode(raw) : raw
    if text.has(Byte.less) {
      let bytes = text.utf8.map { $0 == 0x0A || $0 == 0x0D ? Byte.space : $0 }
      let blocks = strip(String(decoding: bytes, as: UTF8.self), all: false, block: 0x0A)
      text = blocks.has(0x0A) ? blocks : strip(text, all: false)
    }
    if text.has(Byte.ampersand) { text = decode(text) }
    var lines: [String] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let line = printable(String(line))
      if !line.isEmpty || lines.last?.isEmpty == false { lines.append(line) }
    }
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  /// Returns the text as one line, without terminal controls and marks of text direction.
  package static func printable(_ text: String) -> String {
    let scalars = collapsed(text).unicodeScalars.filter { !PrintableText.isSteering($0) }
    return String(String.UnicodeScalarView(scalars))
  }

  // MARK: - Tags

  fileprivate struct Tag {
    let name: String
    let isEnd: Bool
    let hasAttributes: Bool
    let range: Range<Int>
  }

  /// - Parameters:
  ///   - all: whether every tag is stripped.
  ///   - block: the byte that replaces each tag of a block element.
  private static func strip(_ text: String, all: Bool, block: UInt8 = Byte.space) -> String {
    let bytes = Array(text.utf8)
    let tags = self.tags(in: bytes)
    let closed = Set(tags.lazy.filter(\.isEnd).map(\.name))
    var result: [UInt8] = []
    var at = 0
    for tag in tags {
      let isMarkup =
        all || tag.isEnd || tag.hasAttributes || closed.contains(tag.name)
        || voidElements.contains(tag.name)
      guard isMarkup else { continue }
      result += bytes[at..<tag.range.lowerBound]
      if blockElements.contains(tag.name) { result.append(block) }
      at = tag.range.upperBound
    }
    result += bytes[at...]
    return String(decoding: result, as: UTF8.self)
  }

  /// Finds start tags, end tags and comments.
  private static func tags(in bytes: [UInt8]) -> [Tag] {
    var tags: [Tag] = []
    var tokens = MarkupTokenizer(bytes)
    while let token = tokens.next() {
      switch token {
      case .tag(let tag): if let tag = Tag(tag, in: bytes) { tags.append(tag) }
      case .comment(let range, isClosed: true):
        tags.append(Tag(name: "", isEnd: false, hasAttributes: true, range: range))
      // The marks of a CDATA section mean nothing in a text, so the tags in the section are read as
      // tags.
      case .characterData(let content): tokens.at = content.lowerBound
      case .text, .less, .comment, .declaration: break
      }
    }
    return tags
  }

  // MARK: - Entities and white space

  /// Decodes references that end with ";". Without the ";" nothing is decoded, because "&copy=2" in
  /// an address means no copyright sign.
  static func decode(_ text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let start = rest.utf8.firstIndex(of: Byte.ampersand) {
      result += rest[..<start]
      rest = rest[start...].dropFirst()
      let name = rest.prefix(32).prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "#") }
      let after = rest[name.endIndex...]
      if !name.isEmpty, after.first == ";", let scalar = scalar(for: name) {
        result.unicodeScalars.append(scalar)
        rest = after.dropFirst()
      } else {
        result += "&"
      }
    }
    return result + rest
  }

  /// Whether a text is plain ASCII with single spaces between words, as nearly all texts are.
  private static func isCollapsed(_ text: String.UTF8View) -> Bool {
    var before = Byte.space
    for byte in text {
      guard (0x20...0x7E).contains(byte), byte != Byte.space || before != Byte.space else {
        return false
      }
      before = byte
    }
    return text.isEmpty || before != Byte.space
  }

  private static func scalar(for name: Substring) -> Unicode.Scalar? {
    name.hasPrefix("#")
      ? HTMLEntity.scalar(numbered: name.dropFirst()) : HTMLEntity.scalar(named: String(name))
  }

  /// Returns the text without control characters, and with single spaces between words.
  package static func collapsed(_ text: String) -> String {
    if isCollapsed(text.utf8) { return text }
    var result = String.UnicodeScalarView()
    var isSpacePending = false
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20 || scalar.properties.isWhitespace && scalar.value != 0x85 {
        isSpacePending = !result.isEmpty
        continue
      }
      if scalar.value == 0x7F || scalar.value == 0xFEFF { continue }
      if isSpacePending { result.append(" ") }
      isSpacePending = false
      // As in HTML, these control characters mean characters of windows-1252: &#146; is an
      // apostrophe.
      let isHighControl = (0x80...0x9F).contains(scalar.value)
      result.append(
        isHighControl ? TextEncoding.scalar(windows1252: UInt8(scalar.value)) : scalar)
    }
    return String(result)
  }
}

extension PlainText.Tag {
  /// Reads a tag of HTML; nil for other text between "<" and ">". The name of a tag of HTML has
  /// only letters and digits.
  fileprivate init?(_ tag: MarkupTokenizer.Tag, in bytes: [UInt8]) {
    guard tag.isClosed, bytes[tag.name].allSatisfy(Byte.isLetterOrDigit) else { return nil }
    let rest = bytes[tag.name.upperBound..<tag.range.upperBound]
    guard let next = rest.first, Byte.isSpace(next) || next == Byte.slash || next == Byte.greater
    else { return nil }
    self.init(
      name: String(decoding: bytes[tag.name].map(Byte.lowercased), as: UTF8.self),
      isEnd: tag.isEnd, hasAttributes: rest.contains(Byte.equals), range: tag.range)
  }
}
