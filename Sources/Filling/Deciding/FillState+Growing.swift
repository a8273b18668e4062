package import Blocks

/// Leaves the decisions to `GrowthState` while the length is not known.
extension FillState {
  /// Notes that the length is not known, and that `GrowthState` decides from now on.
  package mutating func growthBegan() {
    access.isGrowing = true
  }

  /// Notes that the answer to `fetch` has no length. From now on `GrowthState` decides, also about
  /// `fetch`. All waits are resumed, so that the caller passes them to `GrowthState`.
  package mutating func grows(_ fetch: FetchID) -> [Action] {
    access.isGrowing = true
    trouble.end()
    fetches[fetch] = nil
    let waits = waiting.keys.sorted()
    waiting = [:]
    return dropAll() + waits.map { .resume($0) }
  }

  /// Notes that the body has ended, which proves the length. `cachedBlocks` are the complete blocks
  /// of the store. `lastFetch` is the identifier of the latest fetch.
  package mutating func hasGrown(
    _ layout: BlockLayout, cachedBlocks: BlockSet, lastFetch: FetchID, at now: Duration
  ) -> [Action] {
    access.isGrowing = false
    self.lastFetch = lastFetch
    return proved(layout, cachedBlocks: cachedBlocks, at: now)
  }

  /// True if a body of unknown length must be fetched: the file has a reader, or all of it is
  /// preloaded. A preload of the head alone would make the origin produce the whole body for
  /// nothing.
  package var wantsGrowth: Bool {
    !waiting.isEmpty || isOpen || preloading.isWhole
  }

  /// Cancels `fetch`, whose answer has no length, because bodies of unknown length are not read, or
  /// because no reader and no preload of the whole file wants this one.
  package mutating func declines(_ fetch: FetchID, at now: Duration) -> [Action] {
    access.lacksRanges = true
    return drop([fetch])
  }
}
