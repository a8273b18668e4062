/// Cuts markup into texts, tags, comments and declarations. The markup can be broken.
///
/// It is used for documents that are nearly XML, pages of HTML, and texts with HTML in them. Each
/// token has the range of its bytes, so a caller can also keep a token as text. A tag can lack its
/// ">". Each caller decides what such a tag means.
///
/// The time is linear in the document's length, because the tokenizer remembers where it found the
/// next ending of each kind, such as "-->".
struct MarkupTokenizer {
  enum Token: Hashable {
    /// Bytes without a "<".
    case text(Range<Int>)
    /// A "<" that begins no markup.
    case less(Int)
    case tag(Tag)
    /// A comment with "<!--" and "-->". If it is never closed, the range is that of "<!--" alone.
    case comment(Range<Int>, isClosed: Bool)
    /// The content of a CDATA section. A section that is never closed ends with the document.
    case characterData(Range<Int>)
    /// A declaration or processing instruction. If no ">" follows, the range is that of its first
    /// two bytes alone.
    case declaration(Range<Int>, isClosed: Bool)
  }

  struct Tag: Hashable {
    var range: Range<Int>
    let name: Range<Int>
    /// All attributes in order. Several can have the same name.
    var attributes: [Attribute] = []
    let isEnd: Bool
    /// Whether the tag ends with "/>".
    var isEmpty = false
    /// Whether the tag has its ">". A tag without its ">" ends before the next "<", or at the end
    /// of the document.
    var isClosed = false
  }

  struct Attribute: Hashable {
    let name: Range<Int>
    /// The value without its quotes; nil if there is no "=".
    let value: Range<Int>?
  }

  /// The limit for the bytes between two quotes. If the second quote is farther away, the first
  /// quote begins no quotation.
  static let maxQuotationBytes = 64 << 10

  /// The place of the next token. A caller is allowed to move it forward, or back into the last
  /// token.
  var at = 0
  private let bytes: [UInt8]
  /// Each "<" before this place is text.
  private var literalUntil = 0
  /// For each kind of ending, the place where the last search found one. The place is the
  /// document's end if the search found none, and -1 before the first search.
  private var places = [Int](repeating: -1, count: Ending.allCases.count)

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the next token; nil at the end.
  mutating func next() -> Token? {
    guard at < bytes.count else { return nil }
    let start = at
    guard bytes[start] == Byte.less else { return .text(taken(to: index(of: Byte.less))) }
    guard start >= literalUntil else { return less() }
    switch start + 1 < bytes.count ? bytes[start + 1] : 0 {
    case UInt8(ascii: "!"):
      if starts(with: "<!--") { return comment() }
      return starts(with: "<![CDATA[") ? characterData() : declaration()
    case UInt8(ascii: "?"): return declaration()
    case Byte.slash: return tag(nameAt: start + 2, isEnd: true)
    default: return tag(nameAt: start + 1, isEnd: false)
    }
  }

  /// Goes back, so that the bytes of a tag are read again as text. Each "<" in them is then text
  /// too.
  mutating func rereadAsText(_ tag: Tag) {
    at = tag.range.lowerBound
    literalUntil = tag.range.upperBound
  }

  // MARK: - What begins with "<"

  private mutating func less() -> Token {
    defer { at += 1 }
    return .less(at)
  }

  private mutating func comment() -> Token {
    // The marks of a comment can share their hyphens, as in "<!-->".
    let end = place(of: .comment, from: at + 2)
    return .comment(taken(to: end.map { $0 + 3 } ?? at + 4), isClosed: end != nil)
  }

  private mutating func characterData() -> Token {
    let start = at + 9
    let end = place(of: .characterData, from: start)
    at = end.map { $0 + 3 } ?? bytes.count
    return .characterData(start..<(end ?? bytes.count))
  }

  private mutating func declaration() -> Token {
    let end = place(of: .declaration, from: at)
    return .declaration(taken(to: end.map { $0 + 1 } ?? at + 2), isClosed: end != nil)
  }

  private mutating func tag(nameAt nameStart: Int, isEnd: Bool) -> Token {
    guard nameStart < bytes.count,
      Byte.isLetter(bytes[nameStart]) || bytes[nameStart] == Byte.underscore
    else { return less() }
    let start = at
    at = nameStart
    skip(while: Byte.isName)
    var tag = Tag(range: start..<at, name: nameStart..<at, isEnd: isEnd)
    if isEnd {
      skip { $0 != Byte.greater && $0 != Byte.less }
    } else {
      attributes(of: &tag)
    }
    tag.isClosed = at < bytes.count && bytes[at] == Byte.greater
    if tag.isClosed { at += 1 }
    tag.range = start..<at
    return .tag(tag)
  }

  /// Reads attributes up to a ">", a "<" or the end.
  private mutating func attributes(of tag: inout Tag) {
    while at < bytes.count {
      switch bytes[at] {
      case Byte.greater, Byte.less: return
      case Byte.slash:
        at += 1
        tag.isEmpty = at < bytes.count && bytes[at] == Byte.greater
      case let byte where Byte.isSpace(byte): at += 1
      default: if let attribute = attribute() { tag.attributes.append(attribute) }
      }
    }
  }

  private mutating func attribute() -> Attribute? {
    let start = at
    skip { !Self.endsName($0) }
    let name = start..<at
    skip(while: Byte.isSpace)
    guard at < bytes.count, bytes[at] == Byte.equals else {
      return Attribute(name: name, value: nil)
    }
    at += 1
    let value = value()
    return name.isEmpty ? nil : Attribute(name: name, value: value)
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    Byte.isSpace(byte) || byte == Byte.equals || byte == Byte.slash || byte == Byte.greater
      || byte == Byte.less
  }

  private mutating func value() -> Range<Int> {
    skip(while: Byte.isSpace)
    if at < bytes.count, let quote = Ending(quote: bytes[at]) {
      at += 1
      if let end = place(of: quote, from: at), end - at <= Self.maxQuotationBytes {
        defer { at = end + 1 }
        return at..<end
      }
    }
    let start = at
    skip { !Byte.isSpace($0) && $0 != Byte.greater && $0 != Byte.less }
    return start..<at
  }

  // MARK: - Moving

  private mutating func taken(to end: Int) -> Range<Int> {
    defer { at = end }
    return at..<end
  }

  private mutating func skip(while condition: (UInt8) -> Bool) {
    while at < bytes.count, condition(bytes[at]) { at += 1 }
  }

  private func starts(with text: StaticString) -> Bool {
    bytes[at...].starts(with: text.description.utf8)
  }

  private func index(of byte: UInt8) -> Int {
    bytes[at...].firstIndex(of: byte) ?? bytes.count
  }

  // MARK: - Endings

  private enum Ending: Int, CaseIterable {
    case quote, apostrophe, comment, characterData, declaration

    init?(quote byte: UInt8) {
      switch byte {
      case Byte.quote: self = .quote
      case Byte.apostrophe: self = .apostrophe
      default: return nil
      }
    }

    var bytes: [UInt8] {
      switch self {
      case .quote: [Byte.quote]
      case .apostrophe: [Byte.apostrophe]
      case .comment: Array("-->".utf8)
      case .characterData: Array("]]>".utf8)
      case .declaration: [Byte.greater]
      }
    }
  }

  /// Returns the first place from `start` on where `ending` begins; nil if there is none. Between
  /// two calls for the same ending, `start` must not go back.
  private mutating func place(of ending: Ending, from start: Int) -> Int? {
    if places[ending.rawValue] < start {
      places[ending.rawValue] = search(ending.bytes, from: start)
    }
    let place = places[ending.rawValue]
    return place < bytes.count ? place : nil
  }

  private func search(_ ending: [UInt8], from start: Int) -> Int {
    var place = start
    while let next = bytes[min(place, bytes.count)...].firstIndex(of: ending[0]) {
      if bytes[next...].starts(with: ending) { return next }
      place = next + 1
    }
    return bytes.count
  }
}
