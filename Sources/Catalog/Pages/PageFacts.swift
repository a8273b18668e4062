package import FeedReading

/// The facts from which the next request for a page is made: when, and with which validators.
package struct PageFacts: Hashable, Codable, Sendable {
  /// Validators of the last readable body, as the origin sent them.
  package var entityTag: String?
  package var lastModified: String?
  /// The choice of media at the time of reading; nil if it was the default. Another choice may find
  /// more in the same body.
  package var choice: MediaChoice?
  /// The `currentRules` of the feedfs that read the body; nil before it is read. Later rules may
  /// find more in the same body.
  package var rules: Int?
  /// The format of the body when it was read.
  package var kind: Feed.Kind?
  /// The address of the feed, if the user typed that of a web page which names the feed; nil
  /// otherwise.
  package var address: String?
  /// `Cache-Control: max-age` of the last answer, in seconds.
  package var maxAge: Int?
  /// The minutes between requests that the feed asks for: the longer one of its ttl and its pace;
  /// nil if it has neither.
  package internal(set) var ttl: Int?
  /// Times when the publisher wants no requests; nil if there are none.
  package internal(set) var quiet: QuietTimes?
  /// The time when the page was last read or confirmed, in seconds since 1970.
  package internal(set) var checkedAt: Int?

  /// The same facts without validators. A request with them cannot be answered with 304.
  package var unconditional: PageFacts {
    var facts = self
    facts.entityTag = nil
    facts.lastModified = nil
    return facts
  }

  /// The version of the rules by which this feedfs reads a body. It grows when the same body would
  /// give other entries, media or notes, or another address or picture of the feed.
  package static let currentRules = 6

  package init(entityTag: String? = nil, lastModified: String? = nil, maxAge: Int? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.maxAge = maxAge
  }
}
