import Catalog
import FeedReading

/// Decides which entries of a feed the user's `keep` fetches, and which it deletes again.
struct KeepPlan: Hashable, Sendable {
  /// An entry that is listed.
  struct Entry: Hashable, Sendable {
    let number: Int
    /// The date of publication, else of first sight, in seconds since 1970.
    let date: Int
    var isPlayed = false
    /// True if the user has pinned it. `keep` never deletes a pinned entry.
    var isPinned = false
    /// True if `keep` must not fetch it: the feed has dropped it, or its media probably have no
    /// end.
    var isUnfit = false
    /// Whether the entry's origin has refused it a short time ago.
    var isResting = false
  }

  /// The facts that later decisions need. It names entries by their numbers, and survives restarts.
  struct Memory: Hashable, Codable, Sendable {
    /// The entries that `keep` has fetched, or begun to. They are deleted once they were played.
    var fetched: Set<Int> = []
    /// The entries that the user has cleared. They are not fetched automatically again.
    var cleared: Set<Int> = []
    /// The rule of the last mount. Commands apply it to the cache of a feed that is not mounted.
    var rule: KeepRule?
  }

  /// Returns the number of bytes after which a body of unknown length counts as endless.
  ///
  /// - Parameters:
  ///   - claimed: the length in bytes that the feed states; nil if it states none.
  ///   - duration: the playing time in seconds that the feed states; nil if it states none.
  static func maxWithoutEnd(claimed: Int?, duration: Double?) -> Int {
    // Few media have more than 20 Mbit/s, which are 2,500,000 bytes a second.
    let byDuration = duration.map { Int(min(max(0, $0), 1e6)) * 2_500_000 }
    return max(minWithoutEnd, claimed.map { 2 * min($0, .max / 2) } ?? byDuration ?? 0)
  }

  /// The smallest result of `maxWithoutEnd`, in bytes. A stated length can be too small, because it
  /// can be that of another, smaller form of the media.
  static let minWithoutEnd = 16 << 20

  /// The plan of a feed without kept entries.
  static let nothing = KeepPlan(nil, [], Memory())

  /// The entries that are never evicted, whatever the size limit of the cache is.
  private(set) var kept: Set<Int> = []
  /// The entries whose missing bytes are fetched, the newest first.
  private(set) var fetches: [Int] = []
  /// The entries of which `keep` must learn whether they are played. So the daemon has to see their
  /// reads.
  private(set) var watched: Set<Int> = []
  /// The entries whose bytes are deleted as soon as no program has them open.
  private(set) var released: Set<Int> = []
  /// The memory to save together with this plan.
  private(set) var memory = Memory()

  /// - Parameters:
  ///   - rule: nil if the user keeps nothing. Entries that were kept before are then cached like
  ///     any others.
  ///   - entries: the listed entries, in any order.
  init(_ rule: KeepRule?, _ entries: [Entry], _ memory: Memory) {
    guard let rule, rule != .nothing else { return }
    let fit = entries.filter { !$0.isUnfit && !memory.cleared.contains($0.number) }
    // If two entries have the same date, the one with the lower number counts as newer, as in the
    // rule `newest`.
    let newest = fit.sorted { ($1.date, $0.number) < ($0.date, $1.number) }
    let wanted: [Entry]
    switch rule {
    case .all: wanted = newest
    case .unplayed: wanted = newest.filter { !$0.isPlayed }
    case .newest(let count): wanted = Array(newest.lazy.filter { !$0.isPlayed }.prefix(count))
    }
    kept = Set(wanted.map(\.number))
    fetches = wanted.filter { !$0.isResting }.map(\.number)
    self.memory.cleared = memory.cleared
    self.memory.rule = rule
    guard rule != .all else { return }
    let fetched = entries.filter {
      !$0.isPinned && (kept.contains($0.number) || memory.fetched.contains($0.number))
    }
    self.memory.fetched = Set(fetched.map(\.number))
    watched = kept.union(fetched.lazy.filter { !$0.isPlayed }.map(\.number))
    released = Set(fetched.lazy.filter(\.isPlayed).map(\.number))
  }
}

extension KeepPlan {
  /// Decides for the listed entries of a catalog.
  ///
  /// - Parameters:
  ///   - endless: entries whose origin does not say where they end.
  ///   - resting: entries that their origin has refused.
  init(
    _ rule: KeepRule?, for catalog: Catalog, _ memory: Memory, endless: Set<Int> = [],
    resting: Set<Int> = []
  ) {
    guard rule != nil else {
      self = .nothing
      return
    }
    let dropped = Set(catalog.keptNumbers)
    let entries = catalog.listing(after: 0).map { entry in
      Entry(
        number: entry.number, date: entry.modified, isPlayed: entry.mark == .played,
        isPinned: catalog.isPinned(entry.number),
        isUnfit: dropped.contains(entry.number) || endless.contains(entry.number),
        isResting: resting.contains(entry.number))
    }
    self.init(rule, entries, memory)
  }
}

extension Catalog {
  /// Returns all pinned entries, even removed ones, and then the entries with these numbers that
  /// are not pinned.
  func lasting(besidesPins numbers: some Sequence<Int>) -> [CatalogEntry] {
    pinned + numbers.filter { !isPinned($0) }.compactMap { entry(number: $0) }
  }
}
