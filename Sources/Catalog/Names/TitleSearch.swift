import FeedReading

/// Finds what a user means by a title: the one that is called so, or else the only one whose title begins
/// so, or else the only one whose title has that in it.
package struct TitleSearch<Place> {
  private let sought: FoldedText
  private var rank = Rank.none

  /// The titles that fit best, in the order in which they were looked at.
  package private(set) var found: [(title: String, place: Place)] = []

  private enum Rank: Int {
    case whole, beginning, part, none
  }

  package init(_ text: String) {
    sought = FoldedText(text)
  }

  /// Looks at the title of one more place.
  package mutating func look(at title: String, of place: Place) {
    let rank = rank(of: FoldedText(title))
    guard rank != .none, rank.rawValue <= self.rank.rawValue else { return }
    if rank != self.rank { found = [] }
    self.rank = rank
    found.append((title, place))
  }

  private func rank(of title: FoldedText) -> Rank {
    if sought.isEmpty { return .none }
    if title == sought { return .whole }
    if title.begins(with: sought) { return .beginning }
    return title.contains(sought) ? .part : .none
  }

  /// Returns a sentence that names some of what was found, because that is several.
  ///
  /// - Parameter name: returns the name of a file.
  package static func doubt(
    about text: String, _ found: [(title: String, place: Place)], name: (Place) -> String
  ) -> String {
    let most = 5
    let names = found.prefix(most).map {
      "\(name($0.place)) \"\(PrintableText.line($0.title))\""
    }
    let more = found.count > most ? [" and \(found.count - most) more"] : []
    return "\"\(PrintableText.line(text))\" may mean \(names.joined(separator: ", "))"
      + more.joined() + "; say which"
  }
}
