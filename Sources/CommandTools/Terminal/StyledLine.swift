import Markup

/// A line for people, with a style for each span.
///
/// `Span` removes control characters from its text, because the text may come from other people,
/// such as a feed's publisher. So only this program sets colours.
package struct StyledLine: Hashable {
  package enum Style: Hashable {
    case usual, good, moving, bad, faint, strong
  }

  package struct Span: Hashable {
    let text: String
    let style: Style

    package init(_ text: String, _ style: Style = .usual) {
      self.text = PrintableText.lines(text.replacing("\n", with: " "))
      self.style = style
    }
  }

  private(set) var spans: [Span]

  init(_ text: String, _ style: Style = .usual) {
    spans = [Span(text, style)]
  }

  package init(_ spans: [Span]) {
    self.spans = spans
  }

  /// The width in columns.
  var width: Int { spans.reduce(0) { $0 + ColumnCount.of($1.text) } }

  /// Returns the line, cut to `width` columns if it is wider. `ellipsis` then replaces the text
  /// that was cut off. If `width` is nil, returns the whole line.
  func fitted(to width: Int?, ellipsis: String) -> StyledLine {
    guard let width, self.width > width else { return self }
    let (cut, _) = split(at: max(0, width - ColumnCount.of(ellipsis)))
    return StyledLine(cut.spans + [Span(ColumnCount.prefix(of: ellipsis, width))])
  }

  /// Returns the line wrapped to `width` columns, between words if possible. Each further line
  /// begins with `indent` columns. If `width` is nil, returns one line.
  func wrapped(to width: Int?, indent: Int = 4) -> [StyledLine] {
    guard let width, self.width > width, width > 2 * indent else { return [self] }
    let margin = Span(String(repeating: " ", count: indent))
    var lines: [StyledLine] = []
    var rest = self
    while rest.width > width {
      let (line, more) = rest.split(at: rest.breakPlace(within: width, after: indent))
      let left = more.withoutSpacesInFront
      // Text from other people can have a character that is wider than the terminal. Then this ends
      // the loop, which would never end otherwise.
      guard left.width < rest.width - (lines.isEmpty ? 0 : indent) else { break }
      lines.append(line)
      guard !left.spans.isEmpty else { return lines }
      rest = StyledLine([margin] + left.spans)
    }
    return lines + [rest]
  }

  /// Returns the column of the last space after column `indent` and within `width`; `width` if
  /// there is none.
  private func breakPlace(within width: Int, after indent: Int) -> Int {
    var column = 0
    var place: Int?
    for character in spans.lazy.flatMap(\.text) {
      if character == " ", column > indent { place = column }
      column += ColumnCount.of(String(character))
      if column > width { break }
    }
    return place ?? width
  }

  private func split(at width: Int) -> (StyledLine, StyledLine) {
    var left = width
    var head: [Span] = []
    var tail: [Span] = []
    for span in spans {
      let text = tail.isEmpty ? ColumnCount.prefix(of: span.text, left) : ""
      if !text.isEmpty { head.append(Span(text, span.style)) }
      left -= ColumnCount.of(text)
      let rest = String(span.text.dropFirst(text.count))
      if !rest.isEmpty { tail.append(Span(rest, span.style)) }
    }
    return (StyledLine(head), StyledLine(tail))
  }

  private var withoutSpacesInFront: StyledLine {
    var spans = spans[...]
    while let first = spans.first, first.text.allSatisfy({ $0 == " " }) {
      spans = spans.dropFirst()
    }
    guard let first = spans.first else { return StyledLine([]) }
    return StyledLine(
      [Span(String(first.text.drop { $0 == " " }), first.style)] + spans.dropFirst())
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

  /// Returns the code that sets a style (ECMA-48 §8.3.117).
  private static func code(of style: Style) -> String? {
    switch style {
    case .usual: nil
    case .good: "32"
    // Yellow is hardly legible on white, and blue is hardly legible on black unless it is bold.
    case .moving: "1;34"
    case .bad: "31"
    case .faint: "2"
    case .strong: "1;35"
    }
  }
}
