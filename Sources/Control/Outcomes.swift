package import Blocks

/// The result of reading feeds again.
package struct RefreshOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The number of feeds that were read, or that have not changed.
  package var refreshed: Int
  /// The reasons why other feeds could not be read, a sentence each.
  package var errors: [String]

  package init(refreshed: Int, errors: [String]) {
    self.refreshed = refreshed
    self.errors = errors
  }
}

/// The moves of the feeds of a mount, with which `feedfs feed refresh` rewrites subscriptions.
///
/// Its addresses are whole, so they may hold secrets. They are not for display.
package struct FeedMoves: Hashable, Codable, Sendable {
  package var schema = 1
  package var moves: [Move]

  /// A feed that is read at another address than the typed one, or was so once.
  package struct Move: Hashable, Codable, Sendable {
    /// The typed address, without userinfo and fragment.
    package var feed: String
    /// The address at which it is read now. It may be `feed` again.
    package var to: String
    /// The addresses at which it was read before, without the typed one.
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

/// The result of reading the next page.
package struct MoreOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The number of new entries.
  package var added: Int
  /// The reason why there is no further page; null if there may be one.
  package var end: String?
  /// The reasons why pages could not be read, a sentence each.
  package var errors: [String]

  package init(added: Int, end: String?, errors: [String]) {
    self.added = added
    self.end = end
    self.errors = errors
  }
}

/// The network mode and the limit of a mount from now on.
package struct SteeringOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The mount; null means the mount that was asked.
  package var mountPoint: String?
  package var mode: NetworkMode
  /// Bytes a second; null if there is no limit.
  package var rateLimit: Int?

  package init(mode: NetworkMode, rateLimit: Int?) {
    self.mode = mode
    self.rateLimit = rateLimit
  }
}

/// The result of a change to cached files.
package struct CacheOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The names of the changed files.
  package var files: [String] = []
  /// Bytes of the disk that are free now, or will be when the files have no reader any more.
  package var freed = 0
  /// The names of files that were left alone because they are pinned.
  package var pinned: [String] = []

  package init() {}
}

/// The result of a check of some blocks of a file.
package struct CheckOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// Bytes that were compared.
  package var checked = 0
  /// Blocks of 64 KiB that did not match their checksums, and are not cached any more.
  package var wrong = 0
  /// The place from which to go on; null at the end.
  package var next: String?

  package init() {}
}
