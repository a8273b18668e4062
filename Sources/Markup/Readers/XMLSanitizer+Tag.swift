extension XMLSanitizer {
  mutating func start(_ tag: MarkupTokenizer.Tag) {
    guard tag.isClosed else {
      // A tag without its ">" is read as text. If the end of the document has cut it off, it is
      // left out.
      if tag.range.upperBound < input.count { tokens.rereadAsText(tag) }
      return
    }
    element(Self.name(in: input[tag.name]), attributes(of: tag), isEmpty: tag.isEmpty)
  }

  mutating func end(_ tag: MarkupTokenizer.Tag) {
    if tooDeep > 0 {
      tooDeep -= 1
    } else if let index = open.lastIndex(of: Self.name(in: input[tag.name])) {
      closeElements(downTo: index)
    }
  }

  private mutating func element(_ name: [UInt8], _ attributes: [UInt8], isEmpty: Bool) {
    let local = Self.local(name)
    if open.isEmpty, !words.roots.contains(local) { return }
    if words.records.contains(local),
      let index = open.lastIndex(where: { words.records.contains(Self.local($0)) })
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

  private static func local(_ name: [UInt8]) -> [UInt8] {
    name[(name.lastIndex(of: Byte.colon).map { $0 + 1 } ?? 0)...].map(Byte.lowercased)
  }

  /// Returns the attributes as XML. If several attributes have the same name, the first one is
  /// taken.
  private func attributes(of tag: MarkupTokenizer.Tag) -> [UInt8] {
    var text: [UInt8] = []
    var names: Set<[UInt8]> = []
    for attribute in tag.attributes {
      let name = Self.name(in: input[attribute.name])
      guard !name.isEmpty, names.insert(name).inserted else { continue }
      text.append(Byte.space)
      text += name
      text += [Byte.equals, Byte.quote]
      if let value = attribute.value { text += escaped(value) }
      text.append(Byte.quote)
    }
    return text
  }

  private func escaped(_ range: Range<Int>) -> [UInt8] {
    var value: [UInt8] = []
    var at = range.lowerBound
    while at < range.upperBound {
      let byte = input[at]
      if byte == Byte.ampersand {
        value += reference(at: &at)
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

  /// Returns the first name that XML allows in `bytes`; empty if there is none.
  private static func name(in bytes: ArraySlice<UInt8>) -> [UInt8] {
    var name = bytes.drop { !Byte.isLetter($0) && $0 != Byte.underscore }.prefix(while: Byte.isName)
    while name.last == Byte.colon { name.removeLast() }
    return Array(name)
  }
}
