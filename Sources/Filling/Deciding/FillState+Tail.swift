import Blocks

/// Decides when the last bytes of a media file are fetched at the same time as its head.
///
/// If the container's index is at the end, a player goes there as soon as it has the head. So if
/// the index of earlier files was at the end (`IndexHabit`), the last bytes are requested at once,
/// over another connection. If the length is not proved yet, this request tells only the number of
/// bytes. The origin then holds the answer back until the answer with the head has proved the
/// version. It passes the answer on only if it is of that version.
extension FillState {
  /// Requests the last bytes if nothing is cached and only the first fetch of the file is under
  /// way. Does nothing on a line that is metered or limited.
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

  /// Adds the fetch of the last bytes to `fetches`, because the length is proved. Cancels that
  /// fetch if the first fetch brings some of the same bytes, or if the origin serves no ranges.
  mutating func adoptTail() -> [Action] {
    guard let layout, let end = tail.settle(), let fetch = tail.fetch else { return [] }
    let bytes = Tail.bytes(end.count, of: layout.length)
    guard !originLacksRanges, isBehindAll(bytes) else { return [.cancel(fetch)] }
    fetches[fetch] = Fetch(
      bytes: bytes, position: bytes.lowerBound, urgency: .ahead, asked: end.asked)
    seeks.started(running: fetches.count)
    return []
  }

  /// Cancels the fetch of the last bytes while its answer is held back, if no other fetch is under
  /// way that could prove the version.
  mutating func endUnprovedTail() -> [Action] {
    guard fetches.isEmpty, tail.settle() != nil, let fetch = tail.fetch else { return [] }
    return [.cancel(fetch)]
  }

  /// Notes that the head shows no index at the end of the file. Cancels the fetch of the last
  /// bytes.
  package mutating func foundNoIndexAtEnd() -> [Action] {
    guard tail.isWanted else { return [] }
    tail.giveUp()
    return dropUnwanted(sparingNear: true)
  }

  /// Cancels the fetch of the last bytes if the container's index is known to lie elsewhere.
  mutating func cancelTailWithoutIndex() -> [Action] {
    guard let fetch = tail.fetch, let bytes = fetches[fetch]?.bytes,
      !(preloading.index?.overlaps(bytes) ?? false)
    else { return [] }
    return foundNoIndexAtEnd()
  }

  /// Returns the place of the container's index. `offset` is where the index begins; nil if the
  /// head tells of no index at the end. Returns nil if the place does not matter, because the first
  /// fetch brings the index.
  func place(ofIndexAt offset: Int?) -> IndexPlace? {
    guard let layout, layout.length > rules.maxHeadFetch else { return nil }
    guard let offset, offset < layout.length else { return .elsewhere }
    guard offset >= rules.maxHeadFetch else { return nil }
    let bytes = layout.length - offset
    return IndexHabit.reaches(bytes) ? .atEnd(bytes) : .elsewhere
  }

  /// Decides what follows if `ended` is the fetch of the file's last bytes, and has failed. Returns
  /// nil for any other fetch or outcome. This does not count as a failure: if a reader needs the
  /// bytes, they are fetched like any others.
  mutating func endTail(
    _ ended: Fetch, as fetch: FetchID, _ end: FetchEnd, at now: Duration
  ) -> [Action]? {
    guard fetch == tail.fetch, ended.brought == 0, ended.settled == 0,
      end == .failed || end == .impossible
    else { return nil }
    preloading.missedIndex()
    return demand(at: now) + (hasHandles ? fetchIndex(at: now) : [])
  }

  /// Returns whether `fetch` brings the head while the last bytes are wanted too. Then it runs on,
  /// because the reader, which now reads the index, will come back for the other bytes of the head.
  func isHeadBesideTail(_ fetch: Fetch) -> Bool {
    tail.isWanted && hasHandles && fetch.bytes.upperBound <= rules.maxHeadFetch
  }

  /// Returns whether `bytes` lie behind the bytes of all fetches, and do not begin at byte 0.
  private func isBehindAll(_ bytes: ByteRange) -> Bool {
    bytes.lowerBound > 0 && fetches.values.allSatisfy { $0.bytes.upperBound <= bytes.lowerBound }
  }
}
