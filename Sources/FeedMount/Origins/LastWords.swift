/// The last log message about one subject, so that the same words are not logged twice in a row.
struct LastWords: Sendable {
  private var last: String?

  /// Notes the next message; nil says that all is well again. Returns whether the message is to be
  /// logged.
  mutating func take(_ line: String?) -> Bool {
    defer { last = line }
    return line != nil && line != last
  }
}
