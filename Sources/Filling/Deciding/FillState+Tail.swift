import Blocks

/// Decides when the end of a film is fetched at the same time as its head.
///
/// If the index is at the end, a player goes there as soon as it has the first bytes. So if the
/// films before had their index there (`IndexHabit`), the end is requested at once, over another
/// connection. If no length is proved yet, the request tells only the number of bytes. Then the
/// origin holds the answer back until the answer with the head has proved the version, and gives it
/// only if it is of that version.
extension FillState {
  /// Requests the end, if nothing is cached and only the first fetch of the film is under way. Does
  /// nothing on a line that is metered or limited.
  mutating func fetchTail(at now: Duration) -> [Action] {
    guard let count = rules.tail, tail.fetch == nil, mayFetch, fetches.count == 1,
      cached.isEmpty, !ahead.isSparing, trouble.failing == nil, !originLacksRanges
    else { return [] }
    guard let layout else {
      lastFetch = lastFetch.next
      tail.asked(by: lastFetch, unproved: count, at: now)
      return [.fetchTail(lastFetch, count)]
    }
    let end = Tail.bytes(count, of: layout.length)
    let bytes = layout.bytes(of: layout.blocks(touching: end))
    guard isBehindAll(bytes) else { return [] }
    let action = start(bytes, .ahead, at: now)
    tail.asked(by: lastFetch)
    return [action]
  }

  /// Adds the fetch of the end to the other fetches, because the length is proved. Cancels it if
  /// the first fetch brings some of its bytes.
  mutating func adoptTail() -> [Action] {
    guard let layout, let end = tail.settle(), let fetch = tail.fetch else { return [] }
    let bytes = Tail.bytes(end.count, of: layout.length)
    guard !originLacksRanges, isBehindAll(bytes) else { return [.cancel(fetch)] }
    fetches[fetch] = Fetch(
      bytes: bytes, position: bytes.lowerBound, urgency: .ahead, asked: end.asked)
    seeks.started(running: fetches.count)
    return []
  }

  /// Cancels a fetch of the end that is held back, if nothing is under way that could prove the
  /// version.
  mutating func endUnprovedTail() -> [Action] {
    guard fetches.isEmpty, tail.settle() != nil, let fetch = tail.fetch else { return [] }
    return [.cancel(fetch)]
  }

  /// Notes that, by the head, the index is not at the end. Cancels the fetch of the end.
  package mutating func foundNoIndexAtEnd() -> [Action] {
    guard tail.isWanted else { return [] }
    tail.giveUp()
    return dropUnwanted(sparingNear: true)
  }

  /// Cancels the fetch of the end if the index is known to lie elsewhere.
  mutating func cancelTailWithoutIndex() -> [Action] {
    guard let fetch = tail.fetch, let bytes = fetches[fetch]?.bytes,
      !(preloading.index?.overlaps(bytes) ?? false)
    else { return [] }
    return foundNoIndexAtEnd()
  }

  /// Returns the place of the index. `offset` is where it begins, or nil if the head tells of no
  /// index at the end. Returns nil if the place does not matter, because the first fetch brings the
  /// index.
  func place(ofIndexAt offset: Int?) -> IndexPlace? {
    guard let layout, layout.length > rules.maxHeadFetch else { return nil }
    guard let offset, offset < layout.length else { return .elsewhere }
    guard offset >= rules.maxHeadFetch else { return nil }
    let bytes = layout.length - offset
    return IndexHabit.reaches(bytes) ? .atEnd(bytes) : .elsewhere
  }

  /// Decides what follows if `ended` is the fetch of the film's end, and has failed; returns nil
  /// for any other fetch or outcome. It does not count as a failure. If a reader needs the bytes,
  /// they are fetched like any others.
  mutating func endTail(
    _ ended: Fetch, as fetch: FetchID, _ end: FetchEnd, at now: Duration
  ) -> [Action]? {
    guard fetch == tail.fetch, ended.brought == 0, ended.settled == 0,
      end == .failed || end == .impossible
    else { return nil }
    preloading.missedIndex()
    return demand(at: now) + (hasHandles ? fetchIndex(at: now) : [])
  }

  /// Returns whether `fetch` brings the head while the end is wanted. The reader, which is at the
  /// index now, comes back for the rest of the head, so the fetch runs on.
  func isHeadBesideTail(_ fetch: Fetch) -> Bool {
    tail.isWanted && hasHandles && fetch.bytes.upperBound <= rules.maxHeadFetch
  }

  /// Returns whether `bytes` lie behind the bytes of all fetches, and not at byte 0.
  private func isBehindAll(_ bytes: ByteRange) -> Bool {
    bytes.lowerBound > 0 && fetches.values.allSatisfy { $0.bytes.upperBound <= bytes.lowerBound }
  }
}
