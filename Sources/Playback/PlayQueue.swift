import Feeds

/// A feed on its way through a player: what the player's list is to be, and what its user is told.
///
/// The list itself is the player's, since its user may change it: before each change it is asked for,
/// and what the feed gained or lost is put in or taken out there. What plays is let play to its end,
/// even when the feed has it no more.
package struct PlayQueue: Sendable {
  /// Looks (a second each) at a mount that reads its next page, until a player at its end is let go.
  static let patience = 10
  /// Positions (a second each) between two that are kept.
  fileprivate static let pace = 15

  let loops: Bool
  private let resumes: Bool
  private var first: PlayedEntry.Key?
  private var positions: [PlayedEntry.Key: Double]

  var listing = PlayedListing([], isWhole: false)
  /// By path; those too that the feed has no more, as long as the player may have them.
  var known: [String: PlayedEntry] = [:]
  /// The paths of the listing.
  var listed: Set<String> = []
  /// What the player was given, and the feed still has.
  var given: Set<String> = []
  /// Its list was asked for, and has not come.
  var isLooking = false
  /// Of what it is told before, a player that starts makes a list of its own.
  private var isReady = false
  var hasBegun = false

  /// What plays.
  private var current: String?
  /// What played before.
  var previous: String?
  private var isLoaded = false
  private var place = Place()
  private var condition = PlayCondition.online
  /// What its user left for another one that has not been opened yet.
  private var left: String?
  /// What it could not open, until the mount was looked at.
  var failed: [String] = []
  private var failures = 0
  private var successes = 0
  /// Looks since it came to its end; nil: it plays.
  var looksAtEnd: Int?
  /// To be shown when there is something to be seen.
  private var notes: [String] = []

  /// - Parameters:
  ///   - first: where to begin; nil: with the first one.
  ///   - positions: how far its user came in each entry.
  ///   - resumes: whether to go on from there.
  package init(
    from first: PlayedEntry.Key? = nil, loops: Bool = false, resumes: Bool = false,
    positions: [PlayedEntry.Key: Double] = [:]
  ) {
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
    case .holds(let paths, let current): actions = edits(of: paths, current: current)
    case .opens(let path): actions = becameReady() + opens(path)
    case .loaded: actions = loaded()
    case .isAt(let seconds): actions = place.moved(to: seconds) ? remember() : []
    case .lasts(let seconds): place.duration = seconds
    case .ended(let reason): actions = ended(reason)
    case .idle: actions = becameReady() + cameToItsEnd()
    case .closed: actions = ended(.stopped)
    }
    return actions + shown()
  }

  mutating func note(_ words: String) {
    notes.append(words)
  }

  /// At most one question is under way: its answer is compared with what is listed when it comes.
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

  /// Where the list begins.
  mutating func beginning(in paths: [String]) -> Int {
    guard let first, let entry = listing.entries.first(where: { $0.key == first }) else { return 0 }
    return paths.firstIndex(of: entry.path) ?? 0
  }

  // MARK: The mount was looked at

  private mutating func looked(_ new: PlayedListing?) -> [PlayAction] {
    var actions: [PlayAction] = []
    if let new, new != listing { actions = take(new) }
    judgeFailures()
    guard let looks = looksAtEnd, actions.isEmpty, !isLooking else { return actions }
    looksAtEnd = looks + 1
    return mayGrow && looks < Self.patience ? [] : [quit]
  }

  /// What the feed has no more could not be opened, and that is no failure.
  private mutating func judgeFailures() {
    guard !failed.isEmpty else { return }
    let bad = failed.filter(listed.contains)
    failures += bad.count
    if bad.count < failed.count { note(Self.removed) }
    if bad.count == 1 { note("\(known[bad[0]]?.name ?? bad[0]) cannot be played, going on") }
    if bad.count > 1 { note("\(bad.count) entries cannot be played, going on") }
    failed = []
  }

  // MARK: What the player does

  private mutating func opens(_ path: String) -> [PlayAction] {
    let before = current
    (previous, current, isLoaded, place) = (before, path, false, Place())
    looksAtEnd = nil
    var actions: [PlayAction] = []
    if let before, before != path, known[before] != nil, !listed.contains(before) {
      // What played, and was let play on.
      if !failed.contains(before) { note(Self.removed) }
      actions = look()
    }
    // mpv goes forwards from what it cannot open, and so, on the way back, to where its user came from.
    if path == left, before != path, listed.count > 2 {
      left = nil
      actions.append(.back)
    }
    guard let position = known[path].flatMap({ positions[$0.key] }) else { return actions }
    if resumes {
      note("going on at \(FeedDuration.clock(position))")
      return actions + [.start(at: position)]
    }
    note("stopped at \(FeedDuration.clock(position)) the last time; --resume goes on there")
    return actions
  }

  /// A player that was quicker than the word where to start is brought there now.
  private mutating func loaded() -> [PlayAction] {
    isLoaded = true
    left = nil
    successes += 1
    guard resumes, let position = current.flatMap({ known[$0] }).flatMap({ positions[$0.key] })
    else { return [] }
    return [.seek(to: position)]
  }

  private mutating func ended(_ reason: PlayEvent.Reason) -> [PlayAction] {
    guard let path = current else { return [] }
    defer { (isLoaded, place) = (false, Place()) }
    if reason != .failed { left = reason == .stopped ? path : nil }
    switch reason {
    case .failed:
      if known[path] != nil { failed.append(path) }
      return []
    case .end where !place.isCutShort, .stopped where place.isNearEnd:
      guard let key = known[path]?.key, positions.removeValue(forKey: key) != nil || isLoaded else {
        return []
      }
      return [.forget(key)]
    case .end:
      if listed.contains(path) { note("\(known[path]?.name ?? path) breaks off, going on") }
      // Not where it would break off again, should it be the next one.
      defer { known[path].map { positions[$0.key] = nil } }
      return remember()
    case .stopped: return remember()
    }
  }

  private mutating func cameToItsEnd() -> [PlayAction] {
    guard hasBegun, looksAtEnd == nil, successes > 0 || !failed.isEmpty else { return [] }
    judgeFailures()
    looksAtEnd = 0
    // A ring only ends where nothing of it can be played.
    guard mayGrow, !loops else { return [quit] }
    note("looking for the next page")
    return []
  }

  private var mayGrow: Bool { !listing.isWhole && condition == .online }

  /// As mpv itself would end.
  private var quit: PlayAction {
    .quit(code: failures == 0 ? 0 : successes == 0 ? 2 : 3)
  }

  // MARK: What stays

  private mutating func remember() -> [PlayAction] {
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

  static let removed = "removed from the feed, going on"
}

/// How far somebody has come in what plays.
private struct Place: Hashable, Sendable {
  var seconds = 0.0
  /// Seconds; nil: not known yet.
  var duration: Double?
  /// Seconds, as they were kept last.
  var kept: Double?
  private var count = 0

  /// True when it is time to keep the place.
  mutating func moved(to seconds: Double) -> Bool {
    self.seconds = seconds
    count += 1
    return count.isMultiple(of: PlayQueue.pace) && kept != seconds
  }

  /// What follows is the credits, at most.
  var isNearEnd: Bool {
    guard let duration else { return false }
    return duration - seconds < max(2, duration / 20)
  }

  /// It is known that there should have been more. The place is a second old, at most.
  var isCutShort: Bool { duration != nil && !isNearEnd }

  /// Nobody wants to be brought back to where a look at the beginning ended.
  var isWorthKeeping: Bool { seconds >= 3 && !isNearEnd }
}
