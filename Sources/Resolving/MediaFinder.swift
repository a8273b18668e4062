package import FeedReading

/// A way to find the media of a web page.
package protocol MediaFinder: Sendable {
  /// Finds the media of the web page at the address `page`. This takes some seconds.
  func find(_ page: String) async -> FinderAnswer

  /// Stops or allows resolutions. While `isOpen` is false, all running resolutions and each new one
  /// stop.
  func turn(isOpen: Bool)
}

/// The answer of a `MediaFinder`.
package enum FinderAnswer: Hashable, Sendable {
  case media(PageMedia)
  /// The page has no media, or could not be read, for this reason.
  case failed(String)
  /// The resolution was stopped, so nothing is known about the page.
  case stopped
}
