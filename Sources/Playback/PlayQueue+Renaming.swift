/// Keeps track of the entry that plays when its path changes, for example because its folder is
/// renamed.
extension PlayQueue {
  /// Takes over the new path of the entry that plays, if it has one. The player has the file open,
  /// and plays on. The player's list has the old path until another entry plays.
  mutating func follow(_ new: PlayedListing) -> [PlayAction] {
    guard let old = current, let key = known[old]?.key else { return [] }
    let paths = Set(new.entries.map(\.path))
    let isNew: (PlayedEntry) -> Bool = { [listed] in $0.key == key && !listed.contains($0.path) }
    guard !paths.contains(old), let path = new.entries.first(where: isNew)?.path else { return [] }
    current = path
    // After several changes of the path, the player still has the path from before the first
    // change.
    if formerName == nil { formerName = old } else { given.remove(old) }
    given.insert(path)
    if played == old { played = path }
    if previous == old { previous = path }
    if wish == .entry(old) { wish = .entry(path) }
    if let reopening, reopening.path == old { self.reopening = (path, reopening.place) }
    var actions = standstill.moved(to: path)
    switch doubt {
    case .end(old)?: doubt = .end(path)
    case .failure(old)?: doubt = .failure(path)
    default: return actions
    }
    actions.append(.check(path))
    return actions
  }

  /// Returns the player's list, with the new path of the entry that plays in place of its former
  /// one.
  func present(_ paths: [String], current place: Int?) -> [String] {
    guard let formerName, let place, paths.indices.contains(place), paths[place] == formerName,
      let current
    else { return paths }
    var paths = paths
    paths[place] = current
    return paths
  }

  /// Forgets the former path of an entry, and that the player was given `path`, its new path. So
  /// the next edit puts the new path into the player's list. Called when the player leaves the
  /// entry, or has to open it again.
  mutating func dropFormerName(of path: String?) {
    guard formerName != nil, let path else { return }
    given.remove(path)
    formerName = nil
  }
}
