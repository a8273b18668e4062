/// Remembers when the status of each entry last changed: a status then tells only news.
///
/// A revision is the time of a change in microseconds since 1970, or one more than the revision
/// before. It means the same in all feeds of a mount, and after a restart every change has a later
/// one.
struct ChangeLog: Sendable {
  /// The most changes to tell apart.
  private static let most = 10_000

  private(set) var revision: Int
  /// The revision since which everything may have changed.
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
    if changes.count > Self.most { forget() }
  }

  /// Notes that the listing has changed, and with it the entries with these numbers.
  mutating func note(_ numbers: some Collection<Int>, at now: Int) {
    advance(to: now)
    guard numbers.count <= Self.most else { return forget() }
    for number in numbers { changes[number] = revision }
    if changes.count > Self.most { forget() }
  }

  /// Notes that everything up to `revision` was told: later changes get a later revision.
  mutating func told(_ revision: Int) {
    self.revision = max(self.revision, revision)
  }

  /// Returns the numbers of entries that changed after `revision` was told; nil: any may have.
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
