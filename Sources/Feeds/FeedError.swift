/// Why bytes gave no feed.
package enum FeedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What it seems to be instead, with its article: "an HTML page".
  case notAFeed(looksLike: String)
  /// Both in bytes.
  case tooLarge(length: Int, limit: Int)

  package var description: String {
    switch self {
    case .notAFeed(let looksLike):
      "this is no feed, it looks like \(looksLike)"
    case .tooLarge(let length, let limit):
      "the feed has \(length) bytes, and no more than \(limit) are read"
    }
  }
}
