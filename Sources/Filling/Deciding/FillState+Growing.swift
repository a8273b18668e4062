package import Blocks

/// Gives the decisions to `GrowthState` as long as the length is not known.
extension FillState {
  /// Notes that an earlier use has left the beginning of a body without length.
  package mutating func growsFromBefore() {
    access.isGrowing = true
  }

  /// Notes that the answer to `fetch` has no length. From now on `GrowthState` decides, also about
  /// this fetch. All waits are resumed, and find that out.
  package mutating func grows(_ fetch: FetchID) -> [Action] {
    access.isGrowing = true
    trouble.end()
    fetches[fetch] = nil
    let waits = waiting.keys.sorted()
    waiting = [:]
    return dropAll() + waits.map { .resume($0) }
  }

  /// Notes that the end of the body has come, and has proved the length. `cachedBlocks` has the complete
  /// blocks of the store.
  package mutating func hasGrown(
    _ layout: BlockLayout, cachedBlocks: BlockSet, lastFetch: FetchID, at now: Duration
  ) -> [Action] {
    access.isGrowing = false
    self.lastFetch = lastFetch
    return proved(layout, cachedBlocks: cachedBlocks, at: now)
  }

  /// True if a body without length may be fetched: a reader waits for it, or all of it is wanted. A
  /// preload of its head would make the origin produce it for nothing.
  package var wantsGrowth: Bool {
    !waiting.isEmpty || isOpen || preloading.isWhole
  }

  /// Ends `fetch`: its body has no length, and no reader wants it.
  package mutating func declines(_ fetch: FetchID, at now: Duration) -> [Action] {
    access.lacksRanges = true
    return drop([fetch])
  }
}
