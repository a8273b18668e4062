/// The last line about something, so that the same words are not logged twice in a row.
struct LastWords: Sendable {
  private var last: String?

  /// Takes a line; nil takes it back. Returns whether it is news.
  mutating func take(_ line: String?) -> Bool {
    defer { last = line }
    return line != nil && line != last
  }
}
