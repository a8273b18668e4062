import Blocks

/// The place of a film's index, read from its first bytes.
package enum IndexPlace: Hashable, Sendable {
  /// This many bytes before the end: few enough to be requested together with the head.
  case atEnd(Int)
  /// In front, or far from the end; also for a film without an index.
  case elsewhere
}

/// Learns where the films of a feed have their index, and how many bytes at the end of the next
/// film are requested together with its head.
///
/// After two films in a row with the index at the end the next one is expected to be like them. One
/// film with its index elsewhere, or one request for an end that the origin does not
/// answer as it should, puts an end to it.
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
    films = (0..<Self.needed).map { _ in Film(name: 0, bytes: bytes) }
  }

  /// The bytes from the index to the end, the most of the last films; nil without such a habit.
  package var bytes: Int? {
    films.count == Self.needed && !isRefused ? films.map(\.bytes).max() : nil
  }

  /// Bytes of the end that are asked for; nil if the head is asked for alone. It is more than the
  /// last films needed: a longer film has a longer index, and the first bytes are of no use because
  /// the end seldom begins at a block.
  package var tail: Int? {
    bytes.map { bytes in
      let block = BlockLayout.standardBlockSize
      return min(((bytes + bytes / 4) / block + 2) * block, Self.maxTail)
    }
  }

  /// Notes the place of the index in the film with this name.
  package mutating func note(_ place: IndexPlace, of film: UInt64) {
    switch place {
    case .elsewhere: films = []
    case .atEnd(let bytes):
      films.removeAll { $0.name == film }
      films = films.suffix(Self.needed - 1) + [Film(name: film, bytes: bytes)]
    }
  }

  /// Notes that the origin has not answered a request for the end as it should.
  package mutating func refused() { isRefused = true }

  /// True if an index that begins `bytes` before the end can be requested together with the head.
  static func reaches(_ bytes: Int) -> Bool {
    1...maxTail - BlockLayout.standardBlockSize ~= bytes
  }

  /// Films in a row that make a habit. One alone may be an exception.
  private static let needed = 2
  /// The most bytes that are requested: as many as of an index whose place is known from the head.
  static let maxTail = 1 << 20
}
