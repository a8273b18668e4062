import Feeds
import NIOConcurrencyHelpers
import Storage
import Streaming

/// What is to be tried again, since it does not come, finds no room, or is not kept.
extension Preloader {
  /// A disk that has taken nothing may do so again, and the line may be metered.
  private static let rest: Duration = .seconds(600)

  /// The pinned entries of `live` of which something is to be fetched now.
  func pins(of live: LiveCatalog) -> [Name] {
    let resting = state.withLockedValue { $0.resting }
    return live.unfinishedPins.map { Name(feed: ObjectIdentifier(live), inode: $0.inode) }
      .filter { !resting.contains($0) }
  }

  /// Of these nothing is fetched because they are pinned, until it is looked at all that rest together.
  func rest(_ names: some Collection<Name>) {
    let isFirst = state.withLockedValue { state in
      defer { state.resting.formUnion(names) }
      return state.resting.isEmpty && !names.isEmpty && !state.hasEnded
    }
    guard isFirst else { return }
    timekeeper.call(after: Self.rest) { [weak self] in
      guard let self else { return }
      let feeds = state.withLockedValue { state in
        state.resting = []
        return state.feeds.values.map(\.self)
      }
      for live in feeds { followPins(of: live) }
    }
  }

  /// Of what is wanted as a whole something may not come, or find no room: that is looked at as long as
  /// anything is.
  func waitForNextRound() {
    let delay: Duration? = state.withLockedValue { state in
      guard state.plan.isFilling, !state.isWaiting, !state.hasEnded else { return nil }
      state.isWaiting = true
      return state.rounds.next(isAwaited: !state.asked.isEmpty)
    }
    guard let delay else { return }
    timekeeper.call(after: delay) { [weak self] in self?.beginRound() }
  }

  private func beginRound() {
    let now = timekeeper.now
    let (feeds, held, late) = state.withLockedValue { state in
      state.isWaiting = false
      let late = state.asked.filter { $0.value <= now }.map(\.key)
      for name in late { state.asked[name] = nil }
      return (state.feeds.values.map(\.self), state.held, late)
    }
    let idle = held.filter { !$0.value.parts.isEmpty && !$0.value.version.filler.isFetching }
    // What has come into memory alone is let go of there, and of what is wanted whole what can only come
    // there.
    let inMemory = idle.filter { $0.value.version.filler.snapshot.isComplete }.keys
    let filled = Set(state.withLockedValue { $0.plan.filled })
    let refused = held.filter { filled.contains($0.key) && !$0.value.version.canBeKept }.keys
    rest(inMemory)
    let pins = feeds.flatMap(pins)
    change { plan in
      for name in late { plan.release(name, as: .asked) }
      for name in inMemory { plan.release(name, as: .pinned) }
      for name in pins { plan.wantsAll(of: name, because: .pinned) }
      for name in idle.keys { plan.postpone(name) }
    }
    let bytes = held.values.reduce(0) { $0 + $1.version.holding.bytes }
    let hasRoom = feeds.first?.hasRoom ?? false
    let unkept = state.withLockedValue { state in
      state.rounds.saw(bytes)
      if hasRoom { for name in idle.keys { state.held[name]?.parts = [] } }
      return Set(inMemory).union(refused).compactMap { state.held.removeValue(forKey: $0) }
    }
    for held in unkept {
      held.version.filler.preload([])
      held.live.closed(held.version)
    }
    follow()
    waitForNextRound()
  }
}
