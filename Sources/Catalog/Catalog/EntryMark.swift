import FeedReading

/// How far a user is with an entry. An entry without a mark is new.
package enum EntryMark: String, Hashable, Codable, Sendable, FieldWord {
  /// A part of the entry was played.
  case started
  /// The entry was played to its end.
  case played

  /// The word for an entry without a mark.
  package static let new = "new"
}

extension Catalog {
  /// Marks an entry.
  ///
  /// - Parameters:
  ///   - mark: the mark; nil makes the entry new.
  ///   - number: the number of an entry of this catalog.
  package mutating func mark(_ mark: EntryMark?, _ number: Int) {
    entries[number - 1].mark = mark
  }
}
