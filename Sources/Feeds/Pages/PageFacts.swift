/// How and when the page of a feed is to be asked for again.
package struct PageFacts: Hashable, Codable, Sendable {
  /// Validators of the last body that could be read, as the origin sent them.
  package var entityTag: String?
  package var lastModified: String?
  /// What was to be played when the body was read; nil: as usual. Read otherwise, it may say more.
  package var choice: MediaChoice?
  /// What it was when the body was read.
  package var kind: Feed.Kind?
  /// The address of the feed, where what its user typed is a page that names it.
  package var address: String?
  /// `Cache-Control: max-age` of the last answer, in seconds.
  package var maxAge: Int?
  /// Minutes for which the publisher asks not to come back, as the feed says.
  package internal(set) var ttl: Int?
  /// When the publisher asks not to come; nil: at any time.
  package internal(set) var quiet: QuietTimes?
  /// When the page was last read or confirmed, in seconds since 1970.
  package internal(set) var checkedAt: Int?

  /// The same, for a question that is to be answered whatever was known.
  package var unconditional: PageFacts {
    var facts = self
    facts.entityTag = nil
    facts.lastModified = nil
    return facts
  }

  package init(entityTag: String? = nil, lastModified: String? = nil, maxAge: Int? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.maxAge = maxAge
  }
}
