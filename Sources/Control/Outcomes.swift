/// What reading feeds again came to.
package struct RefreshOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// Feeds that were read, or had not changed.
  package var refreshed: Int
  /// Why others could not be, a sentence each.
  package var errors: [String]

  package init(refreshed: Int, errors: [String]) {
    self.refreshed = refreshed
    self.errors = errors
  }
}

/// What reading the next page came to.
package struct MoreOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// Entries that are new.
  package var added: Int
  /// Why there is no further page; null: there may be.
  package var end: String?
  /// Why pages could not be read, a sentence each.
  package var errors: [String]

  package init(added: Int, end: String?, errors: [String]) {
    self.added = added
    self.end = end
    self.errors = errors
  }
}

/// How a mount fetches from now on.
package struct SteeringOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// Which mount; null: the one that was asked.
  package var mountPoint: String?
  package var mode: Mode
  /// Bytes a second; null: any number.
  package var rateLimit: Int?

  package init(mode: Mode, rateLimit: Int?) {
    self.mode = mode
    self.rateLimit = rateLimit
  }
}

/// What became of the files that something was done with.
package struct CacheOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// The names of those with which it was done.
  package var files: [String] = []
  /// Bytes of the disk that are free now, or will be when nobody reads them any more.
  package var freed = 0
  /// Those that were left alone because they are pinned.
  package var pinned: [String] = []

  package init() {}
}

/// What a look at some of a file came to.
package struct CheckOutcome: Hashable, Codable, Sendable {
  package var schema = 1
  /// Bytes that were compared.
  package var checked = 0
  /// Blocks of 64 KiB that did not agree with their checksums, and are held no longer.
  package var wrong = 0
  /// Where to go on; null: that was the end.
  package var next: String?

  package init() {}
}
