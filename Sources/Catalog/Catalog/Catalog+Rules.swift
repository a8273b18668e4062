package import FeedReading

/// The entries that the user's rules leave out of the listing.
///
/// They keep number, name and inode, so they come back unchanged when the user removes the rule. An
/// entry that a rule begins to leave out while it is listed stays listed until it is no longer
/// needed.
struct LeftOut: Hashable, Sendable {
  /// The rule that leaves an entry out, by number from 1; nil for an entry that is wanted. Empty if
  /// all entries are wanted.
  fileprivate var rules: [EntryRules.Rule?] = []
  /// The numbers of left-out entries that are still listed, because they may be in use.
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
  ///   - change: the change to complete. Entries that are listed again are added to it, and entries
  ///     that are left out are taken out of it.
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

  /// Takes the rules when a mount starts. No file is open yet, so of the left-out entries only
  /// pinned ones stay listed.
  ///
  /// - Parameter now: seconds since 1970.
  package mutating func take(_ rules: EntryRules, at now: Int) {
    self.rules = rules
    var change = CatalogChange()
    sift(at: now, into: &change)
    _ = leaveOut { _ in false }
  }

  /// Takes left-out entries off the listing, except pinned ones and those for which `keep` is true.
  ///
  /// - Parameter keep: returns whether the entry with a number is still needed.
  /// - Returns: the numbers that left the listing.
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

  /// Returns, for each entry from number 1, the rule that leaves it out.
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
