/// The content of one page of a feed, whatever its format.
package struct Feed: Hashable, Sendable {
  package enum Kind: String, Hashable, Codable, Sendable {
    case rss, atom, jsonfeed, m3u, xspf, opml, index, manifest
    /// The document is itself the only entry.
    case stream
  }

  package var kind: Kind
  package var title = ""
  /// The absolute address of the feed's web page.
  package var url: String?
  /// The address of the picture of the feed.
  package var cover: String?
  /// A BCP 47 tag, as written.
  package var language: String?
  /// Addresses of the following pages (RFC 5005 §3, §4), absolute, in document order.
  package var next: [String] = []
  /// True if the feed says that it is complete: an entry that it does not list does not exist (RFC
  /// 5005 §2).
  package var complete = false
  /// True if this time not all pages were read that were read before. Then the entries of the
  /// unread pages do not count as missing.
  package var isPartial = false
  /// For each further page, the place in `entries` at which its entries begin.
  package var pageStarts: [Int] = []
  /// The minutes that the publisher wants between two requests, as written (`ttl` of RSS).
  package var ttl: Int?
  /// Times when the publisher wants no requests.
  package var quiet = QuietTimes()
  /// The interval between new entries.
  package var pace = Pace()
  /// The address to which the feed says it has moved.
  package var newURL: String?
  /// The entries in document order. For an entry that cannot be played, `skipped` is the reason.
  package var entries = PackedArray<Entry>()
  /// Other feeds that the document names, if it is a list of feeds or an HTML page.
  package var feeds: [FeedLink] = []
  /// The ids of entries that the publisher has deleted: Atom tombstones (RFC 6721).
  package var deleted: [String] = []
  /// Faults that were worked around, one sentence each.
  package var diagnostics: [String] = []
  /// Whether the document had to be repaired before it could be read.
  package var recovered = false

  package init(kind: Kind) {
    self.kind = kind
  }
}

/// A feed that a document names.
package struct FeedLink: Hashable, Codable, Sendable {
  /// The absolute address, in a form that `FeedKey` takes.
  package var url: String
  /// Plain text; empty if the document gives no title.
  package var title: String
  /// The folders in which the list has the feed, as "News/Talks"; nil if there are none.
  package var folder: String?
}
