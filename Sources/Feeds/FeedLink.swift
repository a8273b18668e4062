/// A feed that a document names.
package struct FeedLink: Hashable, Codable, Sendable {
  /// Absolute, as `FeedKey` takes it.
  package var url: String
  /// Plain text; may be empty.
  package var title: String

  package init(url: String, title: String) {
    self.url = url
    self.title = title
  }
}
