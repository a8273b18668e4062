/// Repairs documents that are nearly XML.
///
/// It removes declarations, comments, control characters, and everything before the root element.
/// An "&" that begins no reference and a "<" that begins no tag become text. Attributes get quotes.
/// Elements that were left open are closed where their parent ends, at the next record, or at the
/// end of the document.
package struct XMLSanitizer {
  /// The names of the elements that a document can have as its root or as its records, in lower
  /// case and without prefix.
  package struct Words: Sendable {
    let roots: Set<[UInt8]>
    /// The names of records, such as items. A record never contains another record.
    let records: Set<[UInt8]>

    package init(roots: [String], records: [String]) {
      self.roots = Set(roots.map { Array($0.utf8) })
      self.records = Set(records.map { Array($0.utf8) })
    }
  }

  let words: Words
  /// The document, valid UTF-8.
  let input: [UInt8]
  var tokens: MarkupTokenizer
  var output: [UInt8] = []
  /// The names of the open elements.
  var open: [[UInt8]] = []
  /// The number of open elements that are deeper than `XMLLimit.depth`. Such elements are left out.
  var tooDeep = 0
  private var isDone = false

  /// Returns the repaired document; empty if it has none of the roots in `words`. `document` must
  /// be valid UTF-8, and the result is valid UTF-8 too.
  package static func clean(_ document: [UInt8], _ words: Words) -> [UInt8] {
    var scrub = XMLSanitizer(input: document, words)
    scrub.run()
    return scrub.output
  }

  private init(input: [UInt8], _ words: Words) {
    self.input = input
    self.words = words
    tokens = MarkupTokenizer(input)
    output.reserveCapacity(input.count + input.count / 16)
  }

  private mutating func run() {
    while !isDone, let token = tokens.next() {
      switch token {
      case .text(let range): text(range)
      case .less: if !open.isEmpty { output += Byte.escapedLess }
      case .tag(let tag): if tag.isEnd { end(tag) } else { start(tag) }
      case .declaration(let range, _): declaration(range)
      case .characterData(let content): characterData(content)
      case .comment: break
      }
    }
    while let name = open.popLast() { close(name) }
  }

  private mutating func text(_ range: Range<Int>) {
    guard !open.isEmpty else { return }
    var at = range.lowerBound
    while at < range.upperBound {
      if input[at] == Byte.ampersand {
        output += reference(at: &at)
        continue
      }
      let text = input[at..<range.upperBound].prefix { $0 != Byte.ampersand }
      put(text)
      at = text.endIndex
    }
  }

  private mutating func characterData(_ content: Range<Int>) {
    for byte in input[content] where !open.isEmpty {
      if byte == Byte.ampersand {
        output += Byte.escapedAmpersand
      } else if byte == Byte.less {
        output += Byte.escapedLess
      } else if !Byte.isControl(byte) {
        output.append(byte)
      }
    }
  }

  /// Leaves out a declaration. Before the root, it can be a DOCTYPE with further declarations in
  /// brackets. These are left out too.
  private mutating func declaration(_ range: Range<Int>) {
    guard open.isEmpty, input[range.lowerBound + 1] == UInt8(ascii: "!") else { return }
    var brackets = 0
    for at in range.lowerBound..<input.count {
      let byte = input[at]
      if byte == Byte.openBracket { brackets += 1 }
      if byte == Byte.closeBracket { brackets -= 1 }
      tokens.at = at + 1
      if byte == Byte.greater, brackets <= 0 { return }
    }
  }

  /// Closes all open elements from the innermost one to the one at `index`.
  mutating func closeElements(downTo index: Int) {
    while open.count > index, let name = open.popLast() { close(name) }
    tooDeep = 0
    isDone = open.isEmpty
  }

  private mutating func close(_ name: [UInt8]) {
    output += [Byte.less, Byte.slash]
    output += name
    output.append(Byte.greater)
  }

  /// Returns the reference at this "&" as XML writes it, and moves `at` behind it. If there is no
  /// reference, returns an escaped "&".
  func reference(at: inout Int) -> [UInt8] {
    let start = at
    at += 1
    let body = input[at...].prefix(Self.maxReferenceBytes).prefix {
      $0 != Byte.semicolon && ($0 == Byte.hash || Byte.isLetterOrDigit($0))
    }
    guard !body.isEmpty, body.endIndex < input.count, input[body.endIndex] == Byte.semicolon
    else { return Byte.escapedAmpersand }
    let name = String(decoding: body, as: UTF8.self)
    if name.hasPrefix("#") {
      at = body.endIndex + 1
      guard let scalar = HTMLEntity.scalar(numbered: name.dropFirst()), Byte.isAllowed(scalar)
      else { return [] }
      return Array(input[start..<at])
    }
    if ["amp", "lt", "gt", "quot", "apos"].contains(name) {
      at = body.endIndex + 1
      return Array(input[start..<at])
    }
    guard let scalar = HTMLEntity.scalar(named: name), !"<>&\"".unicodeScalars.contains(scalar)
    else { return Byte.escapedAmpersand }
    at = body.endIndex + 1
    return Array(String(scalar).utf8)
  }

  /// The limit for the name of an entity, in bytes. No name is so long.
  private static let maxReferenceBytes = 32

  private mutating func put(_ text: ArraySlice<UInt8>) {
    if text.contains(where: Byte.isControl) {
      output += text.filter { !Byte.isControl($0) }
    } else {
      output += text
    }
  }
}
