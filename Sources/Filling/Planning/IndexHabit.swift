import Blocks

/// The place of the container's index in a media file, as the first bytes of the file tell it.
package enum IndexPlace: Hashable, Sendable {
  /// The index begins this many bytes before the end of the file. These bytes are few enough to be
  /// requested together with the head.
  case atEnd(Int)
  /// The index lies in front or far from the end, or there is none.
  case elsewhere
}

/// Learns where the media files of a feed have their container's index, and how many bytes at the
/// end of the next file are requested together with its head.
///
/// After two files in a row with the index at the end, the same is expected of the next file. One
/// file with its index elsewhere ends this habit, until two more files begin it again. If an origin
/// does not serve a request for the last bytes as it should, the habit ends until the next mount.
package struct IndexHabit: Hashable, Sendable {
  private struct Film: Hashable, Sendable {
    let name: UInt64
    let bytes: Int
  }

  /// The latest files in a row that have their index at the end, at most two; the newest is last.
  private var films: [Film] = []
  /// True if an origin did not serve a request for the last bytes of a file as it should.
  private var isRefused = false

  package init() {}

  /// Restores a habit from the saved value of `bytes`.
  package init(bytes: Int) {
    guard Self.reaches(bytes) else { return }
    films = (0..<Self.needed).map { _ in Film(name: 0, bytes: bytes) }
  }

  /// The number of bytes from the index to the end of the file. Of the last two files, the larger
  /// number counts. Nil if there is no habit.
  package var bytes: Int? {
    films.count == Self.needed && !isRefused ? films.map(\.bytes).max() : nil
  }

  /// The number of bytes at the end of the next file to request together with its head; nil to
  /// request the head alone. It is larger than `bytes`, because a longer file has a longer index,
  /// and because bytes before the first whole block are of no use.
  package var tail: Int? {
    bytes.map { bytes in
      let block = BlockLayout.standardBlockSize
      return min(((bytes + bytes / 4) / block + 2) * block, Self.maxTail)
    }
  }

  /// Notes the place of the index in the media file that `film` identifies.
  package mutating func note(_ place: IndexPlace, of film: UInt64) {
    switch place {
    case .elsewhere: films = []
    case .atEnd(let bytes):
      films.removeAll { $0.name == film }
      films = films.suffix(Self.needed - 1) + [Film(name: film, bytes: bytes)]
    }
  }

  /// Notes that an origin has not served a request for the last bytes of a file as it should.
  package mutating func refused() { isRefused = true }

  /// Returns whether an index that begins `bytes` bytes before the end of the file can be requested
  /// together with the head.
  static func reaches(_ bytes: Int) -> Bool {
    1...maxTail - BlockLayout.standardBlockSize ~= bytes
  }

  /// The number of files in a row that make a habit. A single file may be an exception.
  private static let needed = 2
  /// The limit for `tail`, in bytes. The same number of index bytes is fetched ahead when the head
  /// tells the place of the index.
  static let maxTail = 1 << 20
}
