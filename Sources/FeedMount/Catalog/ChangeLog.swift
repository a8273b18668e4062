/// Remembers when the status of each entry last changed, so that a status can report only the
/// entries that have changed.
///
/// A revision is the time of a change in microseconds since 1970. If the clock shows no later time
/// than the previous revision, it is the previous revision plus 1. The revisions of all feeds of a
/// mount can be compared. After a restart every change has a later revision than before.
struct ChangeLog: Sendable {
  /// The largest number of entries whose changes are remembered. If there are more, the log forgets
  /// all changes, and cannot tell any more which entries have changed.
  private static let maxEntries = 10_000

  private(set) var revision: Int
  /// The oldest revision that this log can compare with. The log does not know which entries
  /// changed before it.
  private var floor: Int
  /// The revision of the last change since `floor`, by number of the entry.
  private var changes: [Int: Int] = [:]

  /// - Parameter now: microseconds since 1970.
  init(at now: Int) {
    revision = now
    floor = now
  }

  /// Notes that the entry with this number has changed.
  mutating func note(_ number: Int, at now: Int) {
    advance(to: now)
    changes[number] = revision
    if changes.count > Self.maxEntries { forget() }
  }

  /// Notes that the listing has changed, and that the entries with these numbers changed with it.
  mutating func note(_ numbers: some Collection<Int>, at now: Int) {
    advance(to: now)
    guard numbers.count <= Self.maxEntries else { return forget() }
    changes.reserveCapacity(numbers.count)
    for number in numbers { changes[number] = revision }
    if changes.count > Self.maxEntries { forget() }
  }

  /// Notes that a status has reported all changes up to `revision`. Changes after that get a later
  /// revision.
  mutating func told(_ revision: Int) {
    self.revision = max(self.revision, revision)
  }

  /// Returns the numbers of the entries that have changed since a status reported `revision`.
  /// Returns nil if this log cannot tell, because the revision is too old or unknown. Then any
  /// entry might have changed.
  func changed(since revision: Int) -> Set<Int>? {
    guard floor <= revision, revision <= self.revision else { return nil }
    return Set(changes.lazy.filter { $0.value > revision }.map(\.key))
  }

  private mutating func advance(to now: Int) {
    revision = max(revision + 1, now)
  }

  private mutating func forget() {
    floor = revision
    changes = [:]
  }
}
