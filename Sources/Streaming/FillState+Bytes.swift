package import Blocks

/// What follows when bytes come, or turn out to be gone.
extension FillState {
  /// The first answer proved what is there; `held` is what the store has of it.
  package mutating func proved(
    _ layout: BlockLayout, held: BlockSet, at now: Duration
  ) -> [Action] {
    self.layout = layout
    self.held = held
    trouble = nil
    return resumeReady() + demand(at: now)
  }

  /// The answer of `fetch` passed the check, and `bytes` follow.
  package mutating func began(
    _ fetch: FetchID, bytes: ByteRange, whole: Bool, at now: Duration
  ) -> [Action] {
    guard fetches[fetch] != nil else { return [] }
    if let asked = fetches[fetch]?.asked { lanes.began(after: now - asked) }
    fetches[fetch]?.begun = now
    fetches[fetch]?.bytes = bytes
    fetches[fetch]?.position = bytes.lowerBound
    originLacksRanges = whole
    guard whole else { return demand(at: now) }
    let others = fetches.keys.filter { $0 != fetch }.sorted()
    for other in others { fetches[other] = nil }
    return others.map { .cancel($0) }
  }

  /// `bytes`, which came for `fetch`, are in the store, which had to let go of the blocks `displaced`
  /// for them, of which some may be of `bytes`: also if nobody wants that fetch any more.
  package mutating func arrived(
    _ bytes: ByteRange, in fetch: FetchID, displacing displaced: [BlockIndex] = [],
    at now: Duration
  ) -> [Action] {
    guard let layout else { return [] }
    forget(displaced)
    storeIsSmall = storeIsSmall || !displaced.isEmpty
    throughput.arrived(bytes.count, at: now)
    isPreloadAtRest = isPreloadAtRest || !displaced.isEmpty
    var brought = 0
    for block in layout.blocks(touching: bytes)
    where !held.contains(block) && !displaced.contains(block) {
      brought += keep(bytes, of: block, in: layout)
    }
    let before = fetches[fetch]?.rest.count ?? 0
    fetches[fetch]?.position = bytes.upperBound
    fetches[fetch]?.brought += brought
    let areFewer = lanes.arrived(
      bytes.count, streaming: fetches.values.count { $0.began }, at: now)
    var isOver = false
    if let fetch = fetches[fetch], fetch.brought - brought < layout.blockSize,
      fetch.brought >= layout.blockSize
    {
      isOver = endTrouble(with: fetch)
    }
    return (areFewer ? dropFarthest() : []) + resumeReady()
      + (isOver || !displaced.isEmpty ? demand(at: now) : [])
      + (isNearEnd(fetch, before: before) ? fetchAhead(at: now) : [])
  }

  /// `bytes`, which came for `fetch`, were kept nowhere.
  package mutating func missed(
    _ bytes: ByteRange, in fetch: FetchID, at now: Duration
  ) -> [Action] {
    fetches[fetch]?.position = bytes.upperBound
    return demand(at: now)
  }

  /// Another store has taken the place of the one that was: it has `held`, and nothing else.
  package mutating func begunAnew(held: BlockSet, at now: Duration) -> [Action] {
    self.held = held
    partial = [:]
    storeIsSmall = false
    isPlayedToEnd = false
    for handle in windows.keys { windows[handle]?.lookAgain() }
    return demand(at: now)
  }

  /// The store does not have `blocks` (any more).
  package mutating func lost(_ blocks: [BlockIndex], at now: Duration) -> [Action] {
    forget(blocks)
    for handle in windows.keys { windows[handle]?.lookAgain() }
    return demand(at: now)
  }

  // MARK: Private

  /// Counts what `bytes` bring of `block`; returns how much of it is new.
  private mutating func keep(
    _ bytes: ByteRange, of block: BlockIndex, in layout: BlockLayout
  ) -> Int {
    let inBlock = layout.bytes(of: block)
    let piece = bytes.clamped(to: inBlock)
    let known = partial[block, default: 0]
    let start = piece.lowerBound - inBlock.lowerBound
    // As in the store: a piece starts its block, anew if need be, or continues it, or is nothing.
    guard start == 0 || start == known else { return 0 }
    let count = piece.upperBound - inBlock.lowerBound
    if count == inBlock.count {
      held.insert(block)
      partial[block] = nil
    } else {
      partial[block] = count
    }
    return max(0, count - known)
  }

  private mutating func forget(_ blocks: [BlockIndex]) {
    for block in blocks {
      held.remove(block)
      partial[block] = nil
    }
  }
}
