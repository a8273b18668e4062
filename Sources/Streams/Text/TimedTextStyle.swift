import Markup

/// The style of words, reduced to what WebVTT can express.
struct TimedTextStyle: Hashable {
  var isBold = false
  var isItalic = false
  var isUnderlined = false

  /// The tags in the order in which they are opened.
  var tags: [String] {
    (isBold ? ["b"] : []) + (isItalic ? ["i"] : []) + (isUnderlined ? ["u"] : [])
  }
}

/// The named styles of a TTML document (TTML2 §10.1).
struct TimedTextStyles {
  /// A change of a style. A property that is nil is not changed.
  private struct Change {
    var isBold: Bool?
    var isItalic: Bool?
    var isUnderlined: Bool?

    mutating func add(_ other: Change) {
      isBold = other.isBold ?? isBold
      isItalic = other.isItalic ?? isItalic
      isUnderlined = other.isUnderlined ?? isUnderlined
    }
  }

  /// The number of style names that are read of one element. Further names are ignored.
  private static let maxStyles = 16

  private var named: [String: Change] = [:]

  /// - Parameter root: the root of the document.
  init(_ root: XMLElement) {
    let all = root.first("head")?.all("styling").flatMap { $0.all("style") } ?? []
    // A style can refer to a later style, which is known only in the second round.
    for _ in 0..<2 {
      for style in all {
        if let name = style["xml:id"] { named[name] = change(of: style) }
      }
    }
  }

  /// Returns the style of an element's words. The words inherit from `outer`.
  func style(of element: XMLElement, within outer: TimedTextStyle) -> TimedTextStyle {
    let change = change(of: element)
    return TimedTextStyle(
      isBold: change.isBold ?? outer.isBold, isItalic: change.isItalic ?? outer.isItalic,
      isUnderlined: change.isUnderlined ?? outer.isUnderlined)
  }

  private func change(of element: XMLElement) -> Change {
    var change = Change()
    for name in (element["style"] ?? "").split(whereSeparator: \.isWhitespace).prefix(
      Self.maxStyles)
    {
      if let other = named[String(name)] { change.add(other) }
    }
    change.add(
      Change(
        isBold: element["fontweight"].map { $0 == "bold" },
        isItalic: element["fontstyle"].map { $0 == "italic" || $0 == "oblique" },
        isUnderlined: element["textdecoration"].map {
          $0.split(whereSeparator: \.isWhitespace).contains("underline")
        }))
    return change
  }
}

/// Puts the words of a cue together in the syntax of WebVTT.
struct TimedTextWords {
  private var lines: [String] = []
  private var line = ""
  private var open = TimedTextStyle()
  /// Whether white space came after the last word of the line.
  private var hasSpace = false

  /// - Parameter keepsSpace: false turns all white space between two words into one space.
  mutating func add(_ text: String, _ style: TimedTextStyle, keepsSpace: Bool) {
    for character in text.unicodeScalars {
      if character == "\n", keepsSpace {
        endLine()
      } else if character.properties.isWhitespace {
        if keepsSpace, hasSpace { line += " " }
        hasSpace = !line.isEmpty
      } else if character.value >= 0x20, character.value != 0x7F {
        add(character, style)
      }
    }
  }

  private mutating func add(_ character: Unicode.Scalar, _ style: TimedTextStyle) {
    if style != open { close() }
    if hasSpace { line += " " }
    hasSpace = false
    if style != open {
      line += style.tags.map { "<\($0)>" }.joined()
      open = style
    }
    switch character {
    case "&": line += "&amp;"
    case "<": line += "&lt;"
    case ">": line += "&gt;"
    default: line.unicodeScalars.append(character)
    }
  }

  private mutating func close() {
    line += open.tags.reversed().map { "</\($0)>" }.joined()
    open = TimedTextStyle()
  }

  private mutating func endLine() {
    close()
    if !line.isEmpty { lines.append(line) }
    line = ""
    hasSpace = false
  }

  /// The finished text, without empty lines.
  var text: String {
    var all = self
    all.endLine()
    return all.lines.joined(separator: "\n")
  }
}
