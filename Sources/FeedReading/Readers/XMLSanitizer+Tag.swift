extension XMLSanitizer {
  /// Reads a start tag. If there is none, only notes that the "<" at this place is text.
  mutating func startTag() {
    let start = at
    at += 1
    let name = self.name()
    if !name.isEmpty {
      if let (attributes, isEmpty) = attributes() {
        return element(name, attributes, isEmpty: isEmpty)
      }
      // A tag that is cut off by the end of the bytes is not text.
      if at >= input.count { return }
    }
    literalUntil = at
    at = start
  }

  private mutating func element(_ name: [UInt8], _ attributes: [UInt8], isEmpty: Bool) {
    let local = Self.local(name)
    if open.isEmpty, !Self.roots.contains(local) { return }
    if Self.records.contains(local),
      let index = open.lastIndex(where: { Self.records.contains(Self.local($0)) })
    {
      closeElements(downTo: index)
    }
    guard tooDeep == 0, open.count < XMLLimit.depth else {
      if !isEmpty { tooDeep += 1 }
      return
    }
    output.append(Byte.less)
    output += name
    output += attributes
    if isEmpty {
      output.append(Byte.slash)
    } else {
      open.append(name)
    }
    output.append(Byte.greater)
  }

  private static let roots = Set(
    ["rss", "rdf", "feed", "channel", "redirect", "opml", "playlist", "list"].map { Array($0.utf8) }
  )
  private static let records = Set(["item", "entry", "track"].map { Array($0.utf8) })

  private static func local(_ name: [UInt8]) -> [UInt8] {
    name[(name.lastIndex(of: Byte.colon).map { $0 + 1 } ?? 0)...].map(Byte.lowercased)
  }

  /// Reads the attributes up to and including the ">", and returns them as XML; nil without a ">".
  private mutating func attributes() -> (text: [UInt8], isEmpty: Bool)? {
    var text: [UInt8] = []
    var names: Set<[UInt8]> = []
    while at < input.count {
      switch input[at] {
      case Byte.greater:
        at += 1
        return (text, false)
      case Byte.slash where at + 1 < input.count && input[at + 1] == Byte.greater:
        at += 2
        return (text, true)
      case Byte.less:
        return nil
      default:
        let name = self.name()
        guard !name.isEmpty else {
          at += 1
          continue
        }
        guard let value = value() else { return nil }
        guard names.insert(name).inserted else { continue }
        text.append(Byte.space)
        text += name
        text += [Byte.equals, Byte.quote] + value + [Byte.quote]
      }
    }
    return nil
  }

  /// Reads the value of an attribute and escapes it; empty if the attribute has none.
  private mutating func value() -> [UInt8]? {
    let afterName = at
    skipSpace()
    guard at < input.count, input[at] == Byte.equals else {
      at = afterName
      return []
    }
    at += 1
    skipSpace()
    guard at < input.count else { return nil }
    let quote = input[at]
    guard quote == Byte.quote || quote == Byte.apostrophe else {
      return escaped { Byte.isSpace($0) || $0 == Byte.greater || $0 == Byte.less }
    }
    at += 1
    let limit = input[at...].prefix(XMLLimit.attribute + 1)
    guard limit.contains(quote) else { return nil }
    let value = escaped { $0 == quote }
    at += 1
    return value
  }

  /// Reads and escapes bytes up to the first one that ends the value, which stays unread.
  private mutating func escaped(until isEnd: (UInt8) -> Bool) -> [UInt8] {
    var value: [UInt8] = []
    while at < input.count, !isEnd(input[at]) {
      let byte = input[at]
      if byte == Byte.ampersand {
        value += reference()
        continue
      }
      at += 1
      switch byte {
      case Byte.less: value += Byte.escapedLess
      case Byte.quote: value += Byte.escapedQuote
      case _ where Byte.isControl(byte): break
      default: value.append(byte)
      }
    }
    return value
  }

  // MARK: - Reading

  /// Reads the name at this place; empty if none begins here.
  mutating func name() -> [UInt8] {
    let start = at
    guard at < input.count, Byte.isLetter(input[at]) || input[at] == Byte.underscore else {
      return []
    }
    while at < input.count, Byte.isName(input[at]) { at += 1 }
    var end = at
    while input[end - 1] == Byte.colon { end -= 1 }
    return Array(input[start..<end])
  }

  private mutating func skipSpace() {
    while at < input.count, Byte.isSpace(input[at]) { at += 1 }
  }
}
