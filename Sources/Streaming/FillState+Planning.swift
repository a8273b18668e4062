import Blocks

/// What to ask the origin for, and what to drop.
extension FillState {
  /// Fetches for all who wait and whose bytes are not under way.
  mutating func demand(at now: Duration) -> [Action] {
    guard !hasEnded, !isSuperseded, !isRenewing, !waiting.isEmpty else { return [] }
    guard let layout else { return demandProof(at: now) }
    if originLacksRanges { return demandWhole(layout, at: now) }
    var actions: [Action] = []
    for wait in waiting.keys.sorted() {
      guard let bytes = waiting[wait]?.bytes, !isHeldBack(bytes, at: now) else { continue }
      actions += fetch(needed: bytes, in: layout)
    }
    return actions
  }

  /// Fetches from `read` on, which `handle` has just made, as far as its window says.
  mutating func fetchAhead(of read: ByteRange, by handle: HandleID) -> [Action] {
    guard let layout, var window = windows[handle], window.isOpen, trouble == nil, !hasEnded,
      !isSuperseded, !originLacksRanges
    else { return [] }
    let edge = edge(from: read.lowerBound, upTo: window.next + window.size, in: layout)
    guard let bytes = window.fetch(beyond: edge, length: layout.length) else { return [] }
    windows[handle] = window
    return uncovered(layout.blocks(touching: bytes), in: layout)
      .map { start(layout.bytes(of: $0), .ahead) }
  }

  /// Cancels what nobody waits for and no window covers; a short rest of a body is let run.
  mutating func dropUnwanted() -> [Action] {
    let unwanted = fetches.filter { fetch in
      if originLacksRanges && hasHandles { return false }
      if fetch.value.began && fetch.value.rest.count <= rules.shortRest { return false }
      return !isWanted(fetch.value)
    }
    return drop(unwanted.keys.sorted())
  }

  mutating func dropAll() -> [Action] {
    drop(fetches.keys.sorted())
  }

  // MARK: Private

  private mutating func drop(_ ids: [FetchID]) -> [Action] {
    for id in ids { fetches[id] = nil }
    return ids.map { .cancel($0) }
  }

  private func isWanted(_ fetch: Fetch) -> Bool {
    let isWaitedFor = waiting.values.contains { $0.bytes?.overlaps(fetch.rest) ?? true }
    return isWaitedFor
      || windows.values.contains { $0.isOpen && $0.covers(fetch.position) }
  }

  private func isHeldBack(_ bytes: ByteRange, at now: Duration) -> Bool {
    guard let trouble else { return false }
    return trouble.notBefore > now && trouble.bytes.overlaps(bytes)
  }

  private mutating func demandProof(at now: Duration) -> [Action] {
    let head = 0..<rules.firstFetch
    guard fetches.isEmpty, !isHeldBack(head, at: now) else { return [] }
    return [start(head, .demand)]
  }

  private mutating func demandWhole(_ layout: BlockLayout, at now: Duration) -> [Action] {
    guard fetches.isEmpty, !isHeldBack(0..<layout.length, at: now) else { return [] }
    return [start(0..<layout.length, .demand)]
  }

  /// One fetch for each missing run that `needed` touches; the last one goes on as far as a first
  /// fetch should.
  private mutating func fetch(needed: ByteRange, in layout: BlockLayout) -> [Action] {
    let end = max(needed.upperBound, needed.lowerBound + rules.firstFetch)
    let wanted = layout.blocks(touching: needed.lowerBound..<end)
    return uncovered(wanted, in: layout)
      .filter { layout.bytes(of: $0).overlaps(needed) }
      .filter { run in !holds(layout.bytes(of: run).clamped(to: needed)) }
      .map { start(layout.bytes(of: $0), .demand) }
  }

  /// The runs of `blocks` that are neither held nor under way.
  private func uncovered(
    _ blocks: Range<BlockIndex>, in layout: BlockLayout
  ) -> [Range<BlockIndex>] {
    var covered = held
    for fetch in fetches.values {
      covered.insert(layout.blocks(touching: fetch.rest).clamped(to: blocks))
    }
    return covered.missing(in: blocks)
  }

  /// Up to where, from `offset`, everything is held or under way; looks no further than `limit`.
  private func edge(from offset: Int, upTo limit: Int, in layout: BlockLayout) -> Int {
    let blocks = layout.blocks(touching: offset..<max(offset, limit))
    // Asked at each read, so what is held is seen without making a set.
    guard !held.contains(all: blocks), let first = uncovered(blocks, in: layout).first else {
      return max(offset, layout.bytes(of: blocks).upperBound)
    }
    return max(offset, layout.bytes(of: first).lowerBound)
  }

  /// Starts at the first byte that is not there: a block that broke off is continued.
  private mutating func start(_ bytes: ByteRange, _ urgency: Urgency) -> Action {
    var lower = bytes.lowerBound
    if let layout { lower += partial[layout.block(at: lower), default: 0] }
    lastFetch += 1
    let asked = lower..<max(lower, bytes.upperBound)
    fetches[lastFetch] = Fetch(bytes: asked, position: asked.lowerBound)
    return .fetch(lastFetch, asked, urgency)
  }
}
