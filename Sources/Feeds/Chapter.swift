/// A place in an entry that has a name.
package struct Chapter: Hashable, Codable, Sendable {
  /// Seconds from the beginning.
  package var start: Double
  /// Plain text.
  package var title: String

  package init(start: Double, title: String) {
    self.start = start
    self.title = title
  }

  /// Normal play time: as a duration, but zero is a time too.
  static func seconds(_ text: String) -> Double? {
    let isZero = text.allSatisfy { "0:.".contains($0) } && text.contains("0")
    return isZero ? 0 : FeedDuration.parse(text)
  }
}
