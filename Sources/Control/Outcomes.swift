package import Blocks
import Markup

/// The result of a refresh of some feeds.
package struct RefreshOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The number of feeds that were read, including those that have not changed.
  package var refreshed: Int
  /// The reasons why other feeds could not be read, a sentence each.
  package var errors: [String]
  /// The feeds with new entries; null if there are none.
  package var news: [News]?

  package init(refreshed: Int, errors: [String]) {
    self.refreshed = refreshed
    self.errors = errors
  }

  /// The new entries of a feed.
  package struct News: Hashable, Codable, Sendable {
    /// The title of the feed.
    package var feed: String
    package var count: Int
    /// The titles of the new entries, ten at most, in the order of the feed.
    package var titles: [String]

    package init(feed: String, count: Int, titles: [String]) {
      self.feed = feed
      self.count = count
      self.titles = titles
    }
  }
}

extension RefreshOutcome.News {
  /// The news in one line: `3 new in Talks: "A", "B", "C"`.
  package var words: String {
    let most = 5
    let names = titles.prefix(most).map { "\"\(PrintableText.line($0))\"" }
    let more = count > names.count ? ", and \(count - names.count) more" : ""
    return "\(count) new in \(PrintableText.line(feed)): \(names.joined(separator: ", "))\(more)"
  }
}

/// The result of reading the user's subscriptions again and showing them in the mount.
package struct SubscriptionsOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The folders of the feeds that were added. The empty name means the root of the mount.
  package var added: [String] = []
  /// The folders of the feeds that leave the mount, each as soon as no file of it is open.
  package var removed: [String] = []
  /// The reasons why subscriptions were not added, a sentence each.
  package var errors: [String] = []

  package init() {}
}

/// The result of ending the waiting reads of a process.
package struct ReleaseOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The number of reads that were ended.
  package var reads: Int

  package init(reads: Int) {
    self.reads = reads
  }
}

/// The moves of the feeds of a mount. `feedfs feed refresh` rewrites subscriptions with them.
///
/// The addresses are complete, so they can have secrets in them and must not be displayed.
package struct FeedMoves: Hashable, Codable, Sendable {
  package var schema = 1
  package var moves: [Move]

  /// A feed that is, or once was, read at another address than the typed one.
  package struct Move: Hashable, Codable, Sendable {
    /// The address that the user typed, without userinfo and fragment.
    package var feed: String
    /// The address at which the feed is read now. It can be the typed address again.
    package var to: String
    /// The addresses at which the feed was read before, without the typed address.
    package var former: [String]

    package init(feed: String, to: String, former: [String]) {
      self.feed = feed
      self.to = to
      self.former = former
    }
  }

  package init(moves: [Move]) {
    self.moves = moves
  }
}

/// The result of reading the next page of one or all feeds.
package struct MoreOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The number of new entries on the pages that were read.
  package var added: Int
  /// The reason why there is no further page; null if there can be one.
  package var end: String?
  /// The reasons why pages could not be read, a sentence each.
  package var errors: [String]

  package init(added: Int, end: String?, errors: [String]) {
    self.added = added
    self.end = end
    self.errors = errors
  }
}

/// The network mode and the rate limit that a mount has from now on.
package struct SteeringOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The folder at which the mount is; null means the mount that was asked.
  package var mountPoint: String?
  package var mode: NetworkMode
  /// The rate limit in bytes a second; null if there is none.
  package var rateLimit: Int?
  /// True if the network is metered.
  package var isMetered: Bool

  package init(mode: NetworkMode, rateLimit: Int?, isMetered: Bool) {
    self.mode = mode
    self.rateLimit = rateLimit
    self.isMetered = isMetered
  }
}

/// The answer to the note that a player has played a file to its end.
package struct PlayedOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The name of the file.
  package var file: String

  package init(file: String) {
    self.file = file
  }
}

/// The result of a change to cached files.
package struct CacheOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The names of the changed files.
  package var files: [String] = []
  /// The bytes of the disk that the change has freed, or will free when the files have no reader
  /// any more.
  package var freed = 0
  /// The names of the files that were not changed because they are pinned.
  package var pinned: [String] = []
  /// If a prune missed its goal, the number of bytes that it could not evict; otherwise null.
  package var stay: Int?

  package init() {}
}

/// The result of a check of some blocks of a file.
package struct CheckOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The number of bytes that were compared.
  package var checked = 0
  /// The number of blocks of 64 KiB that did not match their checksums. They are not cached any
  /// more.
  package var wrong = 0
  /// The `from` of the next `verify` request for the file; null if the check has reached the end.
  package var next: String?

  package init() {}
}
