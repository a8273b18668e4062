import Blocks

/// Decides which bytes to fetch ahead of the readers.
extension FillState {
  /// Notes that the reader of `handle` reads `range`. If this is a seek, the fetches for the
  /// reader's old place are cancelled.
  mutating func moved(to range: ByteRange, by handle: HandleID, at now: Duration) -> [Action] {
    // This changes a copy of the window and puts it back. A change in place would allocate at each
    // cached read.
    guard let layout, var window = readers.windows[handle] else { return [] }
    let range = range.clamped(to: 0..<layout.length)
    let isSeek = window.noted(range, at: now, isLed: isLed(window, to: range))
    readers.windows[handle] = window
    // Empty lists are not joined, because that would make each cached read slower by a tenth.
    let played = played(window, at: now)
    let begun = preloading.unaskedIndex == nil ? played : fetchIndex(at: now) + played
    guard isSeek else { return begun }
    lanes.reset()
    return dropUnwanted(sparingNear: true) + dropFar(from: range, at: now) + begun
  }

  /// Returns whether other readers may have read the bytes between the place of `window` and
  /// `range`, because all these bytes are cached or under way. Readers of one file share the
  /// kernel's pages. So the daemon sees only some reads of each reader, even if none seeks.
  private func isLed(_ window: ReadAheadWindow, to range: ByteRange) -> Bool {
    guard readers.windows.count > 1, window.isPassed(by: range), let layout else { return false }
    return edge(from: window.next, upTo: range.lowerBound, in: layout) >= range.lowerBound
  }

  /// Fetches ahead of the reader of `handle`, as far as its window and the free lanes allow.
  mutating func fetchAhead(by handle: HandleID, at now: Duration) -> [Action] {
    guard let layout, var window = readers.windows[handle], window.isDue, mayFetch,
      !originLacksRanges,
      !isPutOff(at: now)
    else { return [] }
    let isWaiting = waiting.values.contains(where: \.readsOn)
    if isWaiting, !isInGrace(window, at: now) {
      lanes.readerWaits(most: rules.lanes.maxLanes, at: now)
    }
    if !isWaiting { ahead.nobodyWaits() }
    let lanes = cached.isEvicting ? 1 : lanes.count
    let reach = waitsForOneConnection(at: now) ? rules.lanes.maxLanes : lanes
    var depth = window.depth(lanes: reach, rate: playRate, isSparing: ahead.isSparing, at: now)
    if cached.isEvicting { depth = min(depth, rules.sizes.maxFetchIntoMemory) }
    var actions: [Action] = []
    while hasFreeLane(of: lanes) {
      let edge = edge(from: window.next, upTo: window.next + depth, in: layout)
      let piece = min(self.lanes.piece, nearPiece(of: window, behind: edge - window.next, at: now))
      guard
        let bytes = window.fetch(
          beyond: edge, depth: depth, lanes: lanes, reach: reach,
          pause: self.lanes.speed.overlap ?? 0, piece: piece, length: layout.length)
      else {
        let isFull = !isWaiting && window.isGrown(depth, lanes: reach)
        let pace = window.pace(rate: playRate, isSparing: ahead.isSparing, at: now)
        if edge >= layout.length || isFull && !self.lanes.areNeeded(for: pace) {
          self.lanes.reset()
        }
        break
      }
      guard !trouble.concerns(bytes),
        let run = uncovered(layout.blocks(touching: bytes), in: layout).first
      else { break }
      let fetched = layout.bytes(of: run)
      actions.append(start(fetched, isWaitedFor(fetched) ? .demand : .ahead, at: now))
    }
    readers.windows[handle] = window
    return actions
  }

  /// Fetches ahead of all readers, because a lane may have become free. Does nothing while the
  /// store evicts blocks to make room for new ones. Then fetches start only for a reader that
  /// reads. Otherwise the fetches of several readers would evict each other's bytes for ever.
  mutating func fetchAhead(at now: Duration) -> [Action] {
    guard !cached.isEvicting else { return [] }
    return readers.windows.keys.sorted().flatMap { fetchAhead(by: $0, at: now) }
  }

  /// Cancels fetches that would take long to reach `range`, the target of a seek. So a new fetch
  /// can begin there.
  ///
  /// This happens only where new connections start slowly. There fetches are long, to keep their
  /// connections.
  private mutating func dropFar(from range: ByteRange, at now: Duration) -> [Action] {
    guard lanes.startsSlowly else { return [] }
    let far = fetches.filter { id, fetch in
      guard !fetch.isCheck, fetch.rest.contains(range.lowerBound),
        let time = lanes.speed.time(for: range.lowerBound - fetch.position),
        time > lanes.speed.latency * 4
      else { return false }
      let before = fetch.position..<range.lowerBound
      return !waiting.values.contains { $0.bytes.map(before.overlaps) ?? false }
        && !readers.windows.values.contains { $0.covers(fetch.position) }
    }
    return drop(far.keys.sorted())
  }

  /// Cancels the fetches that are farthest ahead, until there are only as many fetches as lanes.
  /// Fetches that a read waits for run on.
  mutating func dropFarthest() -> [Action] {
    let ahead = fetches.filter { !isWaitedFor($0.value.rest) }
      .sorted { $0.value.position < $1.value.position }
    let spared = max(0, lanes.count - (fetches.count - ahead.count))
    return drop(ahead.dropFirst(spared).map(\.key))
  }

  /// An unwanted fetch runs to its end if at most this many bytes of it are left. About as many
  /// bytes come while a new connection is opened.
  var shortRest: Int {
    min(rules.seeks.shortRest, max(lanes.speed.overlap ?? .max, Self.minRest))
  }

  /// Returns whether `fetch` has just come so near its end that the next fetch should start.
  /// `before` is the number of bytes of `fetch` that were left before the last ones came.
  func isNearEnd(_ fetch: FetchID, before: Int) -> Bool {
    guard let fetch = fetches[fetch] else { return before > 0 }
    let rest = lastPart(of: fetch)
    return before > rest && fetch.rest.count <= rest
  }

  /// Returns how many bytes of `fetch` are left when the next fetch should start. As many come in a
  /// round trip, or in two if the next fetch has to open a connection. If `fetch` is short, half of
  /// its bytes at most are left. Otherwise many fetches at once would fill the small gaps of a
  /// cache in pieces.
  private func lastPart(of fetch: Fetch) -> Int {
    guard lanes.mayOverlap else { return 0 }
    let opensConnection = lanes.count > 1 && fetches.count >= seeks.peakFetches
    let rest = lanes.speed.overlap.map { opensConnection ? 2 * $0 : $0 } ?? Self.minRest
    return fetch.bytes.count < rules.heads.firstFetch ? min(rest, fetch.bytes.count / 2) : rest
  }

  /// The number of bytes that come almost at once, however slow the line is.
  private static let minRest = 64 << 10

  /// Returns whether a reader waits, or has just waited, for the one warm connection that brings
  /// all bytes. Then its window can be as large as for all lanes, because each request costs a
  /// round trip.
  private func waitsForOneConnection(at now: Duration) -> Bool {
    lanes.isOneConnection && !cached.isEvicting
      && ahead.hasJustWaited(at: now, latency: lanes.speed.latency)
  }

  /// Returns whether the fetch of `bytes` should wait until the fetch just before them ends, and
  /// use its connection. It should where new connections start slowly. A reader that reads on needs
  /// the last bytes of the earlier fetch first.
  func isNext(_ bytes: ByteRange) -> Bool {
    fetches.values.contains { isNext(bytes, to: $0) }
  }

  func isNext(_ bytes: ByteRange, to fetch: Fetch) -> Bool {
    let end = fetch.bytes.upperBound
    return lanes.startsSlowly && fetch.began && !fetch.isCheck
      && fetch.rest.count <= Self.kernelAhead && bytes.upperBound > end
      && bytes.lowerBound / BlockLayout.standardBlockSize * BlockLayout.standardBlockSize
        < end + Self.kernelAhead
  }

  /// The largest number of bytes that the kernel reads ahead of a program.
  private static let kernelAhead = 512 << 10

  /// Returns the action `played` once: when the reader of `window` has read on past its first
  /// fetch, and its first read was at least `wholeAfter` ago.
  private mutating func played(_ window: ReadAheadWindow, at now: Duration) -> [Action] {
    guard !readers.hasPlayed, let after = rules.ahead.wholeAfter, window.isOpen,
      window.age(at: now) >= after
    else { return [] }
    readers.hasPlayed = true
    return [.played]
  }

  /// Returns whether fewer than `lanes` lanes are busy, so that a new fetch can start. A lane
  /// counts as free shortly before its fetch ends, so that the new fetch follows without a gap.
  func hasFreeLane(of lanes: Int) -> Bool {
    guard fetches.count < max(rules.lanes.maxLanes, 2 * lanes) else { return false }
    if self.lanes.startsSlowly { return fetches.values.count { !$0.isCheck } < lanes }
    return fetches.values.count { $0.rest.count > lastPart(of: $0) } < lanes
  }

  /// Returns whether the reader of `window` has only just gone past its first fetch, and has waited
  /// for less than `grace`. Most programs that only inspect a head close the file in this time.
  private mutating func isInGrace(_ window: ReadAheadWindow, at now: Duration) -> Bool {
    guard lanes.count == 1, window.isYoung else { return false }
    return ahead.isInGrace(rules.lanes.grace, at: now)
  }

  /// Starts more lanes if a reader still waits when its grace (`FillRules.Lanes.grace`) has ended.
  mutating func endGrace(at now: Duration) -> [Action] {
    guard ahead.isGraceOver(at: now), lanes.count == 1 else { return [] }
    readers.rescan()
    return fetchAhead(at: now)
  }

  /// Returns the end of the bytes from `offset` on that are cached or under way without a gap.
  /// Checks only the blocks before `limit`.
  private func edge(from offset: Int, upTo limit: Int, in layout: BlockLayout) -> Int {
    let blocks = layout.blocks(touching: offset..<max(offset, limit))
    guard let first = uncovered(blocks, in: layout).first else {
      return max(offset, layout.bytes(of: blocks).upperBound)
    }
    return max(offset, layout.bytes(of: first).lowerBound)
  }

  /// Returns the number of bytes of the fetch for a waiting read of `range`. It is small while the
  /// store evicts blocks to make room for new ones. Otherwise the end of a long fetch would be
  /// evicted before the reader gets there.
  func extent(of range: ByteRange, by handle: HandleID, at now: Duration) -> Int {
    let extent = usualExtent(of: range, by: handle, at: now)
    return cached.isEvicting ? min(extent, rules.sizes.maxFetchIntoMemory) : extent
  }

  private func usualExtent(of range: ByteRange, by handle: HandleID, at now: Duration) -> Int {
    guard let window = readers.windows[handle] else { return rules.heads.firstFetch }
    if window.isOpen {
      let extent = window.demand(reach: lanes.isOneConnection ? rules.lanes.maxLanes : 1)
      return min(extent, lanes.piece, nearPiece(of: window, behind: 0, at: now))
    }
    guard range.lowerBound < rules.heads.firstFetch else { return window.demand(reach: 1) }
    return max(window.demand(reach: 1), window.headFetch - range.lowerBound)
  }
}
