package import FeedReading

/// The facts that decide when a page is requested again, and with which validators.
package struct PageFacts: Hashable, Codable, Sendable {
  /// Validators of the last readable body, as the origin sent them.
  package var entityTag: String?
  package var lastModified: String?
  /// The user's choice of media when the body was read; nil for the default. Another choice can
  /// find more in the same body.
  package var choice: MediaChoice?
  /// The `currentRules` of the feedfs that read the body; nil before the body is read. Later rules
  /// can find more in the same body.
  package var rules: Int?
  /// The format of the body when it was read.
  package var kind: Feed.Kind?
  /// The address of the feed, if the user typed the address of a web page that names the feed; nil
  /// otherwise.
  package var address: String?
  /// `Cache-Control: max-age` of the last answer, in seconds.
  package var maxAge: Int?
  /// The minutes between requests that the feed asks for: the longer of its ttl and its pace; nil
  /// if the feed has neither.
  package internal(set) var ttl: Int?
  /// Times when the publisher wants no requests; nil if there are none.
  package internal(set) var quiet: QuietTimes?
  /// The time when the page was last read or confirmed, in seconds since 1970.
  package internal(set) var checkedAt: Int?

  /// The same facts without validators, for a request that cannot be answered with 304.
  package var unconditional: PageFacts {
    var facts = self
    facts.entityTag = nil
    facts.lastModified = nil
    return facts
  }

  /// The version of the rules by which this feedfs reads a body. It is raised when new rules give
  /// other entries, media or notes for the same body, or another address or picture of the feed.
  package static let currentRules = 6

  package init(entityTag: String? = nil, lastModified: String? = nil, maxAge: Int? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.maxAge = maxAge
  }
}
