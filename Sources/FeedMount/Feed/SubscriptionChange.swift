import FeedReading

/// Decides the steps by which a mount gets the feeds that the user subscribes to.
enum SubscriptionChange {
  /// A feed that the mount has.
  struct Member: Hashable, Sendable {
    let key: String
    /// The name that the user gave its folder; nil if the user gave none.
    var wish: String?
    /// The rules of the user.
    var rules = EntryRules()
    var keep: KeepRule?
    var isLeaving = false
  }

  enum Step: Hashable, Sendable {
    /// The feed leaves the mount as soon as none of its files is open.
    case leave(String)
    /// The feed stays after all, though it was about to leave.
    case stay(String)
    case rename(String, to: String?)
    case sift(String, by: EntryRules)
    case keep(String, KeepRule?)
    case join(FeedChoice)
  }

  /// Returns the steps from `members` to `choices`, in order. A feed that is in `choices` twice is
  /// taken once, and a feed without a usable address is ignored.
  ///
  /// If other settings of a feed have changed, and the feed stays, they take effect at the next
  /// mount.
  static func steps(from members: [Member], to choices: [FeedChoice]) -> [Step] {
    let wanted = FeedLists.unique(choices).compactMap { choice in
      (try? FeedKey(choice.address)).map { (key: $0.value, choice: choice) }
    }
    let keys = Set(wanted.map(\.key))
    let known = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
    var steps: [Step] = members.filter { !$0.isLeaving && !keys.contains($0.key) }
      .map { .leave($0.key) }
    for (key, choice) in wanted {
      guard let member = known[key] else { continue }
      if member.isLeaving { steps.append(.stay(key)) }
      if member.wish != choice.name { steps.append(.rename(key, to: choice.name)) }
      if member.rules != choice.rules { steps.append(.sift(key, by: choice.rules)) }
      if member.keep != choice.keep { steps.append(.keep(key, choice.keep)) }
    }
    return steps + wanted.filter { known[$0.key] == nil }.map { .join($0.choice) }
  }
}
