/// Repairs documents that are nearly XML.
///
/// It removes everything before the root of a feed, declarations, comments and control characters.
/// An "&" or "<" that begins nothing becomes text. Attributes get quotes. Elements that were left
/// open are closed where their parent ends, at the next item, or at the end of the bytes.
struct XMLSanitizer {
  /// The document, valid UTF-8.
  let input: [UInt8]
  var at = 0
  var output: [UInt8] = []
  /// The names of the open elements.
  var open: [[UInt8]] = []
  /// The number of open elements below the limit of depth; they are left out.
  var tooDeep = 0
  /// The place before which each "<" is text, because a "<" there began no tag.
  var literalUntil = 0
  /// Ends that the rest of the document lacks: none is searched for twice.
  private var missing: Set<String> = []
  private var isDone = false

  /// Returns the repaired document, empty without a feed; input and result are valid UTF-8.
  static func clean(_ document: [UInt8]) -> [UInt8] {
    var scrub = XMLSanitizer(input: document)
    scrub.run()
    return scrub.output
  }

  private init(input: [UInt8]) {
    self.input = input
    output.reserveCapacity(input.count + input.count / 16)
  }

  private mutating func run() {
    while at < input.count, !isDone {
      switch input[at] {
      case Byte.less: markup()
      case Byte.ampersand: put(reference())
      default: text()
      }
    }
    while let name = open.popLast() { close(name) }
  }

  private mutating func text() {
    let start = at
    while at < input.count, input[at] != Byte.less, input[at] != Byte.ampersand { at += 1 }
    if !open.isEmpty { putText(input[start..<at]) }
  }

  private mutating func markup() {
    if at < literalUntil {
      at += 1
      put(Byte.escapedLess)
    } else if starts(with: "<!--") {
      skip(past: "-->", else: 4)
    } else if starts(with: "<![CDATA[") {
      characterData()
    } else if starts(with: "<!"), open.isEmpty {
      documentType()
    } else if starts(with: "<!") || starts(with: "<?") {
      skip(past: ">", else: 2)
    } else if starts(with: "</") {
      endTag()
    } else {
      startTag()
    }
  }

  private mutating func characterData() {
    at += 9
    let end = find("]]>", from: at) ?? input.count
    for byte in input[at..<end] where !open.isEmpty {
      if byte == Byte.ampersand {
        output += Byte.escapedAmpersand
      } else if byte == Byte.less {
        output += Byte.escapedLess
      } else if !Byte.isControl(byte) {
        output.append(byte)
      }
    }
    at = min(end + 3, input.count)
  }

  /// Skips a DOCTYPE with its declarations in brackets.
  private mutating func documentType() {
    var brackets = 0
    while at < input.count {
      let byte = input[at]
      at += 1
      if byte == Byte.openBracket { brackets += 1 }
      if byte == Byte.closeBracket { brackets -= 1 }
      if byte == Byte.greater, brackets <= 0 { return }
    }
  }

  private mutating func endTag() {
    at += 2
    let name = self.name()
    guard !name.isEmpty else { return put(Byte.escapedLess + [Byte.slash]) }
    while at < input.count, input[at] != Byte.greater, input[at] != Byte.less { at += 1 }
    if at < input.count, input[at] == Byte.greater { at += 1 }
    if tooDeep > 0 {
      tooDeep -= 1
    } else if let index = open.lastIndex(of: name) {
      closeElements(downTo: index)
    }
  }

  /// Closes everything from the innermost element to the one at `index`.
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

  /// Reads the reference at this "&" and returns its form in XML.
  mutating func reference() -> [UInt8] {
    let start = at
    at += 1
    let body = input[at...].prefix(Self.longestReference).prefix {
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

  private func starts(with text: String) -> Bool {
    input[at...].starts(with: text.utf8)
  }

  private mutating func skip(past end: String, else length: Int) {
    at = find(end, from: at).map { $0 + end.utf8.count } ?? at + length
  }

  private mutating func find(_ text: String, from start: Int) -> Int? {
    guard !missing.contains(text), let first = text.utf8.first else { return nil }
    var at = start
    while let next = input[at...].firstIndex(of: first) {
      if input[next...].starts(with: text.utf8) { return next }
      at = next + 1
    }
    missing.insert(text)
    return nil
  }

  /// The most bytes of an entity's name, with room to spare.
  private static let longestReference = 32

  private mutating func put(_ bytes: [UInt8]) {
    if !open.isEmpty { output += bytes }
  }

  private mutating func putText(_ bytes: ArraySlice<UInt8>) {
    if bytes.contains(where: Byte.isControl) {
      output += bytes.filter { !Byte.isControl($0) }
    } else {
      output += bytes
    }
  }
}
