import Blocks

/// The place of a film's index, as its first bytes tell it.
package enum IndexPlace: Hashable, Sendable {
  /// So many bytes before the end, which are few enough to be asked for beside the head.
  case atEnd(Int)
  /// In front, or far from the end. The same of a film that has none.
  case elsewhere
}

/// Learns where the films of a feed have their index, and how much of the next film's end is asked for
/// beside its head.
///
/// After two films in a row with the index at the end the next one is taken for another. One film with
/// its index elsewhere, or one request for an end that the origin does not understand, puts an end to it.
package struct IndexHabit: Hashable, Sendable {
  private struct Film: Hashable, Sendable {
    let name: UInt64
    let bytes: Int
  }

  /// The last films, if their index lay at the end; the newest is last.
  private var films: [Film] = []
  /// True if the origin did not answer a request for the end as it should.
  private var isRefused = false

  package init() {}

  /// Creates the habit that `bytes` has described before.
  package init(bytes: Int) {
    guard Self.reaches(bytes) else { return }
    films = (0..<Self.films).map { _ in Film(name: 0, bytes: bytes) }
  }

  /// The bytes from the index to the end, the most of the last films; nil without such a habit.
  package var bytes: Int? {
    films.count == Self.films && !isRefused ? films.map(\.bytes).max() : nil
  }

  /// Bytes of the end that are asked for; nil if the head is asked for alone. A longer film has a longer
  /// index. And the end seldom begins where a block does, so that the first bytes of it are of no use.
  package var tail: Int? {
    bytes.map { bytes in
      let block = BlockLayout.standardBlockSize
      return min(((bytes + bytes / 4) / block + 2) * block, Self.longestTail)
    }
  }

  /// Notes the place of the index in the film with this name.
  package mutating func note(_ place: IndexPlace, of film: UInt64) {
    switch place {
    case .elsewhere: films = []
    case .atEnd(let bytes):
      films.removeAll { $0.name == film }
      films = films.suffix(Self.films - 1) + [Film(name: film, bytes: bytes)]
    }
  }

  /// Notes that the origin does not understand requests for the end.
  package mutating func refused() { isRefused = true }

  /// True if an index that begins so many bytes before the end can be asked for beside the head.
  static func reaches(_ bytes: Int) -> Bool {
    1...longestTail - BlockLayout.standardBlockSize ~= bytes
  }

  /// The films in a row that make a habit.
  private static let films = 2
  /// The most bytes that are asked for: as many as of an index whose place the head has told.
  static let longestTail = 1 << 20
}
