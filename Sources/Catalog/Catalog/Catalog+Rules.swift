package import FeedReading

/// The entries that the user's rules leave out of the listing.
///
/// Left-out entries keep number, name and inode, so they come back unchanged when the user removes
/// the rule. If a rule begins to leave out an entry that is listed, the entry stays listed as long
/// as it is open or pinned.
struct LeftOut: Hashable, Sendable {
  /// For each entry from number 1, the rule that leaves it out, or nil. The array is empty if no
  /// rule leaves out any entry.
  fileprivate var rules: [EntryRules.Rule?] = []
  /// The numbers of left-out entries that are still listed, because they can be in use.
  fileprivate var spared: Set<Int> = []

  var isEmpty: Bool { rules.isEmpty }

  /// Whether an entry is not listed because of a rule.
  func hides(_ number: Int) -> Bool {
    number <= rules.count && rules[number - 1] != nil && !spared.contains(number)
  }
}

extension Catalog {
  /// Decides by the rules which entries are left out. An entry that is listed stays listed until
  /// `leaveOut` is called.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - change: the changes that a page made. Entries that are listed again are added to them, and
  ///     entries that are left out are removed from them.
  package mutating func sift(at now: Int, into change: inout CatalogChange) {
    guard !rules.isEmpty || !leftOut.isEmpty else { return }
    let before = leftOut
    let found = sifted(at: now)
    leftOut = LeftOut()
    let isNew = Set(change.added)
    if found.contains(where: { $0 != nil }) {
      leftOut.rules = found
      leftOut.spared = Set(
        found.indices.map { $0 + 1 }.filter {
          found[$0 - 1] != nil && !before.hides($0) && !isNew.contains($0)
        })
    }
    change.added.removeAll(where: leftOut.hides)
    change.changed.removeAll(where: leftOut.hides)
    change.added += before.rules.indices.map { $0 + 1 }.filter {
      before.hides($0) && isListed($0) && !isNew.contains($0)
    }
  }

  /// Sets the rules when a mount starts. No file is open yet, so left-out entries are not listed
  /// unless they are pinned.
  ///
  /// - Parameter now: seconds since 1970.
  package mutating func take(_ rules: EntryRules, at now: Int) {
    self.rules = rules
    var change = CatalogChange()
    sift(at: now, into: &change)
    _ = leaveOut { _ in false }
  }

  /// Removes left-out entries from the listing, except pinned entries and entries for which `keep`
  /// is true.
  ///
  /// - Parameter keep: returns whether the entry with this number is still needed.
  /// - Returns: the numbers of the entries that are no longer listed.
  package mutating func leaveOut(keep: (Int) -> Bool) -> [Int] {
    let unneeded = leftOut.spared.filter { !keep($0) && !isPinned($0) }
    leftOut.spared.subtract(unneeded)
    return unneeded.filter { !entries.isRemoved(at: $0 - 1) }.sorted()
  }

  /// Whether any left-out entry is still listed.
  package var sparesEntries: Bool { !leftOut.spared.isEmpty }

  /// Whether the entry is not listed because of a rule.
  package func leavesOut(_ number: Int) -> Bool { leftOut.hides(number) }

  /// The number of entries that are not listed because of a rule.
  package var leftOutCount: Int {
    leftOut.isEmpty ? 0 : order.count(where: leftOut.hides)
  }

  /// Returns the numbers of the last `count` listed entries in the feed's present order, the last
  /// entry first.
  package func lastListed(_ count: Int) -> [Int] {
    Array(order.reversed().lazy.filter(isListed).prefix(count))
  }

  /// Returns, for each entry from number 1, the rule that leaves it out, or nil.
  private func sifted(at now: Int) -> [EntryRules.Rule?] {
    var found = [EntryRules.Rule?](repeating: nil, count: entries.count)
    guard !rules.isEmpty else { return found }
    var sieve = RuleSieve(rules, now: now)
    for place in entries.indices where !entries.isRemoved(at: place) {
      let entry = entries[place]
      let subject = RuleSubject(
        title: entry.shownTitle, notes: entry.notes, duration: entry.duration,
        modified: entry.modified, isBroadcast: entry.isBroadcast(at: now))
      found[place] = sieve.rule(for: subject, at: place)
    }
    for place in sieve.tooOld { found[place] = .newest }
    return found
  }
}
