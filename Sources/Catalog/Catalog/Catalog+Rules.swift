package import FeedReading

/// The entries that the user's rules leave out of the listing.
///
/// They keep number, name and inode, so a rule that is taken back brings them back as they were. An
/// entry that a rule begins to leave out while it is listed stays listed until it is no longer
/// needed.
struct LeftOut: Hashable, Sendable {
  /// For each number, from 1, the rule that leaves it out. Empty if no rule leaves out any.
  fileprivate var rules: [EntryRules.Rule?] = []
  /// The numbers that are still listed.
  fileprivate var spared: Set<Int> = []

  var isEmpty: Bool { rules.isEmpty }

  /// Whether an entry is not listed because of a rule.
  func hides(_ number: Int) -> Bool {
    number <= rules.count && rules[number - 1] != nil && !spared.contains(number)
  }
}

extension Catalog {
  /// Decides by the rules which entries are left out. Entries that are listed stay so until
  /// `leaveOut`.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - change: gets the entries that came back, and loses new ones that are left out.
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

  /// Takes the rules of a mount that begins. Nothing is open yet, so only pins are spared.
  ///
  /// - Parameter now: seconds since 1970.
  package mutating func take(_ rules: EntryRules, at now: Int) {
    self.rules = rules
    var change = CatalogChange()
    sift(at: now, into: &change)
    _ = leaveOut { _ in false }
  }

  /// Takes entries that are left out by a rule from the listing, if they are not pinned and `keep` is false
  /// for them.
  ///
  /// - Parameter keep: returns whether a number is still needed.
  /// - Returns: the numbers that left the listing.
  package mutating func leaveOut(keep: (Int) -> Bool) -> [Int] {
    let unneeded = leftOut.spared.filter { !keep($0) && !isPinned($0) }
    leftOut.spared.subtract(unneeded)
    return unneeded.filter { !entries.isRemoved(at: $0 - 1) }.sorted()
  }

  /// Whether an entry that a rule leaves out is listed for now.
  package var sparesEntries: Bool { !leftOut.spared.isEmpty }

  /// Whether the entry is not listed because of a rule.
  package func leavesOut(_ number: Int) -> Bool { leftOut.hides(number) }

  /// The number of entries that are not listed because of a rule.
  package var leftOutCount: Int {
    leftOut.isEmpty ? 0 : order.count(where: leftOut.hides)
  }

  /// The last listed entries in today's order of the feed.
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
