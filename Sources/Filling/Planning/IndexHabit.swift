import Blocks

/// The place of a film's index, as its first bytes tell it.
package enum IndexPlace: Hashable, Sendable {
  /// The index begins this many bytes before the end of the file. They are few enough to be
  /// requested together with the head.
  case atEnd(Int)
  /// The index lies in front or far from the end, or there is none.
  case elsewhere
}

/// Learns where the films of a feed have their index, and how many bytes at the end of the next
/// film are requested together with its head.
///
/// After two films in a row with the index at the end, the next one is expected to be like them.
/// One film with its index elsewhere ends the habit, until two more films begin it again. A request
/// for an end that the origin does not answer as it should ends it until the next mount.
package struct IndexHabit: Hashable, Sendable {
  private struct Film: Hashable, Sendable {
    let name: UInt64
    let bytes: Int
  }

  /// The last two films, as far as their index lay at the end; the newest is last.
  private var films: [Film] = []
  /// True if an origin did not answer a request for the end as it should.
  private var isRefused = false

  package init() {}

  /// Restores a habit from its `bytes`.
  package init(bytes: Int) {
    guard Self.reaches(bytes) else { return }
    films = (0..<Self.needed).map { _ in Film(name: 0, bytes: bytes) }
  }

  /// The number of bytes from the index to the end of the film, in that of the last films where it
  /// was larger; nil if there is no habit.
  package var bytes: Int? {
    films.count == Self.needed && !isRefused ? films.map(\.bytes).max() : nil
  }

  /// The number of bytes at the end to request together with the head of the next film; nil if its
  /// head is requested alone. They are more than the last films needed. A longer film has a longer
  /// index, and bytes before the first whole block are of no use.
  package var tail: Int? {
    bytes.map { bytes in
      let block = BlockLayout.standardBlockSize
      return min(((bytes + bytes / 4) / block + 2) * block, Self.maxTail)
    }
  }

  /// Notes the place of the index in the film that `film` identifies.
  package mutating func note(_ place: IndexPlace, of film: UInt64) {
    switch place {
    case .elsewhere: films = []
    case .atEnd(let bytes):
      films.removeAll { $0.name == film }
      films = films.suffix(Self.needed - 1) + [Film(name: film, bytes: bytes)]
    }
  }

  /// Notes that an origin has not answered a request for the end as it should.
  package mutating func refused() { isRefused = true }

  /// Returns whether an index that begins `bytes` before the end can be requested together with the
  /// head.
  static func reaches(_ bytes: Int) -> Bool {
    1...maxTail - BlockLayout.standardBlockSize ~= bytes
  }

  /// The number of films in a row that make a habit. A single one may be an exception.
  private static let needed = 2
  /// The limit for `tail`, in bytes. As many are fetched ahead of an index whose place the head
  /// tells.
  static let maxTail = 1 << 20
}
