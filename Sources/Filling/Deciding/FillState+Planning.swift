import Blocks

/// Decides which fetches to start, and which to cancel.
extension FillState {
  /// Starts fetches for the bytes that reads wait for, unless these bytes are under way already.
  mutating func demand(at now: Duration) -> [Action] {
    guard mayFetch, !waiting.isEmpty else { return compareTags(at: now) }
    guard let layout else { return promote() + demandProof(at: now) }
    var actions = promote() + dropStarved(at: now)
    for id in waiting.keys {
      // If the origin serves no ranges, the fetch under way brings the bytes of all reads. If its
      // answer has only a part after all, `began` requests the other bytes.
      if originLacksRanges && isFetching { break }
      guard !seeks.isHeld(id, at: now), let wait = waiting[id], let bytes = wait.bytes,
        !trouble.delays(bytes, at: now)
      else { continue }
      actions += fetch(bytes, for: wait, in: layout, at: now)
    }
    return actions
  }

  /// Cancels fetches that no read, preload or window needs. A fetch runs on if few bytes of it are
  /// left. If `sparingNear` is true, as after a seek or a close, a fetch near the place of any
  /// reader also runs on.
  mutating func dropUnwanted(sparingNear: Bool = false) -> [Action] {
    let unwanted = fetches.filter { fetch in
      let position = fetch.value.position
      if sparingNear && readers.windows.values.contains(where: { $0.isNear(position) }) {
        return false
      }
      if originLacksRanges && hasHandles { return false }
      // This fetch opens the second connection, which the next seek will use.
      if fetch.key == seeks.second && hasHandles { return false }
      if tail.isWanted(fetch.key) || isHeadBesideTail(fetch.value) { return false }
      if fetch.value.began && fetch.value.rest.count <= shortRest { return false }
      return !isWanted(fetch.value)
    }
    return drop(unwanted.keys.sorted())
  }

  /// Cancels the fetches that went on after the last close, when the time `reopeningEnd` has come.
  /// A fetch runs on if a reader has opened the file again and needs it.
  mutating func endReopening(at now: Duration) -> [Action] {
    guard let end = readers.reopeningEnd, end <= now else { return [] }
    readers.reopeningEnd = nil
    if !isOpen { tail.giveUp() }
    let dropped = dropUnwanted(sparingNear: true)
    return dropped.isEmpty || isOpen || isFetching ? dropped : dropped + [.quiet]
  }

  /// Cancels all fetches, and the comparison that judges another entity tag.
  mutating func dropAll() -> [Action] {
    drop(fetches.keys.sorted()) + dropComparison()
  }

  /// Returns whether a read waits for any of `bytes`.
  func isWaitedFor(_ bytes: ByteRange) -> Bool {
    waiting.values.contains { needs($0, bytes) }
  }

  /// Returns whether `wait` needs any of `bytes`. Before the length is proved, the result is always
  /// true, because every wait needs that proof.
  func needs(_ wait: Wait, _ bytes: ByteRange) -> Bool {
    guard layout != nil, let wanted = wait.bytes else { return true }
    return wanted.overlaps(bytes)
  }

  // MARK: Steps of a plan

  /// Cancels the fetches `ids`, and notes where they stopped.
  mutating func drop(_ ids: [FetchID]) -> [Action] {
    for id in ids { leaveOpen(fetches.removeValue(forKey: id)) }
    return ids.map { .cancel($0) } + endUnprovedTail()
  }

  /// Raises the urgency of fetches that have no answer yet, if a read now waits for their bytes.
  /// Otherwise these fetches would stay queued behind fetches for other readers.
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

  /// Returns whether a read, a preload or a window needs `fetch`. A fetch of the head is also
  /// needed while a reader that has closed the file may come back.
  private func isWanted(_ fetch: Fetch) -> Bool {
    // If a new fetch is put off, it waits until this one ends.
    seeks.putOff != nil || fetch.isCheck || isWaitedFor(fetch.rest) || isPreloaded(fetch.rest)
      || readers.reopeningEnd != nil && fetch.bytes.upperBound <= rules.maxHeadFetch
      || waiting.values.contains { $0.bytes.map { isNext($0, to: fetch) } ?? false }
      || readers.windows.values.contains { $0.covers(fetch.position) }
  }

  /// Starts the first fetch of the file, whose answer proves the length.
  private mutating func demandProof(at now: Duration) -> [Action] {
    let extent = waiting.values.map(\.extent).max() ?? 0
    let head = 0..<min(max(rules.heads.firstFetch, extent), rules.maxHeadFetch)
    guard fetches.isEmpty, !trouble.delays(head, at: now) else { return [] }
    return [start(head, .demand, at: now)]
  }

  /// Starts a fetch for each run of missing blocks that overlaps `needed`. The last fetch can reach
  /// `wait.extent` bytes from the start of `needed` on.
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

  /// Returns whether a new fetch should wait until another fetch ends, and use its connection. It
  /// should if that takes less time than to open a new connection. Two kinds of fetches would open
  /// one: the second fetch while the file has only one connection, and the fetch of a seek while
  /// all its connections are busy. A second connection counts only once it is open.
  mutating func isPutOff(at now: Duration, isSeek: Bool = false) -> Bool {
    let opening = isOpeningSecond ? seeks.second : nil
    let isFirst = !seeks.hasHadTwo || opening != nil
    // If the file has several connections, only the fetch of a seek waits for one of them. While it
    // waits, no other fetch overtakes it.
    guard isFirst || isSeek else { return seeks.putOff?.contains(now) ?? false }
    seeks.endPutOff(at: now)
    guard fetches.count == (isFirst ? (opening == nil ? 1 : 2) : max(seeks.peakFetches, 2)) else {
      return false
    }
    let waits = fetches.filter { $0.key != opening }.values.compactMap { end(of: $0, at: now) }
    guard let soonest = waits.min(by: { $0.rest < $1.rest }) else { return false }
    return seeks.delay(for: soonest.rest, opening: soonest.latency, at: now)
  }

  /// Returns the time until `fetch` will probably end (`rest`), and the time that its answer took
  /// to begin (`latency`). Returns nil if no bytes of it have come.
  private func end(of fetch: Fetch, at now: Duration) -> (rest: Duration, latency: Duration)? {
    guard let begun = fetch.begun, fetch.position > fetch.bytes.lowerBound else { return nil }
    let came = Double(fetch.position - fetch.bytes.lowerBound)
    let seen = (now - begun) * (Double(fetch.rest.count) / came)
    // The first bytes of an answer come faster than the later ones.
    return (max(seen, lanes.speed.time(for: fetch.rest.count) ?? .zero), begun - fetch.asked)
  }

  /// Returns the runs of `blocks` that are neither cached nor under way.
  func uncovered(
    _ blocks: Range<BlockIndex>, in layout: BlockLayout
  ) -> [Range<BlockIndex>] {
    // Usually a single fetch brings all of `blocks`.
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

  /// Returns the bytes that `fetch` will still bring. They leave out its current block if the
  /// beginning of that block came, but was lost again.
  private func reach(of fetch: Fetch, in layout: BlockLayout) -> ByteRange {
    let inBlock = layout.bytes(of: layout.block(at: fetch.position))
    let known = inBlock.lowerBound + cached.partial[layout.block(at: fetch.position), default: 0]
    guard fetch.position > known else { return fetch.rest }
    return fetch.rest.clamped(to: inBlock.upperBound..<max(inBlock.upperBound, layout.length))
  }

  /// Starts a fetch of `bytes` from their first missing byte on. The fetch begins a little before
  /// that byte if bytes there must be compared.
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
