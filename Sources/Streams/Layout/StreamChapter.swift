/// A chapter of a film.
package struct StreamChapter: Equatable, Codable, Sendable {
  /// Nanoseconds from the beginning of the film.
  package let start: Int
  package let title: String

  package init(start: Int, title: String) {
    self.start = start
    self.title = title
  }
}
