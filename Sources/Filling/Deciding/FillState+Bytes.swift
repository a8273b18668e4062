package import Blocks

/// Decides the next steps when an answer begins, when bytes come, and when cached bytes turn out to
/// be gone.
extension FillState {
  /// Notes that the first answer has proved the length. `cachedBlocks` are the complete blocks of
  /// the store, and `suspects` its suspect ranges.
  package mutating func proved(
    _ layout: BlockLayout, cachedBlocks: BlockSet, suspects: [ByteRange] = [], at now: Duration
  ) -> [Action] {
    self.layout = layout
    cached = CachedBytes(whole: cachedBlocks)
    restore(suspects, at: now)
    trouble.end()
    return adoptTail() + resumeReady() + demand(at: now)
  }

  /// Notes that the head of the answer to `fetch` was checked and accepted, and that `bytes`
  /// follow. `whole` is true if the origin serves no ranges. Then all other fetches are cancelled.
  package mutating func began(
    _ fetch: FetchID, bytes: ByteRange, whole: Bool, at now: Duration
  ) -> [Action] {
    guard fetches[fetch] != nil else { return [] }
    access.renewal.settle()
    if let asked = fetches[fetch]?.asked { lanes.began(after: now - asked, at: now) }
    fetches[fetch]?.begun = now
    takeover.began(streaming: fetches.values.count { $0.began })
    fetches[fetch]?.bytes = bytes
    fetches[fetch]?.position = bytes.lowerBound
    access.lacksRanges = whole
    guard whole else { return demand(at: now) }
    let others = fetches.keys.filter { $0 != fetch }.sorted()
    return drop(others)
  }

  /// Returns the part of `bytes` that must be stored. It leaves out leading bytes that are already
  /// cached, or that do not follow the cached bytes of their block. Returns nil if `fetch`, which
  /// brought `bytes`, was cancelled.
  package func accepts(_ bytes: ByteRange, in fetch: FetchID) -> ByteRange? {
    guard accepts(fetch), let layout else { return nil }
    return cached.accepted(of: bytes, in: layout)
  }

  /// Notes that the store has taken `bytes`, which `fetch` brought. The store evicted the blocks
  /// `displaced` to make room for them. Some of `displaced` can be blocks of `bytes`. `fetch` can
  /// be cancelled already.
  package mutating func arrived(
    _ bytes: ByteRange, in fetch: FetchID, displacing displaced: [BlockIndex] = [],
    at now: Duration
  ) -> [Action] {
    guard let layout else { return [] }
    forget(displaced)
    if !displaced.isEmpty {
      cached.isEvicting = true
      preloading.pause()
    }
    throughput.arrived(bytes.count, at: now)
    var brought = 0
    for block in layout.blocks(touching: bytes)
    where !cached.whole.contains(block) && !displaced.contains(block) {
      brought += cached.keep(bytes, of: block, in: layout)
    }
    var before = 0
    // The fetch is replaced as a whole, because each change of a single property would look the
    // fetch up again.
    if var known = fetches[fetch] {
      before = known.rest.count
      known.position = bytes.upperBound
      known.brought += brought
      known.pace.arrived(bytes.count, at: now)
      known.came = now
      if brought > 0, known.fresh == nil { known.fresh = bytes.lowerBound }
      fetches[fetch] = known
    } else if brought > 0 {
      suspects.leaveOpen(at: bytes.upperBound)
    }
    let isRead = waiting.values.contains(where: \.readsOn)
    if isRead { ahead.waited(at: now) }
    let isAwaited = isRead || isFillingAlone
    let areFewer = lanes.arrived(
      bytes.count, streaming: fetches.values.count { $0.began }, isAwaited: isAwaited, at: now)
    var isOver = false
    if brought > 0, let fetch = fetches[fetch], fetch.brought == brought {
      isOver = endTrouble(with: fetch)
    }
    // Empty lists are not joined, because that would cost as much as counting the bytes.
    var actions = areFewer ? dropFarthest() : []
    if let cut = fetches[fetch], cut.uncutEnd != nil { actions += endCut(fetch) }
    if !waiting.isEmpty {
      let resumed = resumeReady()
      if !resumed.isEmpty { actions = actions.isEmpty ? resumed : actions + resumed }
    }
    if isOver || !displaced.isEmpty { actions += demand(at: now) }
    if isNearEnd(fetch, before: before) { actions += fetchAhead(at: now) + fillOn(at: now) }
    return actions
  }

  /// Notes that `bytes`, which `fetch` brought, are not in the store, because the store was
  /// replaced meanwhile.
  package mutating func missed(
    _ bytes: ByteRange, in fetch: FetchID, at now: Duration
  ) -> [Action] {
    fetches[fetch]?.position = bytes.upperBound
    return demand(at: now)
  }

  /// Notes that the store was replaced by another one, which has only `cachedBlocks`. The ranges
  /// `suspects` of the new store are suspect.
  package mutating func storeWasReset(
    cachedBlocks: BlockSet, suspects: [ByteRange] = [], at now: Duration
  ) -> [Action] {
    cached = CachedBytes(whole: cachedBlocks)
    restore(suspects, at: now)
    readers.isPlayedToEnd = false
    readers.rescan()
    return demand(at: now)
  }

  /// Notes that the store lacks `blocks`, or has lost them.
  package mutating func lost(_ blocks: [BlockIndex], at now: Duration) -> [Action] {
    forget(blocks)
    readers.rescan()
    return demand(at: now)
  }

  /// Takes `blocks` out of the cached bytes, without fetching them again.
  mutating func forget(_ blocks: [BlockIndex]) {
    guard !blocks.isEmpty else { return }
    cached.forget(blocks)
    if let layout { suspects.forget(blocks, cached, in: layout) }
  }
}
