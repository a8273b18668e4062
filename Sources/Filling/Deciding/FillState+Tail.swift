import Blocks

/// Decides when the end of a film is asked for beside its head.
///
/// A player goes to an index at the end as soon as it has the first bytes. Where the films before had
/// theirs there (`IndexHabit`), the end is asked for at once, over another connection. As long as no
/// length is proved, the request names only how many bytes. The origin then holds its answer back until
/// the head has proved the version, and gives it only if it is of that version.
extension FillState {
  /// Asks for the end, if only the first fetch of the film is under way. Nothing is asked for on a line
  /// that is metered or limited.
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

  /// Counts the end among the fetches, because the length is proved. Cancels it if the first fetch
  /// brings some of it.
  mutating func adoptTail() -> [Action] {
    guard let layout, let end = tail.settle(), let fetch = tail.fetch else { return [] }
    let bytes = Tail.bytes(end.count, of: layout.length)
    guard !originLacksRanges, isBehindAll(bytes) else { return [.cancel(fetch)] }
    fetches[fetch] = Fetch(
      bytes: bytes, position: bytes.lowerBound, urgency: .ahead, asked: end.asked)
    seeks.started(running: fetches.count)
    return []
  }

  /// Cancels an end that is held back, if nothing is under way that could prove its version.
  mutating func endUnprovedTail() -> [Action] {
    guard fetches.isEmpty, tail.settle() != nil, let fetch = tail.fetch else { return [] }
    return [.cancel(fetch)]
  }

  /// Notes that the head places no index at the end.
  package mutating func foundNoIndexAtEnd() -> [Action] {
    guard tail.isWanted else { return [] }
    tail.giveUp()
    return dropUnwanted(sparingNear: true)
  }

  /// Cancels the end, if the index, whose place is known, is not in it.
  mutating func cancelTailWithoutIndex() -> [Action] {
    guard let fetch = tail.fetch, let bytes = fetches[fetch]?.bytes,
      !(preloading.index?.overlaps(bytes) ?? false)
    else { return [] }
    return foundNoIndexAtEnd()
  }

  /// Returns the place of an index that the head puts at `offset`, or at no end if that is nil.
  /// Returns nil if the first fetch brings the index, so that its place does not matter.
  func place(ofIndexAt offset: Int?) -> IndexPlace? {
    guard let layout, layout.length > rules.maxHeadFetch else { return nil }
    guard let offset, offset < layout.length else { return .elsewhere }
    guard offset >= rules.maxHeadFetch else { return nil }
    let bytes = layout.length - offset
    return IndexHabit.reaches(bytes) ? .atEnd(bytes) : .elsewhere
  }

  /// Returns what follows from the end of `ended`, if it is the fetch of the end and has failed; else
  /// nil. That is no trouble: if a reader needs the bytes, they are asked for as those of any film.
  mutating func endTail(
    _ ended: Fetch, as fetch: FetchID, _ end: FetchEnd, at now: Duration
  ) -> [Action]? {
    guard fetch == tail.fetch, ended.brought == 0, ended.settled == 0,
      end == .failed || end == .impossible
    else { return nil }
    preloading.missedIndex()
    return demand(at: now) + (hasHandles ? fetchIndex(at: now) : [])
  }

  /// True if `fetch` brings the head, from which a reader has gone to the index. It comes back, and
  /// would ask again for the rest of the head.
  func isHeadBesideTail(_ fetch: Fetch) -> Bool {
    tail.isWanted && hasHandles && fetch.bytes.upperBound <= rules.maxHeadFetch
  }

  private func isBehindAll(_ bytes: ByteRange) -> Bool {
    bytes.lowerBound > 0 && fetches.values.allSatisfy { $0.bytes.upperBound <= bytes.lowerBound }
  }
}
