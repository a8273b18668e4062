/// What one page of a feed says, whatever its format.
package struct Feed: Hashable, Sendable {
  package enum Kind: String, Hashable, Codable, Sendable {
    case rss, atom, jsonfeed, m3u, xspf, opml, index, manifest
  }

  package var kind: Kind
  package var title = ""
  /// The page that the feed is about, absolute.
  package var url: String?
  /// A BCP 47 tag, as written.
  package var language: String?
  /// Addresses of the following pages (RFC 5005 §3, §4), absolute, in document order.
  package var next: [String] = []
  /// RFC 5005 §2: what is not listed does not exist.
  package var complete = false
  /// Further pages of it were read before, and not now: what stood there is not missed.
  package var isPartial = false
  /// Where in `entries` further pages of the same window begin.
  var pageStarts: [Int] = []
  /// Minutes for which the publisher asks not to come back, as written.
  package var ttl: Int?
  /// When the publisher asks not to come.
  package var quiet = QuietTimes()
  /// How often there is something new.
  package var pace = Pace()
  /// Where the feed says it has moved to.
  package var newURL: String?
  /// In document order; those that cannot be played say why in `skipped`.
  package var entries = PackedArray<Entry>()
  /// Other feeds that the document names: all of a list, the ones of an HTML page.
  package var feeds: [FeedLink] = []
  /// Ids that an Atom tombstone names (RFC 6721).
  package var deleted: [String] = []
  /// What was wrong and worked around, one sentence each.
  package var diagnostics: [String] = []
  /// Whether the document had to be repaired before it could be read.
  package var recovered = false

  package init(kind: Kind) {
    self.kind = kind
  }
}

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
