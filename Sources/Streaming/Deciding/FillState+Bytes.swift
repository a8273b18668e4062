package import Blocks

/// Decides the next steps when bytes come, or turn out to be gone.
extension FillState {
  /// Notes that the first answer proved the length. `held` has the complete blocks of the store.
  package mutating func proved(
    _ layout: BlockLayout, held: BlockSet, suspects: [ByteRange] = [], at now: Duration
  ) -> [Action] {
    self.layout = layout
    self.held = held
    restore(suspects, at: now)
    trouble = nil
    return adoptTail() + resumeReady() + demand(at: now)
  }

  /// Notes that the answer of `fetch` passed the check, and that `bytes` follow.
  package mutating func began(
    _ fetch: FetchID, bytes: ByteRange, whole: Bool, at now: Duration
  ) -> [Action] {
    guard fetches[fetch] != nil else { return [] }
    if let asked = fetches[fetch]?.asked { lanes.began(after: now - asked, at: now) }
    fetches[fetch]?.begun = now
    hasServedTwo = hasServedTwo || fetches.values.count { $0.began } > 1
    fetches[fetch]?.bytes = bytes
    fetches[fetch]?.position = bytes.lowerBound
    originLacksRanges = whole
    guard whole else { return demand(at: now) }
    let others = fetches.keys.filter { $0 != fetch }.sorted()
    return drop(others)
  }

  /// Returns the part of `bytes` that must be stored; nil if `fetch`, which brought them, was
  /// cancelled. It leaves out a beginning that is cached, or that does not continue its block.
  package func accepts(_ bytes: ByteRange, in fetch: FetchID) -> ByteRange? {
    guard accepts(fetch), let layout else { return nil }
    var start = bytes.lowerBound
    while start < bytes.upperBound {
      let block = layout.block(at: start)
      let inBlock = layout.bytes(of: block)
      let known = inBlock.lowerBound + partial[block, default: 0]
      if !held.contains(block), start <= known {
        start = max(start, known)
        break
      }
      start = inBlock.upperBound
    }
    return min(start, bytes.upperBound)..<bytes.upperBound
  }

  /// Notes that `bytes`, which `fetch` brought, are in the store. The store evicted the blocks
  /// `displaced` for them. These may include blocks of `bytes`. `fetch` may be cancelled by now.
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
    if fetches[fetch] == nil, brought > 0 { openEnds.insert(bytes.upperBound) }
    let before = fetches[fetch]?.rest.count ?? 0
    fetches[fetch]?.position = bytes.upperBound
    fetches[fetch]?.brought += brought
    fetches[fetch]?.pace.arrived(bytes.count, at: now)
    fetches[fetch]?.came = now
    let isRead = waiting.values.contains(where: \.readsOn)
    if isRead { waitedAt = now }
    let isAwaited = isRead || isFillingAlone
    if brought > 0, fetches[fetch]?.fresh == nil { fetches[fetch]?.fresh = bytes.lowerBound }
    let areFewer = lanes.arrived(
      bytes.count, streaming: fetches.values.count { $0.began }, isAwaited: isAwaited, at: now)
    var isOver = false
    if brought > 0, let fetch = fetches[fetch], fetch.brought == brought {
      isOver = endTrouble(with: fetch)
    }
    return (areFewer ? dropFarthest() : []) + endCut(fetch) + resumeReady()
      + (isOver || !displaced.isEmpty ? demand(at: now) : [])
      + (isNearEnd(fetch, before: before) ? fetchAhead(at: now) + fillOn(at: now) : [])
  }

  /// Notes that `bytes`, which `fetch` brought, were not stored.
  package mutating func missed(
    _ bytes: ByteRange, in fetch: FetchID, at now: Duration
  ) -> [Action] {
    fetches[fetch]?.position = bytes.upperBound
    return demand(at: now)
  }

  /// Notes that another store has replaced the old one; the new store has only `held`.
  package mutating func storeWasReset(
    held: BlockSet, suspects: [ByteRange] = [], at now: Duration
  ) -> [Action] {
    self.held = held
    partial = [:]
    restore(suspects, at: now)
    storeIsSmall = false
    isPlayedToEnd = false
    for handle in windows.keys { windows[handle]?.rescan() }
    return demand(at: now)
  }

  /// Notes that the store does not have `blocks`, or that it has lost them.
  package mutating func lost(_ blocks: [BlockIndex], at now: Duration) -> [Action] {
    forget(blocks)
    for handle in windows.keys { windows[handle]?.rescan() }
    return demand(at: now)
  }

  // MARK: Private

  /// Counts the bytes of `block` in `bytes`; returns how many of them are new.
  private mutating func keep(
    _ bytes: ByteRange, of block: BlockIndex, in layout: BlockLayout
  ) -> Int {
    let inBlock = layout.bytes(of: block)
    let piece = bytes.clamped(to: inBlock)
    let known = partial[block, default: 0]
    let start = piece.lowerBound - inBlock.lowerBound
    // The store has the same rule. A piece at the block's start counts, even if the block has begun
    // already. A piece that continues the block counts, too. Any other piece is ignored.
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

  mutating func forget(_ blocks: [BlockIndex]) {
    for block in blocks {
      held.remove(block)
      partial[block] = nil
    }
    guard !blocks.isEmpty, let layout else { return }
    if !openEnds.isEmpty {
      let gone = Set(blocks)
      openEnds = Set(
        openEnds.map { end in
          var end = end
          while end > 0, gone.contains(layout.block(at: end - 1)) {
            end = layout.bytes(of: layout.block(at: end - 1)).lowerBound
          }
          return end
        })
    }
    reviewSuspects()
  }
}
