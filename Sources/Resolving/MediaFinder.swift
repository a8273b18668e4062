package import FeedReading

/// A way to find the media of a web page.
package protocol MediaFinder: Sendable {
  /// Asks for the media of `page`. The answer takes some seconds.
  func find(_ page: String) async -> FinderAnswer

  /// Ends all questions, later ones too, while `isOpen` is false.
  func turn(isOpen: Bool)
}

/// The answer of a `MediaFinder`.
package enum FinderAnswer: Hashable, Sendable {
  case media(PageMedia)
  /// The page has no media, or could not be read, for this reason.
  case failed(String)
  /// The question was ended. That says nothing about the page.
  case stopped
}
