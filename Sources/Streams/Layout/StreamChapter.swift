/// A chapter of a stream.
package struct StreamChapter: Equatable, Codable, Sendable {
  /// The beginning of the chapter, in nanoseconds from the beginning of the stream.
  package let start: Int
  package let title: String

  package init(start: Int, title: String) {
    self.start = start
    self.title = title
  }
}
