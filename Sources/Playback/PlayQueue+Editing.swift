/// Edits the player's list so that it follows the feed.
extension PlayQueue {
  /// Takes the current listing of the feed.
  mutating func take(_ new: PlayedListing) -> [PlayAction] {
    let (old, oldKeys) = (listed, Set(listing.entries.map(\.key)))
    let actions = follow(new)
    listing = new
    for entry in new.entries { known[entry.path] = entry }
    listed = Set(new.entries.map(\.path))
    guard listed != old || !hasBegun else { return actions }
    if hasBegun { noteNews(besides: oldKeys) }
    // The mount lists an entry as long as its file is open. So an entry that was removed while it
    // played leaves the listing only when the next entry plays.
    if let previous, old.contains(previous), !listed.contains(previous), !failed.contains(previous),
      let key = known[previous]?.key, !new.entries.contains(where: { $0.key == key })
    {
      note(Self.removed)
    }
    return actions + look()
  }

  /// Returns the edits of the player's list that add missing entries and remove surplus ones. The
  /// player must perform them in this order.
  mutating func edits(of paths: [String], current: Int?) -> [PlayAction] {
    isLooking = false
    var list = paths
    var actions: [PlayAction] = []
    // The loop begins at the last entry, so that a removal does not change the places of entries
    // that are still to be checked.
    for index in list.indices.reversed() {
      let path = list[index]
      guard index != current, given.contains(path), !listed.contains(path) else { continue }
      list.remove(at: index)
      given.remove(path)
      actions.append(.remove(index))
    }
    let additions = listing.entries.filter { !given.contains($0.path) }
    guard !additions.isEmpty else { return actions }
    actions.append(.append(additions))
    given.formUnion(additions.map(\.path))
    let start = list.count
    list += additions.map(\.path)
    if start > 0 { actions += moves(of: additions, at: start, in: &list) }
    if !hasBegun {
      hasBegun = true
      actions.append(.play(beginning(in: list)))
    } else if looksAtEnd != nil, let index = list.firstIndex(of: additions[0].path) {
      looksAtEnd = nil
      actions.append(.play(index))
    }
    return actions
  }

  /// Moves each appended entry to the place after its predecessor in the feed. The feed's first
  /// entry is moved before all other entries of the feed.
  private func moves(
    of additions: [PlayedEntry], at start: Int, in list: inout [String]
  ) -> [PlayAction] {
    let order = listing.entries
    let new = Set(additions.map(\.path))
    var actions: [PlayAction] = []
    var from = start
    /// The place in `list` of the predecessor.
    var before: Int?
    for (index, entry) in order.enumerated() where new.contains(entry.path) {
      let previous = index > 0 ? order[index - 1].path : nil
      if let previous, !new.contains(previous) { before = list[..<from].lastIndex(of: previous) }
      let place = before.map { $0 + 1 } ?? (index > 0 ? from : firstOld(in: list[..<from]) ?? from)
      if place < from {
        list.insert(list.remove(at: from), at: place)
        actions.append(.move(from: from, to: place))
      }
      before = place
      from += 1
    }
    return actions
  }

  /// Returns the place of the first entry in `list` that came from the feed.
  private func firstOld(in list: ArraySlice<String>) -> Int? {
    list.firstIndex { given.contains($0) }
  }

  private mutating func noteNews(besides old: Set<PlayedEntry.Key>) {
    let new = listing.entries.indices.filter { !old.contains(listing.entries[$0].key) }
    guard let last = new.last else { return }
    let feed = listing.entries[last].key.feed
    let isAtEnd =
      last + 1 == listing.entries.count || listing.entries[last + 1].key.feed != feed
    if isAtEnd {
      note("the next page of the feed was loaded")
    } else {
      note(
        new.count == 1
          ? "new in the feed: \(listing.entries[last].title)"
          : "\(new.count) new in the feed")
    }
  }
}
