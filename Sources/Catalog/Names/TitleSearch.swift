import FeedReading
import Markup

/// Finds the titles that a user can mean with a text: titles that are equal to it. If there are
/// none, titles that begin with it, and otherwise titles that contain it.
package struct TitleSearch<Place> {
  private let sought: FoldedText
  private var rank = Rank.none

  /// The titles that fit best so far, in the order in which `look` was called.
  package private(set) var found: [(title: String, place: Place)] = []

  private enum Rank: Int {
    case whole, beginning, part, none
  }

  package init(_ text: String) {
    sought = FoldedText(text)
  }

  /// Compares one more title with the text. `place` says what the title belongs to.
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

  /// Returns up to three titles that nearly contain `text`, the nearest first, for a user who has
  /// mistyped a title.
  package static func near(
    _ text: String, among titles: some Sequence<(title: String, place: Place)>
  ) -> [(title: String, place: Place)] {
    let sought = FoldedText(text)
    let most = min(3, (sought.count + 1) / 3)
    var near: [(mistakes: Int, found: (title: String, place: Place))] = []
    for (title, place) in titles {
      let mistakes = sought.mistakes(within: FoldedText(title))
      if mistakes <= most, !sought.isEmpty { near.append((mistakes, (title, place))) }
    }
    return near.sorted { $0.mistakes < $1.mistakes }.prefix(3).map(\.found)
  }

  /// Returns the question whether the user meant one of these titles.
  ///
  /// - Parameter name: returns the name of a file.
  package static func guess(
    _ found: [(title: String, place: Place)], name: (Place) -> String
  ) -> String {
    let names = found.map { "\(name($0.place)) \"\(PrintableText.line($0.title))\"" }
    return "did you mean \(names.joined(separator: " or "))?"
  }

  /// Returns a sentence that asks the user to choose, because several titles fit. The sentence
  /// names the first five titles.
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
      + more.joined() + "; give the number or the full title"
  }
}
