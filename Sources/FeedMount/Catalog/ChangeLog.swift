import Glibc

/// When what is told of each entry last changed, so that only news need be told.
///
/// A revision is the time of a change in microseconds since 1970, or one more than the one before: it
/// means the same in all feeds of a mount, and after a restart nothing is older than that.
struct ChangeLog: Sendable {
  /// More changes than these are not told apart.
  private static let most = 10_000

  private(set) var revision: Int
  /// Since this one everything may have changed.
  private var floor: Int
  /// By number, when it last changed since then.
  private var changes: [Int: Int] = [:]

  /// - Parameter now: microseconds since 1970.
  init(at now: Int) {
    revision = now
    floor = now
  }

  /// The entry with this number has changed.
  mutating func note(_ number: Int, at now: Int) {
    advance(to: now)
    changes[number] = revision
    if changes.count > Self.most { forget() }
  }

  /// The listing has changed, and with it the entries with these numbers.
  mutating func note(_ numbers: some Collection<Int>, at now: Int) {
    advance(to: now)
    guard numbers.count <= Self.most else { return forget() }
    for number in numbers { changes[number] = revision }
    if changes.count > Self.most { forget() }
  }

  /// Everything up to `revision` was told: what changes from now on has a later one.
  mutating func told(_ revision: Int) {
    self.revision = max(self.revision, revision)
  }

  /// The numbers of entries that changed after `revision` was told; nil: any may have.
  func changed(since revision: Int) -> Set<Int>? {
    guard floor <= revision, revision <= self.revision else { return nil }
    return Set(changes.lazy.filter { $0.value > revision }.map(\.key))
  }

  /// Microseconds since 1970.
  static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  private mutating func advance(to now: Int) {
    revision = max(revision + 1, now)
  }

  private mutating func forget() {
    floor = revision
    changes = [:]
  }
}
