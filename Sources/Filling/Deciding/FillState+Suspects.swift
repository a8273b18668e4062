package import Blocks

/// Keeps the bytes of answers that broke off suspect until they are compared.
///
/// A proxy that fetches a body in slices may continue with the next slice after a cut. The bytes
/// after the cut are then at the wrong place. The only sign of this is that the body is too short.
/// All bytes after the cut are shifted, so it is enough to check the last bytes that came. These
/// are fetched once more, together with the bytes that follow them. If no reader reads on, they are
/// fetched alone. If they differ, all bytes of that answer are dropped.
extension FillState {
  // MARK: Comparing

  /// Returns the part of `bytes` to compare with cached bytes; nil if there is none. `fetch`
  /// brought `bytes`.
  package func doubt(in bytes: ByteRange, of fetch: FetchID) -> ByteRange? {
    guard !suspects.isEmpty, accepts(fetch) else { return nil }
    return suspects.doubt(in: bytes)
  }

  /// Notes whether `part` agrees with the cached bytes; nil if those are gone. `doubt` returned
  /// `part`.
  package mutating func compared(
    _ part: ByteRange, _ agrees: Bool?, in fetch: FetchID, at now: Duration
  ) -> [Action] {
    guard let layout, let suspect = suspects.suspect(of: part) else { return [] }
    guard let agrees else { return lost(Array(layout.blocks(touching: part)), at: now) }
    guard agrees else { return drop(suspect, comparedBy: fetch, at: now) }
    fetches[fetch]?.settled += part.count
    guard let settled = suspects.agreed(part) else { return [] }
    return (settled.isBroken ? [.suspect(suspects.bytes)] : []) + resumeReady()
  }

  /// Asks for the last bytes of broken answers, unless another fetch is about to bring them.
  ///
  /// - Parameter isClosing: true if a fetch has just ended. Then it compares even if no reader has
  ///   the file open.
  mutating func checkSuspects(isClosing: Bool = false, at now: Duration) -> [Action] {
    guard !suspects.isEmpty, isOpen || isClosing, mayFetch, layout != nil, !originLacksRanges,
      trouble.isOver(at: now)
    else { return [] }
    let open = suspects.all.filter { $0.isBroken && !isCompared($0) }
    return open.prefix(max(0, rules.lanes.maxLanes - fetches.count)).map { suspect in
      lastFetch = lastFetch.next
      let urgency: Urgency = isWaitedFor(suspect.bytes) ? .demand : .ahead
      var fetch = Fetch(
        bytes: suspect.rest, position: suspect.agreed, urgency: urgency, asked: now)
      fetch.isCheck = true
      fetches[lastFetch] = fetch
      seeks.started(running: fetches.count)
      return .fetch(lastFetch, suspect.rest, urgency)
    }
  }

  /// Returns the offset at which a fetch from `offset` on must begin. It lies before `offset` if
  /// the bytes there must be compared.
  mutating func startOfComparison(before offset: Int) -> Int {
    if let known = suspects.all.first(where: { $0.place.upperBound == offset }) {
      return isCompared(known) ? offset : known.agreed
    }
    guard suspects.isOpen(at: offset), let layout, let bytes = extent(before: offset) else {
      return offset
    }
    suspects.suspect(bytes, isBroken: false, cached, in: layout)
    return suspects.all.last.map { $0.place.upperBound == offset ? $0.agreed : offset } ?? offset
  }

  // MARK: Suspecting

  /// Takes over the ranges that were suspect at an earlier time.
  mutating func restore(_ ranges: [ByteRange], at now: Duration) {
    suspects = Suspects(ranges, cached: cached, in: layout)
    withholdWaits(at: now)
  }

  /// Notes that `fetch` has ended. Its new bytes are suspect unless all of it has come.
  mutating func judge(_ fetch: Fetch, _ end: FetchEnd, at now: Duration) -> [Action] {
    guard end != .complete, !fetch.rest.isEmpty else { return [] }
    if fetch.settled == 0 { suspects.allowReading(of: fetch.bytes) }
    guard let layout, let fresh = fetch.fresh, fresh < fetch.position else { return resumeReady() }
    suspects.suspect(fresh..<fetch.position, isBroken: true, cached, in: layout)
    withholdWaits(at: now)
    return [.suspect(suspects.bytes)] + resumeReady()
  }

  /// Notes the place at which a cancelled fetch stopped.
  mutating func leaveOpen(_ fetch: Fetch?) {
    if let fetch, fetch.brought > 0, !fetch.rest.isEmpty { suspects.leaveOpen(at: fetch.position) }
  }

  // MARK: Reading

  /// True if `range` must not be read before a comparison.
  func isWithheld(_ range: ByteRange) -> Bool {
    guard !suspects.isEmpty, mayAsk, !originLacksRanges else { return false }
    return suspects.withholds(range)
  }

  /// Notes that a reader waits for `range`.
  mutating func withhold(_ range: ByteRange, at now: Duration) {
    suspects.isAwaited(range, until: now + rules.waits.comparison)
  }

  /// Withholds uncompared bytes again for a new reader.
  mutating func withholdAgain() {
    guard !suspects.isEmpty else { return }
    suspects.withholdAgain(except: suspects.bytes.filter(isWaitedFor))
  }

  private mutating func withholdWaits(at now: Duration) {
    for wait in waiting.values { if let bytes = wait.bytes { withhold(bytes, at: now) } }
  }

  /// Releases the bytes whose readers have waited long enough for a comparison.
  mutating func endWithholding(at now: Duration) -> [Action] {
    suspects.release(at: now) ? resumeReady() : []
  }

  /// Notes that a reader got `range`.
  mutating func gave(_ range: ByteRange) {
    if let layout { suspects.gave(layout.blocks(touching: range)) }
  }

  /// Fetches wrong bytes again after the backoff, even if no reader waits for them.
  mutating func mendWrong(at now: Duration) -> [Action] {
    guard suspects.areWrong, trouble.isOver(at: now) else { return [] }
    suspects.mend()
    return fetchAhead(at: now) + fetchParts(at: now, isAskedAgain: true)
  }

  // MARK: Private

  /// True if a fetch that compares `suspect` is under way.
  private func isCompared(_ suspect: Suspects.Suspect) -> Bool {
    fetches.values.contains {
      $0.position <= suspect.agreed && $0.bytes.upperBound >= suspect.place.upperBound
    }
  }

  /// Returns the bytes that lie without a gap before `offset`, at most as many as one answer may
  /// bring.
  private func extent(before offset: Int) -> ByteRange? {
    guard let layout, offset > 0, isThere(offset - 1..<offset) else { return nil }
    let block = layout.block(at: offset - 1)
    let least = layout.block(at: max(0, offset - rules.sizes.maxWarmFetch))
    var first = block
    while first > least, cached.whole.contains(first.advanced(by: -1)) {
      first = first.advanced(by: -1)
    }
    return layout.bytes(of: first).lowerBound..<offset
  }

  private mutating func drop(
    _ suspect: Suspects.Suspect, comparedBy fetch: FetchID, at now: Duration
  ) -> [Action] {
    guard let layout else { return [] }
    let blocks = layout.blocks(touching: suspect.bytes)
    let read = suspects.wereWrong(blocks).map { layout.bytes(of: $0) }
    forget(Array(blocks))
    readers.rescan()
    // The next request waits for a backoff, because some origins send other bytes each time.
    _ = trouble.again(suspect.bytes, answered: true, limit: .max, at: now)
    return drop([fetch]) + [.forget(blocks, read: read), .suspect(suspects.bytes)] + resumeReady()
      + demand(at: now)
  }
}
