/// How far their user came in entries, as it is kept on the disk.
package struct Positions: Hashable, Codable, Sendable {
  package struct Position: Hashable, Codable, Sendable {
    package let entry: PlayedEntry.Key
    package let seconds: Double
    /// Seconds since 1970.
    package let seen: Int
  }

  /// More are not kept; the oldest goes first.
  static let most = 1_000

  private var schema = 1
  /// The one that was seen last is the last.
  package private(set) var all: [Position] = []

  package init() {}

  /// Nil: where there is no place to go on.
  package subscript(entry: PlayedEntry.Key) -> Double? {
    all.last { $0.entry == entry }?.seconds
  }

  /// By entry.
  package var seconds: [PlayedEntry.Key: Double] {
    Dictionary(all.map { ($0.entry, $0.seconds) }) { $1 }
  }

  package mutating func remember(_ entry: PlayedEntry.Key, _ seconds: Double, now: Int) {
    forget(entry)
    all.append(Position(entry: entry, seconds: seconds, seen: now))
    all.removeFirst(max(0, all.count - Self.most))
  }

  package mutating func forget(_ entry: PlayedEntry.Key) {
    all.removeAll { $0.entry == entry }
  }

  /// The one of `entries` that was left last.
  package func last(of entries: [PlayedEntry]) -> PlayedEntry.Key? {
    let keys = Set(entries.map(\.key))
    return all.last { keys.contains($0.entry) }?.entry
  }
}
