import FeedReading

/// Resumes files that ended too early, and chooses what can be played without a network.
extension PlayQueue {
  /// The entry that should play next.
  enum Wish: Hashable, Sendable {
    case entry(String)
    /// The first entry after `after` that is cached as a whole. `isAtEnd` is true if the player has
    /// stopped at the end of `after`.
    case whole(after: String, isAtEnd: Bool)
  }

  /// The end of an entry, if it is not clear yet whether an error has caused it.
  enum Doubt: Hashable, Sendable {
    /// The file at this path could not be opened.
    case failure(String)
    /// The file at this path was read to a place that the player takes for the end of the file.
    case end(String)

    var path: String {
      switch self {
      case .failure(let path), .end(let path): path
      }
    }
  }

  /// The attempts to open an entry during an outage. Times are in seconds.
  struct Retries: Hashable, Sendable {
    let path: String
    /// The time of the first attempt.
    let since: Int
    /// The time before which there is no further attempt.
    var next: Int

    /// The shortest time between two attempts.
    static let pace = 2
  }

  mutating func stood(_ event: PlayEvent) -> [PlayAction] {
    switch event {
    case .supplied(let supply): return supplied(supply)
    case .silent: standstill.silent()
    case .checked(let path, let supply): return judged(path, supply)
    case .second(let now): return second(now)
    case .look: return isOpen ? standstill.asked() : []
    case .answers(let isStopping): return isOpen ? standstill.answered(isStopping: isStopping) : []
    case .seeks:
      place.byte = nil
      // A seek to missing bytes may fail at once. So the player is asked now for its new position.
      return [.askPosition] + standstill.sought()
    case .isPaused(let isPaused): standstill.paused(isPaused)
    case .isAtEnd(let isAtEnd): return isAtEnd ? cameToAnEnd() : standstill.wasFound()
    case .probed(let path, let hasCome):
      return standstill.probed(path, hasCome).flatMap { obeyed($0) }
    default: break
    }
    return []
  }

  private mutating func supplied(_ supply: Supply) -> [PlayAction] {
    guard supply.path == current, doubt == nil else { return [] }
    let actions = standstill.supplied(supply, at: place, isLoaded: isLoaded)
      .flatMap { obeyed($0) }
    guard endsSince != nil, supply.condition != .offline else { return actions }
    endsSince = nil
    return actions + advance()
  }

  private mutating func second(_ now: Int) -> [PlayAction] {
    let actions = standstill.second(now) + wanted()
    guard let endsSince else { return actions }
    return actions + [.tell("\(Self.nothingWhole)\n\(FeedDuration.clock(Double(now - endsSince)))")]
  }

  /// Notes the player's position.
  mutating func isAt(_ seconds: Double) -> [PlayAction] {
    if standstill.hasStood || doubt != nil, place.isJumpToEnd(seconds) { return [] }
    return place.moved(to: seconds) ? remember() : []
  }

  // MARK: Ends

  /// Acts when the player has stopped at the end of its entry.
  private mutating func cameToAnEnd() -> [PlayAction] {
    guard let path = current, doubt == nil, !isAdvancing, endsSince == nil,
      standstill.lost == nil
    else { return [] }
    // The file is cached as a whole now. But bytes may have been missing when the player read the
    // file.
    if standstill.isWhole(path), !standstill.isBroken(path, at: place) { return atItsEnd() }
    doubt = .end(path)
    return [.askPosition, .check(path)]
  }

  /// Takes the answer to `.check` of an entry that has ended, and decides whether an error was the
  /// cause.
  private mutating func judged(_ path: String, _ supply: Supply?) -> [PlayAction] {
    guard let doubt, doubt.path == path else { return [] }
    self.doubt = nil
    let isCut = supply?.isCut ?? false
    switch doubt {
    case .failure:
      let others = passed
      passed = []
      if isCut {
        // Meanwhile mpv has tried the next entries by itself. These entries do not count as failed.
        if supply?.condition == .offline { return want(.whole(after: path, isAtEnd: false)) }
        if let again = retry(path) { return again }
      }
      failed += [path] + others
      return cameToItsEnd()
    case .end:
      guard path == current else { return [] }
      let actions = supply.map { standstill.supplied($0, at: place, isLoaded: false) } ?? []
      guard isCut && supply?.front(of: place.byte) != nil || standstill.isBroken(path, at: place)
      else { return actions + atItsEnd() }
      return actions + remember() + standstill.lost(path, at: place)
    }
  }

  /// Tries again to open an entry that could not be opened. If the mount is not offline, it returns
  /// nil after `Standstill.eagerSeconds`, because some origins answer with an error for ever.
  private mutating func retry(_ path: String) -> [PlayAction]? {
    let now = standstill.now
    var tries =
      retries.flatMap { $0.path == path ? $0 : nil }
      ?? Retries(path: path, since: now, next: now)
    guard condition == .offline || now - tries.since < Standstill.eagerSeconds else { return nil }
    let time = max(now, tries.next)
    tries.next = time + Retries.pace
    retries = tries
    return want(.entry(path), from: time)
  }

  /// Leaves an entry that was played to its end, unless the player leaves it by itself.
  private mutating func atItsEnd() -> [PlayAction] {
    guard steers else { return [] }
    let actions = ended(.end)
    guard condition == .offline, let path = current else { return actions + advance() }
    return actions + want(.whole(after: path, isAtEnd: true))
  }

  private mutating func advance() -> [PlayAction] {
    isAdvancing = true
    return [.next]
  }

  /// Returns the orders to go back to an entry that has ended with an error.
  mutating func returns(to path: String) -> [PlayAction] {
    reopening = (path, place.seconds)
    return remember() + want(.entry(path))
  }

  // MARK: Wishes

  /// Sets the wish, and asks for the player's list, because the wanted entry must be found there.
  /// Until `time`, in seconds, the wish waits.
  private mutating func want(_ wish: Wish, from time: Int = 0) -> [PlayAction] {
    (self.wish, wishTime) = (wish, time)
    // The player's list has the former path of the file, which does not work any more.
    if case .entry(let path) = wish, path == current { dropFormerName(of: path) }
    return wanted()
  }

  private mutating func wanted() -> [PlayAction] {
    wish == nil || standstill.now < wishTime ? [] : look()
  }

  /// Takes the player's list. A wish waits until the list agrees with the feed.
  mutating func holds(_ list: [String], current: Int?) -> [PlayAction] {
    let paths = present(list, current: current)
    let edits = edits(of: paths, current: current)
    guard let wish, standstill.now >= wishTime else { return edits }
    guard edits.isEmpty else { return edits + look() }
    self.wish = nil
    switch wish {
    case .entry(let path):
      guard let place = paths.firstIndex(of: path) else { return cameToItsEnd() }
      let isOutdated = paths.contains { given.contains($0) && !listed.contains($0) }
      return [.play(place)] + (isOutdated ? look() : [])
    case .whole(let path, let isAtEnd):
      let start = (paths.firstIndex(of: path) ?? -1) + 1
      let next = Self.places(from: start, of: paths, inRing: loops).first {
        whole.contains(paths[$0])
      }
      if let next { return [.play(next)] }
      guard isAtEnd else { return goBack(from: path, in: paths) }
      // The user has not turned the mount offline. So the origin may be back, and only a request
      // can show that.
      guard standstill.isOffline else { return advance() }
      endsSince = standstill.now
      return [.tell(Self.nothingWhole)]
    }
  }

  /// Goes back to the entry that played before `path`, because `path` is not cached as a whole.
  /// Quits if no entry played before.
  private mutating func goBack(from path: String, in paths: [String]) -> [PlayAction] {
    guard let played, played != path, let index = paths.firstIndex(of: played) else {
      return [quit]
    }
    note(Self.nothingWhole)
    if let place = known[played].flatMap({ positions[$0.key] }) { reopening = (played, place) }
    return [.play(index)]
  }

  /// Returns the places of a list from `start` on. If the list is a ring, the places before `start`
  /// follow.
  static func places(from start: Int, of paths: [String], inRing: Bool) -> [Int] {
    Array(paths.indices.dropFirst(start)) + (inRing ? Array(paths.indices.prefix(start)) : [])
  }

  /// Replaces an order to open a file again by a wish, because the player's list must first tell
  /// the place of the entry. Returns any other order as it is.
  private mutating func obeyed(_ action: PlayAction) -> [PlayAction] {
    guard case .reopen(let path, let place) = action else { return [action] }
    reopening = (path, place)
    return want(.entry(path))
  }

  private static let nothingWhole = "offline: no other entry is complete in the cache"
}
