package import Blocks

/// What follows when bytes come, or turn out to be gone.
extension FillState {
  /// The first answer proved what is there; `held` is what the store has of it.
  package mutating func proved(
    _ layout: BlockLayout, held: BlockSet, suspects: [ByteRange] = [], at now: Duration
  ) -> [Action] {
    self.layout = layout
    self.held = held
    restore(suspects, at: now)
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
    return drop(others)
  }

  /// The part of `bytes`, which came for `fetch`, to be written: all but a beginning that is there, or
  /// that does not continue what is there of its block; nil if nobody wants them.
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
    if fetches[fetch] == nil, brought > 0 { openEnds.insert(bytes.upperBound) }
    let before = fetches[fetch]?.rest.count ?? 0
    fetches[fetch]?.position = bytes.upperBound
    fetches[fetch]?.brought += brought
    if brought > 0, fetches[fetch]?.fresh == nil { fetches[fetch]?.fresh = bytes.lowerBound }
    let areFewer = lanes.arrived(
      bytes.count, streaming: fetches.values.count { $0.began }, at: now)
    var isOver = false
    if brought > 0, let fetch = fetches[fetch], fetch.brought == brought {
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
  package mutating func begunAnew(
    held: BlockSet, suspects: [ByteRange] = [], at now: Duration
  ) -> [Action] {
    self.held = held
    partial = [:]
    restore(suspects, at: now)
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
