import Blocks

/// Decides which fetches to start, and which to cancel.
extension FillState {
  /// Starts fetches for all waiting reads whose bytes are not under way.
  mutating func demand(at now: Duration) -> [Action] {
    guard mayFetch, !waiting.isEmpty else { return compareTags(at: now) }
    guard let layout else { return promote() + demandProof(at: now) }
    var actions = promote() + dropStarved(at: now)
    for id in waiting.keys {
      // One whole body is enough for all reads. If only a part comes, `began` asks for the rest.
      if originLacksRanges && isFetching { break }
      guard !seeks.isHeld(id, at: now), let wait = waiting[id], let bytes = wait.bytes,
        !trouble.delays(bytes, at: now)
      else { continue }
      actions += fetch(bytes, for: wait, in: layout, at: now)
    }
    return actions
  }

  /// Cancels fetches that no read, preload or window needs. A fetch runs on if only a short rest of
  /// it is left. After a seek or a close (`sparingNear`), a fetch around the place of an open
  /// reader runs on, too.
  mutating func dropUnwanted(sparingNear: Bool = false) -> [Action] {
    let unwanted = fetches.filter { fetch in
      let position = fetch.value.position
      if sparingNear && readers.windows.values.contains(where: { $0.isNear(position) }) {
        return false
      }
      if originLacksRanges && hasHandles { return false }
      // Its connection, which the next seek will use, is on its way.
      if fetch.key == seeks.second && hasHandles { return false }
      if tail.isWanted(fetch.key) || isHeadBesideTail(fetch.value) { return false }
      if fetch.value.began && fetch.value.rest.count <= shortRest { return false }
      return !isWanted(fetch.value)
    }
    return drop(unwanted.keys.sorted())
  }

  /// Cancels the fetches that went on after the last reader had closed the file, unless one has
  /// opened it again.
  mutating func endReopening(at now: Duration) -> [Action] {
    guard let end = readers.reopeningEnd, end <= now else { return [] }
    readers.reopeningEnd = nil
    if !isOpen { tail.giveUp() }
    let dropped = dropUnwanted(sparingNear: true)
    return dropped.isEmpty || isOpen || isFetching ? dropped : dropped + [.quiet]
  }

  mutating func dropAll() -> [Action] {
    drop(fetches.keys.sorted()) + dropComparison()
  }

  /// True if a read waits for any of `bytes`.
  func isWaitedFor(_ bytes: ByteRange) -> Bool {
    waiting.values.contains { needs($0, bytes) }
  }

  /// True if `wait` needs any of `bytes`. True before the length is proved, because every wait
  /// needs that proof.
  func needs(_ wait: Wait, _ bytes: ByteRange) -> Bool {
    guard layout != nil, let wanted = wait.bytes else { return true }
    return wanted.overlaps(bytes)
  }

  // MARK: Steps of a plan

  mutating func drop(_ ids: [FetchID]) -> [Action] {
    for id in ids { leaveOpen(fetches.removeValue(forKey: id)) }
    return ids.map { .cancel($0) } + endUnprovedTail()
  }

  /// Raises the urgency of queued fetches if a read waits for their bytes now. They must not stay
  /// queued behind fetches for other readers.
  private mutating func promote() -> [Action] {
    guard fetches.values.contains(where: { $0.urgency != .demand && !$0.began }) else { return [] }
    let late = fetches.filter { fetch in
      fetch.value.urgency != .demand && !fetch.value.began && isWaitedFor(fetch.value.rest)
    }
    return late.keys.sorted().map { id in
      fetches[id]?.urgency = .demand
      return .promote(id)
    }
  }

  private func isWanted(_ fetch: Fetch) -> Bool {
    // A put-off fetch waits for this one to end.
    seeks.putOff != nil || fetch.isCheck || isWaitedFor(fetch.rest) || isPreloaded(fetch.rest)
      || readers.reopeningEnd != nil && fetch.bytes.upperBound <= rules.maxHeadFetch
      || waiting.values.contains { $0.bytes.map { isNext($0, to: fetch) } ?? false }
      || readers.windows.values.contains { $0.covers(fetch.position) }
  }

  private mutating func demandProof(at now: Duration) -> [Action] {
    let extent = waiting.values.map(\.extent).max() ?? 0
    let head = 0..<min(max(rules.heads.firstFetch, extent), rules.maxHeadFetch)
    guard fetches.isEmpty, !trouble.delays(head, at: now) else { return [] }
    return [start(head, .demand, at: now)]
  }

  /// Starts a fetch for each missing run of blocks that `needed` touches. The last fetch may go on
  /// until `wait.extent` bytes after the start of `needed`.
  private mutating func fetch(
    _ needed: ByteRange, for wait: Wait, in layout: BlockLayout, at now: Duration
  ) -> [Action] {
    let end = max(needed.upperBound, needed.lowerBound + wait.extent)
    let wanted = layout.blocks(touching: needed.lowerBound..<end)
    let missing = uncovered(wanted, in: layout)
      .filter { layout.bytes(of: $0).overlaps(needed) }
      .filter { run in !holds(layout.bytes(of: run).clamped(to: needed)) }
      .filter { run in !isNext(layout.bytes(of: run)) }
    guard let last = missing.last else { return [] }
    guard !isPutOff(at: now, isSeek: wait.isSeek) else {
      return openSecond(for: wait, of: last, in: layout, at: now)
    }
    return missing.prefix(originLacksRanges ? 1 : .max)
      .map { start(layout.bytes(of: $0), .demand, at: now) }
  }

  /// True if a new fetch should wait for the end of a fetch, and use its connection. As long as there
  /// was only one connection, a second fetch would have to open another. A seek that finds all
  /// connections of the file busy would have to open one more. Waiting is better if a fetch ends sooner
  /// than that. A second connection counts only once it is open.
  mutating func isPutOff(at now: Duration, isSeek: Bool = false) -> Bool {
    let opening = isOpeningSecond ? seeks.second : nil
    let isFirst = !seeks.hasHadTwo || opening != nil
    // Only a seek waits for one of several connections, and nothing overtakes it.
    guard isFirst || isSeek else { return seeks.putOff?.contains(now) ?? false }
    seeks.endPutOff(at: now)
    guard fetches.count == (isFirst ? (opening == nil ? 1 : 2) : max(seeks.peakFetches, 2)) else {
      return false
    }
    let waits = fetches.filter { $0.key != opening }.values.compactMap { end(of: $0, at: now) }
    guard let soonest = waits.min(by: { $0.rest < $1.rest }) else { return false }
    return seeks.delay(for: soonest.rest, opening: soonest.latency, at: now)
  }

  /// Returns the time until `fetch` will have brought its bytes, and the time that its answer took to
  /// begin. Nil if nothing of it has come.
  private func end(of fetch: Fetch, at now: Duration) -> (rest: Duration, latency: Duration)? {
    guard let begun = fetch.begun, fetch.position > fetch.bytes.lowerBound else { return nil }
    let came = Double(fetch.position - fetch.bytes.lowerBound)
    let seen = (now - begun) * (Double(fetch.rest.count) / came)
    // The first bytes of an answer come faster than the others.
    return (max(seen, lanes.speed.time(for: fetch.rest.count) ?? .zero), begun - fetch.asked)
  }

  /// Returns the runs of `blocks` that are neither cached nor under way.
  func uncovered(
    _ blocks: Range<BlockIndex>, in layout: BlockLayout
  ) -> [Range<BlockIndex>] {
    // Mostly one fetch brings all of them.
    let isComing = fetches.values.contains { fetch in
      let coming = layout.blocks(touching: reach(of: fetch, in: layout))
      return !fetch.isCheck && blocks.clamped(to: coming) == blocks
    }
    guard !isComing else { return [] }
    var runs = cached.whole.missing(in: blocks)
    for fetch in fetches.values where !fetch.isCheck && !runs.isEmpty {
      let coming = layout.blocks(touching: reach(of: fetch, in: layout))
      guard runs.contains(where: { $0.overlaps(coming) }) else { continue }
      runs = runs.flatMap { run in
        let cut = coming.clamped(to: run)
        guard !cut.isEmpty else { return [run] }
        return [run.lowerBound..<cut.lowerBound, cut.upperBound..<run.upperBound]
          .filter { !$0.isEmpty }
      }
    }
    return runs
  }

  /// Returns the bytes that `fetch` will still bring. If the beginning of its current block was
  /// lost after it had come, the rest of that block does not count.
  private func reach(of fetch: Fetch, in layout: BlockLayout) -> ByteRange {
    let inBlock = layout.bytes(of: layout.block(at: fetch.position))
    let known = inBlock.lowerBound + cached.partial[layout.block(at: fetch.position), default: 0]
    guard fetch.position > known else { return fetch.rest }
    return fetch.rest.clamped(to: inBlock.upperBound..<max(inBlock.upperBound, layout.length))
  }

  /// Starts a fetch at the first missing byte of `bytes`, so that a begun block is continued.
  mutating func start(_ bytes: ByteRange, _ urgency: Urgency, at now: Duration) -> Action {
    var lower = bytes.lowerBound
    if let layout {
      lower += cached.partial[layout.block(at: lower), default: 0]
      lower = startOfComparison(before: lower)
    }
    lastFetch = lastFetch.next
    let asked = lower..<max(lower, bytes.upperBound)
    fetches[lastFetch] = Fetch(
      bytes: asked, position: asked.lowerBound, urgency: urgency, asked: now)
    seeks.started(running: fetches.count)
    return .fetch(lastFetch, asked, urgency)
  }
}
