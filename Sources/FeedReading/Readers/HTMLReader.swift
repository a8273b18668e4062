/// Cuts HTML, as found on the web, into tags and the text between them.
///
/// The reader only moves forward, whatever elements are left open, so its time is linear in the
/// document's length.
struct HTMLReader {
  enum Token: Hashable {
    /// A start tag: name and attributes in lower case, values decoded.
    case start(String, [String: String])
    case end(String)
    /// A decoded text.
    case text(String)
  }

  private let bytes: [UInt8]
  private var at = 0

  init(_ utf8: [UInt8]) {
    bytes = utf8
  }

  /// Returns the next token; nil at the end.
  mutating func next() -> Token? {
    while at < bytes.count {
      guard bytes[at] == Byte.less else { return text() }
      if let token = markup() { return token }
    }
    return nil
  }

  // MARK: Private

  private mutating func text() -> Token {
    let end = index(of: Byte.less, from: at) ?? bytes.count
    defer { at = end }
    return .text(Self.decoded(bytes[at..<end]))
  }

  /// Reads a tag. Skips a comment, a declaration or a "<" without a tag, and returns nil for it.
  private mutating func markup() -> Token? {
    let second = at + 1 < bytes.count ? bytes[at + 1] : 0
    if second == UInt8(ascii: "!") || second == UInt8(ascii: "?") {
      skipDeclaration()
      return nil
    }
    let isEnd = second == Byte.slash
    let start = at + (isEnd ? 2 : 1)
    guard start < bytes.count, Byte.isLetter(bytes[start]) else {
      at += 1
      return nil
    }
    var end = start
    while end < bytes.count, Byte.isName(bytes[end]) { end += 1 }
    let name = String(decoding: bytes[start..<end].map(Byte.lowercased), as: UTF8.self)
    at = end
    let attributes = attributes()
    if isEnd { return .end(name) }
    if name == "script" || name == "style" { skip(to: name) }
    return .start(name, attributes)
  }

  private mutating func skipDeclaration() {
    let isComment = bytes[at...].starts(with: "<!--".utf8)
    at += isComment ? 4 : 2
    while let end = index(of: Byte.greater, from: at) {
      at = end + 1
      if !isComment || bytes[..<end].suffix(2).elementsEqual("--".utf8) { return }
    }
    at = bytes.count
  }

  /// Skips to the end tag of an element whose content is no markup.
  private mutating func skip(to name: String) {
    let tag = Array("</\(name)".utf8)
    while let less = index(of: Byte.less, from: at) {
      at = less
      if bytes[less...].prefix(tag.count).map(Byte.lowercased) == tag { return }
      at += 1
    }
    at = bytes.count
  }

  /// Reads the attributes up to the end of the tag; the first one of a name counts.
  private mutating func attributes() -> [String: String] {
    var result: [String: String] = [:]
    while at < bytes.count, bytes[at] != Byte.greater {
      let start = at
      while at < bytes.count, !Self.endsName(bytes[at]) { at += 1 }
      let name = String(decoding: bytes[start..<at].map(Byte.lowercased), as: UTF8.self)
      skipSpace()
      var value = ""
      if at < bytes.count, bytes[at] == Byte.equals {
        at += 1
        value = self.value()
      } else if at == start {
        at += 1
      }
      if !name.isEmpty, result[name] == nil { result[name] = value }
      skipSpace()
    }
    at = min(at + 1, bytes.count)
    return result
  }

  private mutating func value() -> String {
    skipSpace()
    guard at < bytes.count else { return "" }
    let quote = bytes[at]
    guard quote == Byte.quote || quote == Byte.apostrophe else {
      let start = at
      while at < bytes.count, !Byte.isSpace(bytes[at]), bytes[at] != Byte.greater { at += 1 }
      return Self.decoded(bytes[start..<at])
    }
    let start = at + 1
    let end = index(of: quote, from: start) ?? bytes.count
    at = min(end + 1, bytes.count)
    return Self.decoded(bytes[start..<end])
  }

  private mutating func skipSpace() {
    while at < bytes.count, Byte.isSpace(bytes[at]) { at += 1 }
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    Byte.isSpace(byte) || byte == Byte.equals || byte == Byte.greater || byte == Byte.slash
  }

  private func index(of byte: UInt8, from start: Int) -> Int? {
    bytes[min(start, bytes.count)...].firstIndex(of: byte)
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    PlainText.decode(String(decoding: bytes.prefix(XMLLimit.attribute), as: UTF8.self))
  }
}
