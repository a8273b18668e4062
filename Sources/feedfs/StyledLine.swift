import Feeds

/// A line for people, which knows what of it is to be told apart.
///
/// What strangers wrote is cleaned here, where it is shown: colours come from nobody but us.
struct StyledLine: Hashable {
  enum Style: Hashable {
    case usual, good, moving, bad, faint, strong
  }

  struct Span: Hashable {
    let text: String
    let style: Style

    init(_ text: String, _ style: Style = .usual) {
      self.text = PrintableText.lines(text.replacing("\n", with: " "))
      self.style = style
    }
  }

  private(set) var spans: [Span]

  init(_ text: String, _ style: Style = .usual) {
    spans = [Span(text, style)]
  }

  init(_ spans: [Span]) {
    self.spans = spans
  }

  /// Columns that it takes up.
  var width: Int { spans.reduce(0) { $0 + ColumnCount.of($1.text) } }

  /// The same line, cut where it would be wider than so many columns; nil: as wide as it is.
  func fitted(to width: Int?) -> StyledLine {
    guard let width, self.width > width else { return self }
    var rest = width
    var cut: [Span] = []
    for span in spans where rest > 0 {
      let text = ColumnCount.prefix(of: span.text, rest)
      cut.append(Span(text, span.style))
      rest -= ColumnCount.of(text)
      if text.count < span.text.count { break }
    }
    return StyledLine(cut)
  }

  func padded(to width: Int) -> StyledLine {
    let missing = width - self.width
    guard missing > 0 else { return self }
    return StyledLine(spans + [Span(String(repeating: " ", count: missing))])
  }

  func text(coloured: Bool) -> String {
    var text = ""
    var rest = spans[...]
    while let first = rest.first {
      let alike = rest.prefix { $0.style == first.style }
      let words = alike.map(\.text).joined()
      let code = coloured && !words.isEmpty ? Self.code(of: first.style) : nil
      text += code.map { "\u{1B}[\($0)m\(words)\u{1B}[m" } ?? words
      rest = rest.dropFirst(alike.count)
    }
    return text
  }

  /// ECMA-48 §8.3.117.
  private static func code(of style: Style) -> String? {
    switch style {
    case .usual: nil
    case .good: "32"
    case .moving: "33"
    case .bad: "31"
    case .faint: "2"
    case .strong: "1;35"
    }
  }
}
