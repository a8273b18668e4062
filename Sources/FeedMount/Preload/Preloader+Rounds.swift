import Feeds
import NIOConcurrencyHelpers
import Storage
import Streaming

/// What is to be tried again, since it does not come, finds no room, or is not kept.
extension Preloader {
  /// The pinned entries of `live` of which something is to be fetched now.
  func pins(of live: LiveCatalog) -> [Name] {
    let rests = state.withLockedValue { $0.rests }
    let now = timekeeper.now
    return live.unfinishedPins.map { Name(feed: ObjectIdentifier(live), inode: $0.inode) }
      .filter { !rests.includes($0, at: now) }
  }

  /// Of these nothing is fetched for a while because they are pinned.
  func rest(_ names: [Name]) {
    let now = timekeeper.now
    let ends = state.withLockedValue { state in
      names.compactMap { name in state.rests.begin(name, at: now).map { (name.feed, $0) } }
    }
    for (feed, length) in ends {
      timekeeper.call(after: length) { [weak self] in
        guard let self, let live = state.withLockedValue({ $0.feeds[feed] }) else { return }
        followPins(of: live)
      }
    }
  }

  /// Of what is wanted as a whole something may not come, or find no room: that is looked at as long as
  /// anything is.
  func waitForNextRound() {
    let now = timekeeper.now
    let next: Duration? = state.withLockedValue { state in
      let isFilling = state.plan.isFilling || !state.asked.isEmpty
      guard isFilling, !state.hasEnded else { return nil }
      let next = now + state.rounds.next(isAwaited: !state.asked.isEmpty)
      // Whoever waits for a file does not wait for what has not come for long.
      if let earlier = state.nextRound, earlier <= next { return nil }
      state.nextRound = next
      return next
    }
    guard let next else { return }
    timekeeper.call(after: next - now) { [weak self] in self?.beginRound(of: next) }
  }

  private func beginRound(of time: Duration) {
    let isNext = state.withLockedValue { state in
      guard state.nextRound == time else { return false }
      state.nextRound = nil
      return true
    }
    if isNext { beginRound() }
  }

  private func beginRound() {
    let now = timekeeper.now
    let (feeds, held, late) = state.withLockedValue { state in
      let late = state.asked.filter { $0.value <= now }.map(\.key)
      for name in late { state.asked[name] = nil }
      return (state.feeds.values.map(\.self), state.held, late)
    }
    let idle = held.filter { !$0.value.parts.isEmpty && !$0.value.version.filler.isFetching }
    let hasRoom = feeds.first?.hasRoom ?? false
    let plan = state.withLockedValue { $0.plan }
    let unkept = unkept(idle, plan, hasRoom: hasRoom)
    // Of these the file cannot be opened.
    let refused = held.filter { plan.filled.contains($0.key) && !$0.value.version.canBeKept }.keys
    rest(unkept)
    let pins = feeds.flatMap(pins)
    change { plan in
      for name in late { plan.release(name, as: .asked) }
      for name in unkept { plan.isDone(with: name) }
      for name in pins { plan.wantsAll(of: name, because: .pinned) }
      // Of what could not be opened nothing comes, either.
      let unopened = plan.filled.filter { held[$0] == nil }
      for name in Array(idle.keys) + refused + unopened { plan.postpone(name) }
    }
    let bytes = held.values.reduce(0) { $0 + $1.version.holding.bytes }
    let left = state.withLockedValue { state in
      state.rounds.saw(bytes)
      if hasRoom { for name in idle.keys { state.held[name]?.parts = [] } }
      return Set(unkept).union(refused).compactMap { state.held.removeValue(forKey: $0) }
    }
    for held in left {
      held.version.filler.preload([])
      held.live.closed(held.version)
    }
    follow()
    waitForNextRound()
  }

  /// What came into memory alone: all of a file, or as much as goes there where the disk has room and
  /// fails. As long as somebody waits for it, it goes on coming.
  private func unkept(
    _ idle: [Name: Held], _ plan: PreloadPlan<Name>, hasRoom: Bool
  ) -> [Name] {
    let filled = Set(plan.filled).subtracting(plan.wanted(because: .asked))
    return idle.compactMap { name, held in
      let isLost = hasRoom && filled.contains(name) || held.version.filler.snapshot.isComplete
      return isLost && held.version.isPartlyInMemory ? name : nil
    }
  }
}

/// When it is looked at again whether what is fetched for nobody comes: less and less often while it does
/// not, since it may never, and nobody waits for it.
struct PreloadRounds: Sendable {
  private static let longest: Duration = .seconds(60)

  private var delay: Duration = .seconds(1)
  private var bytes = 0

  /// How long to wait; no longer than a second where somebody does wait.
  func next(isAwaited: Bool) -> Duration {
    isAwaited ? .seconds(1) : delay
  }

  /// So much is kept now of what is fetched.
  mutating func saw(_ bytes: Int) {
    delay = bytes == self.bytes ? min(delay * 2, Self.longest) : .seconds(1)
    self.bytes = bytes
  }
}
