import Catalog
import Filling
import Locks
import Quantities
import Storage

/// Retries files whose bytes do not arrive, find no room, or cannot be cached.
extension Preloader {
  /// Returns the pinned entries of `live` that have bytes to fetch and no running backoff.
  func pins(of live: LiveCatalog) -> [Name] {
    let pinBackoffs = state.withLock { $0.pinBackoffs }
    let now = timekeeper.now
    return live.unfinishedPins.map { Name(feed: ObjectIdentifier(live), inode: $0.inode) }
      .filter { !pinBackoffs.includes($0, at: now) }
  }

  /// Starts a backoff for `names`. Until it ends, their pins cause no fetch.
  func backOff(_ names: [Name]) {
    let now = timekeeper.now
    let ends = state.withLock { state in
      names.compactMap { name in state.pinBackoffs.begin(name, at: now).map { (name.feed, $0) } }
    }
    for (feed, length) in ends {
      timekeeper.call(after: length) { [weak self] in
        guard let self, let live = state.withLock({ $0.feeds[feed] }) else { return }
        followPins(of: live)
      }
    }
  }

  /// Schedules the next round while any file is being filled, because its bytes can fail to arrive,
  /// or find no room.
  func waitForNextRound() {
    let now = timekeeper.now
    let next: Duration? = state.withLock { state in
      let isFilling = state.plan.isFilling || !state.asked.isEmpty
      guard isFilling, !state.hasEnded else { return nil }
      let next = now + state.rounds.next(isAwaited: !state.asked.isEmpty)
      // An earlier round stays scheduled, and a later round is replaced. A waiting command needs an
      // earlier round than a stalled background fetch.
      if let earlier = state.nextRound, earlier <= next { return nil }
      state.nextRound = next
      return next
    }
    guard let next else { return }
    timekeeper.call(after: next - now) { [weak self] in self?.beginRound(of: next) }
  }

  private func beginRound(of time: Duration) {
    let isNext = state.withLock { state in
      guard state.nextRound == time else { return false }
      state.nextRound = nil
      return true
    }
    if isNext { beginRound() }
  }

  private func beginRound() {
    let now = timekeeper.now
    let (feeds, opened, late) = state.withLock { state in
      let late = state.asked.filter { $0.value <= now }.map(\.key)
      for name in late { state.asked[name] = nil }
      let feeds = state.feeds.filter { !state.leaving.contains($0.key) }.values
      return (feeds.map(\.self), state.opened, late)
    }
    let idle = opened.filter {
      $0.value.parts?.isEmpty == false && !$0.value.version.filler.isFetching
    }
    let hasRoom = feeds.first?.hasRoom ?? false
    let plan = state.withLock { $0.plan }
    let onlyInMemory = onlyInMemory(idle, plan, hasRoom: hasRoom)
    // The disk refuses to open the cache files of these versions.
    let refused = opened.filter { plan.filled.contains($0.key) && !$0.value.version.canBeCached }
      .keys
    backOff(onlyInMemory)
    let pins = feeds.flatMap(pins)
    let slow = slow(opened, plan)
    change { plan in
      for name in late { plan.release(name, as: .asked) }
      for name in onlyInMemory { plan.isDone(with: name) }
      for name in pins { plan.wantsAll(of: name, because: .pinned) }
      // A file that could not be opened brings no bytes either, so it is postponed too.
      let unopened = plan.filled.filter { opened[$0] == nil }
      for name in Array(idle.keys) + refused + unopened + slow { plan.postpone(name) }
    }
    let bytes = opened.values.reduce(0) { $0 + $1.version.holding.bytes }
    let left = state.withLock { state in
      state.rounds.saw(bytes)
      if hasRoom { for name in idle.keys { state.opened[name]?.parts = [] } }
      return Set(onlyInMemory).union(refused).compactMap { state.opened.removeValue(forKey: $0) }
    }
    for opened in left {
      opened.version.filler.preload([])
      opened.live.closed(opened.version)
    }
    follow()
    waitForNextRound()
  }

  /// Returns the files that are filled because they are pinned or kept, have no length yet, and
  /// come more slowly than they play.
  private func slow(_ opened: [Name: Opened], _ plan: PreloadPlan<Name>) -> [Name] {
    let urgent = Set(plan.wanted(because: .asked) + plan.wanted(because: .played))
    var bodies: [Name: SlowBodies<Name>.Progress] = [:]
    for name in plan.filled where !urgent.contains(name) {
      guard let opened = opened[name], let reached = opened.version.filler.growth?.reached else {
        continue
      }
      let entry = opened.live.entry(inode: name.inode)
      let rate = entry?.duration.flatMap { seconds in
        seconds < 1 ? nil : entry?.claimedLength.map { Int(Double($0) / seconds) }
      }
      bodies[name] = .init(bytes: reached, rate: rate)
    }
    return state.withLock { [bodies] in $0.slow.saw(bodies, at: timekeeper.now) }
  }

  /// Returns the idle files that have bytes only in memory and wait for no more bytes. Either they
  /// are complete, or the disk refuses their bytes although it has room. Incomplete files that a
  /// command waits for are not among them, because their fetches go on.
  private func onlyInMemory(
    _ idle: [Name: Opened], _ plan: PreloadPlan<Name>, hasRoom: Bool
  ) -> [Name] {
    let filled = Set(plan.filled).subtracting(plan.wanted(because: .asked))
    return idle.compactMap { name, opened in
      let isLost = hasRoom && filled.contains(name) || opened.version.filler.isComplete
      return isLost && opened.version.isPartlyInMemory ? name : nil
    }
  }
}

/// The poll interval for background fetches. It doubles while no bytes arrive, because possibly
/// they never come, and no reader waits for them.
struct PreloadTimer: Sendable {
  private var delay = Backoff(from: .seconds(1), to: .seconds(60))
  private var bytes = 0

  /// Returns the time until the next poll. It is one second if a command waits.
  func next(isAwaited: Bool) -> Duration {
    isAwaited ? .seconds(1) : delay.next
  }

  /// Notes how many bytes of the fetched files have arrived so far.
  mutating func saw(_ bytes: Int) {
    if bytes == self.bytes { delay.failed() } else { delay.reset() }
    self.bytes = bytes
  }
}
