import FeedReading

/// Decides what happens while a feed is played: the edits of the player's list, and the messages to
/// its user.
///
/// The player owns the list, because its user may change it. The queue asks for the list before
/// each change. Then it adds the entries that the feed has gained, and removes the entries that the
/// feed has lost. The current entry plays to its end, even if the feed has dropped it.
package struct PlayQueue: Sendable {
  /// The number of checks of the mount for a next page, a second apart, while the player is at the
  /// end of its list. After them, the player quits.
  static let maxLooksAtEnd = 10
  let loops: Bool
  private let resumes: Bool
  /// True if the player stops at the end of each entry until it is told to go on. If not, the
  /// user's own options decide.
  let steers: Bool
  private var first: PlayedEntry.Key?
  var positions: [PlayedEntry.Key: Double]

  var listing = PlayedListing([], isWhole: false)
  /// Entries by path. Dropped entries that the player may still have are among them.
  var known: [String: PlayedEntry] = [:]
  /// The paths of the listing.
  var listed: Set<String> = []
  /// The paths that the player was given, and that the feed still has.
  var given: Set<String> = []
  /// True from the time when the player is asked for its list until it answers.
  var isLooking = false
  /// True once the player has started. Edits that come earlier would get into the list that the
  /// player itself begins with.
  private var isReady = false
  var hasBegun = false

  /// The path of the entry that plays.
  package internal(set) var current: String?
  /// The path that the player's list has for the current entry, if the entry has another path by
  /// now.
  var formerName: String?
  /// The path of the entry that played before the current one.
  var previous: String?
  /// The path of the last file that could be opened.
  var played: String?
  var isLoaded = false
  /// True from the time when the player begins to open a file until it has left it.
  var isOpen = false
  var place = Place()
  var condition = PlayCondition.online
  /// The paths of files that are cached as a whole.
  var whole: Set<String> = []
  var standstill = Standstill()
  /// The entry that should play next, instead of the one that the player would choose.
  var wish: Wish?
  /// The time until which the wish waits, in seconds.
  var wishTime = 0
  /// The attempts to open an entry during an outage.
  var retries: Retries?
  /// A path, and the position in seconds from which it plays when it is opened again.
  var reopening: (path: String, place: Double)?
  /// The end of an entry that is being checked, because an error may have caused it.
  var doubt: Doubt?
  /// The paths that the player could not open while an earlier failure is being checked.
  var passed: [String] = []
  /// True once the player was told to go on from the end of its entry.
  var isAdvancing = false
  /// The time, in seconds, since which the player waits at the end of an entry because no other
  /// entry is cached as a whole; nil if it does not wait.
  var endsSince: Int?
  /// True while the player has nothing to play.
  private var isIdle = false
  /// The path that the user left for another one. The other one is not loaded yet.
  private var left: String?
  /// Paths that the player could not open since the last check of the mount.
  var failed: [String] = []
  private var failures = 0
  private var successes = 0
  /// The checks of the mount since the player came to the end of its list; nil while it plays.
  var looksAtEnd: Int?
  /// Messages that wait for a picture on which they can be shown.
  private var notes: [String] = []

  /// - Parameters:
  ///   - first: the entry to begin with; nil for the first one.
  ///   - positions: the user's position in each entry.
  ///   - resumes: whether playback goes on from `positions`.
  ///   - steers: whether the player stops at the end of each entry. Then the queue tells it to go
  ///     on, unless the end is an error that will pass.
  package init(
    from first: PlayedEntry.Key? = nil, loops: Bool = false, resumes: Bool = false,
    steers: Bool = true, positions: [PlayedEntry.Key: Double] = [:]
  ) {
    self.steers = steers
    self.first = first
    self.loops = loops
    self.resumes = resumes
    self.positions = positions
  }

  package mutating func happened(_ event: PlayEvent) -> [PlayAction] {
    var actions: [PlayAction] = []
    switch event {
    case .listed(let new): actions = looked(new)
    case .condition(let new):
      guard new != condition else { break }
      condition = new
      notes.append(new.words)
    case .whole(let paths): whole = paths
    case .holds(let paths, let current): actions = holds(paths, current: current)
    case .opens(let path): actions = becameReady() + opens(path)
    case .loaded: actions = loaded()
    case .isAt(let seconds): actions = isAt(seconds)
    case .isAtByte(let byte): place.byte = byte
    case .lasts(let seconds): place.duration = seconds
    case .ended(let reason): actions = ended(reason)
    case .idle:
      isIdle = true
      actions = becameReady() + cameToItsEnd()
    case .closed: actions = ended(.stopped)
    case .supplied, .silent, .checked, .second, .look, .answers, .seeks, .isPaused, .isAtEnd,
      .probed:
      actions = stood(event)
    }
    return actions + shown()
  }

  mutating func note(_ words: String) {
    notes.append(words)
  }

  /// Asks for the player's list, unless an answer is already awaited. The answer is compared with
  /// the listing that is current when the answer comes.
  mutating func look() -> [PlayAction] {
    guard isReady, !isLooking else { return [] }
    isLooking = true
    return [.look]
  }

  private mutating func becameReady() -> [PlayAction] {
    guard !isReady else { return [] }
    isReady = true
    return listed.isEmpty ? [] : look()
  }

  /// Returns the place in the list where playback begins. Offline this is the first entry that is
  /// cached as a whole, unless the user has chosen one.
  func beginning(in paths: [String]) -> Int {
    let entry = first.flatMap { first in listing.entries.first { $0.key == first } }
    if let chosen = entry.flatMap({ paths.firstIndex(of: $0.path) }) { return chosen }
    return condition == .offline ? paths.firstIndex(where: whole.contains) ?? 0 : 0
  }

  // MARK: Looks at the mount

  private mutating func looked(_ new: PlayedListing?) -> [PlayAction] {
    var actions: [PlayAction] = []
    if let new, new != listing { actions = take(new) }
    judgeFailures()
    guard let looks = looksAtEnd, actions.isEmpty, !isLooking else { return actions }
    looksAtEnd = looks + 1
    return mayGrow && looks < Self.maxLooksAtEnd ? [] : [quit]
  }

  /// Counts the entries that could not be opened, but not those that the feed has dropped.
  private mutating func judgeFailures() {
    guard !failed.isEmpty else { return }
    let bad = failed.filter(listed.contains)
    failures += bad.count
    if bad.count < failed.count { note(Self.removed) }
    if bad.count == 1 { note("\(known[bad[0]]?.name ?? bad[0]) cannot be played, skipping it") }
    if bad.count > 1 { note("\(bad.count) entries cannot be played, skipping them") }
    failed = []
  }

  // MARK: Events of the player

  private mutating func opens(_ path: String) -> [PlayAction] {
    let before = current
    (previous, current, isLoaded, place) = (before, path, false, Place())
    isOpen = true
    (looksAtEnd, endsSince, isIdle) = (nil, nil, false)
    var actions = standstill.left()
    if formerName != nil {
      dropFormerName(of: before)
      actions += look()
    }
    if let before, before != path, known[before] != nil, !listed.contains(before) {
      // The feed had dropped this entry, but it was allowed to play to its end. Now it is over.
      if !failed.contains(before) { note(Self.removed) }
      actions += look()
    }
    // mpv goes forward from a file that it cannot open, even if the user was going back. Then the
    // user would be back at the entry that they have just left. So the queue orders mpv to go back
    // once more.
    if path == left, before != path, listed.count > 2 {
      left = nil
      actions.append(.back)
    }
    if let reopening, reopening.path == path {
      note("resuming at \(FeedDuration.clock(reopening.place))")
      return actions + [.start(at: reopening.place)]
    }
    guard let position = known[path].flatMap({ positions[$0.key] }) else { return actions }
    if resumes {
      note("resuming at \(FeedDuration.clock(position))")
      return actions + [.start(at: position)]
    }
    note(
      "you stopped at \(FeedDuration.clock(position)) the last time; `feedfs play --resume` begins there"
    )
    return actions
  }

  /// Seeks to the saved position, because a quick player may have opened the file before the start
  /// order.
  private mutating func loaded() -> [PlayAction] {
    isLoaded = true
    played = current
    (left, retries) = (nil, nil)
    successes += 1
    if let reopening, reopening.path == current {
      self.reopening = nil
      return [.seek(to: reopening.place)]
    }
    guard resumes, let position = current.flatMap({ known[$0] }).flatMap({ positions[$0.key] })
    else { return [] }
    return [.seek(to: position)]
  }

  mutating func ended(_ reason: PlayEvent.Reason) -> [PlayAction] {
    guard let path = current else { return [] }
    isOpen = false
    if isAdvancing {
      (isAdvancing, left) = (false, nil)
      return []
    }
    defer { (isLoaded, place) = (false, Place()) }
    if reason != .failed { left = reason == .stopped ? path : nil }
    // Another entry was chosen, or the player was ended. So the wish is void.
    if reason == .stopped { wish = nil }
    switch reason {
    case .failed:
      guard known[path] != nil, wish == nil else { return [] }
      if case .failure = doubt {
        passed.append(path)
        return []
      }
      doubt = .failure(path)
      return [.check(path)]
    case .end where standstill.isBroken(path, at: place): return returns(to: path)
    case .end where !place.isCutShort, .stopped where place.isNearEnd:
      guard let key = known[path]?.key, positions.removeValue(forKey: key) != nil || isLoaded else {
        return []
      }
      return [.forget(key)]
    case .end:
      if listed.contains(path) {
        note("\(known[path]?.name ?? path) ended too early, skipping the rest")
      }
      // The position is saved, but this queue does not start from it: the file would end there
      // again.
      defer { known[path].map { positions[$0.key] = nil } }
      return remember()
    case .stopped: return remember()
    }
  }

  /// Acts when the player has nothing left to play, unless a wish or a check is pending.
  mutating func cameToItsEnd() -> [PlayAction] {
    guard isIdle, wish == nil, doubt == nil else { return [] }
    guard hasBegun, looksAtEnd == nil, successes > 0 || !failed.isEmpty else { return [] }
    judgeFailures()
    looksAtEnd = 0
    // A loop ends only if none of its entries can be played.
    guard mayGrow, !loops else { return [quit] }
    note("looking for more entries on the next page of the feed")
    return []
  }

  private var mayGrow: Bool { !listing.isWhole && condition == .online }

  /// The order to quit, with mpv's own exit codes.
  var quit: PlayAction {
    .quit(code: failures == 0 ? 0 : successes == 0 ? 2 : 3)
  }

  // MARK: Places and messages

  mutating func remember() -> [PlayAction] {
    guard place.isWorthKeeping, let key = current.flatMap({ known[$0]?.key }) else { return [] }
    place.kept = place.seconds
    positions[key] = place.seconds
    return [.remember(key, place.seconds)]
  }

  private mutating func shown() -> [PlayAction] {
    guard isLoaded || looksAtEnd != nil, !notes.isEmpty else { return [] }
    defer { notes = [] }
    return [.show(notes.joined(separator: "\n"))]
  }

  static let removed = "an entry was removed from the feed; playing continues"
}
