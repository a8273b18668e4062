/// Tells which entries of a page the rules leave out. Commands that show a feed without a mount use
/// this.
package struct SiftedFeed: Sendable {
  package struct Rule: Hashable, Sendable {
    /// The key of the rule in the configuration.
    package let key: String
    /// The reason in words: `left out by skip "#shorts"`.
    package let reason: String
  }

  /// The rules that leave entries out, by the place of the entry in the feed.
  package private(set) var rules: [Int: Rule] = [:]
  /// A sentence for each pattern that takes too long.
  package private(set) var complaints: [String] = []

  /// Makes a value that leaves nothing out.
  package init() {}

  /// - Parameter now: seconds since 1970. An entry without a date gets this one.
  package init(_ feed: Feed, by rules: EntryRules, now: Int) {
    guard !rules.isEmpty else { return }
    var sieve = RuleSieve(rules, now: now)
    for (place, entry) in feed.entries.enumerated() where entry.skipped == nil {
      let subject = RuleSubject(
        title: entry.title, notes: entry.notes, duration: entry.media?.duration ?? entry.duration,
        modified: entry.published ?? now)
      if let rule = sieve.rule(for: subject, at: place) { leaveOut(place, by: rule, of: rules) }
    }
    for place in sieve.tooOld { leaveOut(place, by: .newest, of: rules) }
    complaints = sieve.complaints
  }

  private mutating func leaveOut(_ place: Int, by rule: EntryRules.Rule, of rules: EntryRules) {
    self.rules[place] = Rule(
      key: EntryRules.key(of: rule), reason: "left out by \(rules.words(for: rule))")
  }
}
