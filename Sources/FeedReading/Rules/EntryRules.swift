import Markup

/// The user's rules for a feed. An entry that a rule rejects is left out of the feed's folder, and
/// keeps its number.
package struct EntryRules: Hashable, Codable, Sendable {
  /// How many entries are listed, counted from the newest; nil means all entries.
  package var newest: Int?
  package var since: RuleStart?
  /// An entry that matches one of these patterns is left out. Neither nil nor an empty list leaves
  /// out anything. They differ only in `over`, which replaces nil, but not an empty list.
  package var skip: [EntryPattern]?
  /// An entry that matches none of these patterns is left out. Without a pattern, this rule leaves
  /// out nothing.
  package var only: [EntryPattern]?
  package var minDuration: RuleTime?
  /// The longest duration of a listed entry. Zero means no limit.
  package var maxDuration: RuleTime?
  /// False leaves out entries that are live; nil and true leave out none.
  package var live: Bool?

  /// The greatest number of patterns in `skip`, and also in `only`.
  package static let maxPatterns = 100

  package init() {}

  /// Whether no rule can leave out anything.
  package var isEmpty: Bool {
    newest == nil && since == nil && minDuration == nil && maxDuration == nil && live != false
      && (skip ?? []).isEmpty && (only ?? []).isEmpty
  }

  /// Returns these rules, with each rule that is nil replaced by the same rule of `others`.
  package func over(_ others: EntryRules) -> EntryRules {
    var all = self
    all.newest = newest ?? others.newest
    all.since = since ?? others.since
    all.skip = skip ?? others.skip
    all.only = only ?? others.only
    all.minDuration = minDuration ?? others.minDuration
    all.maxDuration = maxDuration ?? others.maxDuration
    all.live = live ?? others.live
    return all
  }

  /// Names the rule by which an entry is left out.
  package enum Rule: Hashable, Sendable {
    /// The pattern at this index of `skip`.
    case skip(UInt8)
    case only, live, minDuration, maxDuration, since, newest
  }

  /// Returns the key of a rule in the configuration. The option on the command line is "--" and
  /// this key.
  package static func key(of rule: Rule) -> String {
    switch rule {
    case .skip: "skip"
    case .only: "only"
    case .live: "live"
    case .minDuration: "min-duration"
    case .maxDuration: "max-duration"
    case .since: "since"
    case .newest: "newest"
    }
  }

  /// Returns the rule as a person writes it: `skip "#shorts"`, `newest 20`.
  package func words(for rule: Rule) -> String {
    let value: String? =
      switch rule {
      case .skip(let place): skip.map { "\"\($0[Int(place)].text)\"" }
      case .only: only.map { $0.map { "\"\($0.text)\"" }.joined(separator: " or ") }
      case .live: live.map { "\($0)" }
      case .minDuration: minDuration?.text
      case .maxDuration: maxDuration?.text
      case .since: since?.text
      case .newest: newest.map(String.init)
      }
    return PrintableText.line("\(Self.key(of: rule)) \(value ?? "")")
  }
}

/// Decides by rules which entries of a feed are left out.
package struct RuleSieve {
  private let rules: EntryRules
  private let start: Int?
  private var rest: [(place: Int, modified: Int)] = []
  /// The texts of the patterns that ran out of steps (`MatchCost`), each with the number of entries
  /// at which this happened.
  private var slow: [String: Int] = [:]

  /// A pattern that ran out of steps at this many entries is not tried at further entries.
  private static let maxSlowEntries = 10

  /// - Parameter now: seconds since 1970.
  package init(_ rules: EntryRules, now: Int) {
    self.rules = rules
    start = rules.since?.moment(at: now)
  }

  /// Returns the rule that leaves out the entry at `place`; nil if no rule does. The rule `newest`
  /// is not applied here, because it compares entries with each other: `tooOld` applies it.
  package mutating func rule(for subject: RuleSubject, at place: Int) -> EntryRules.Rule? {
    var subject = subject
    for (index, pattern) in (rules.skip ?? []).enumerated() where matches(pattern, &subject) {
      return .skip(UInt8(index))
    }
    if let only = rules.only, !only.isEmpty {
      guard only.contains(where: { matches($0, &subject) }) else { return .only }
    }
    if subject.isBroadcast, rules.live == false { return .live }
    if let duration = subject.duration {
      if let minDuration = rules.minDuration, duration < minDuration.seconds { return .minDuration }
      if let maxDuration = rules.maxDuration, maxDuration.seconds > 0,
        duration > maxDuration.seconds
      {
        return .maxDuration
      }
    }
    if let start, subject.modified < start { return .since }
    if rules.newest != nil { rest.append((place, subject.modified)) }
    return nil
  }

  /// The places of the entries that `newest` leaves out. The list is complete once `rule` was
  /// called for all entries. Of two entries with the same date, the one at the earlier place counts
  /// as newer.
  package var tooOld: [Int] {
    guard let newest = rules.newest, rest.count > newest else { return [] }
    return rest.sorted { ($1.modified, $0.place) < ($0.modified, $1.place) }.dropFirst(newest)
      .map(\.place)
  }

  /// A sentence for each pattern that ran out of steps.
  package var complaints: [String] {
    slow.sorted { $0.key < $1.key }.map { pattern, count in
      "\(pattern) takes too long to search in \(count == 1 ? "an entry" : "\(count) entries or more"),"
        + " so it counts as not found there"
    }
  }

  private mutating func matches(_ pattern: EntryPattern, _ subject: inout RuleSubject) -> Bool {
    guard slow[pattern.text, default: 0] < Self.maxSlowEntries else { return false }
    if let matches = pattern.matches(&subject) { return matches }
    slow[pattern.text, default: 0] += 1
    return false
  }
}
