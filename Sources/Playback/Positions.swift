/// The user's positions in entries, as saved on the disk.
package struct Positions: Hashable, Codable, Sendable {
  package struct Position: Hashable, Codable, Sendable {
    package let entry: PlayedEntry.Key
    package let seconds: Double
    /// The time when the position was saved, in seconds since 1970.
    package let seen: Int
  }

  /// The limit for saved positions. The oldest is removed first.
  static let maxPositions = 1_000

  package static let currentSchema = 1
  private var schema = Self.currentSchema
  /// All positions, the latest last.
  package private(set) var all: [Position] = []

  package init() {}

  /// The saved position in an entry, in seconds; nil if none is saved.
  package subscript(entry: PlayedEntry.Key) -> Double? {
    all.last { $0.entry == entry }?.seconds
  }

  /// The saved position in each entry, in seconds.
  package var seconds: [PlayedEntry.Key: Double] {
    Dictionary(all.map { ($0.entry, $0.seconds) }) { $1 }
  }

  package mutating func remember(_ entry: PlayedEntry.Key, _ seconds: Double, now: Int) {
    forget(entry)
    all.append(Position(entry: entry, seconds: seconds, seen: now))
    all.removeFirst(max(0, all.count - Self.maxPositions))
  }

  package mutating func forget(_ entry: PlayedEntry.Key) {
    all.removeAll { $0.entry == entry }
  }

  /// Returns the entry of `entries` whose position was saved last.
  package func last(of entries: [PlayedEntry]) -> PlayedEntry.Key? {
    let keys = Set(entries.map(\.key))
    return all.last { keys.contains($0.entry) }?.entry
  }
}
