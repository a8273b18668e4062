package import Blocks

/// Compares the bytes of answers that broke off with the origin's before they are trusted.
///
/// A proxy that fetches a body in slices may lose the end of a slice, and continue with the next
/// slice. Then all bytes behind the lost ones are at a wrong place, and the only sign is that the
/// body is too short. All these bytes are shifted, so it is enough to compare the last bytes that
/// came. They are fetched once more, together with the bytes that follow them, or alone if no
/// reader reads on. If they differ, feedfs drops all bytes of the broken answer.
extension FillState {
  // MARK: Comparing

  /// Returns the part of `bytes`, which `fetch` brought, that must be compared with cached bytes;
  /// nil if there is none.
  package func doubt(in bytes: ByteRange, of fetch: FetchID) -> ByteRange? {
    guard !suspects.isEmpty, accepts(fetch) else { return nil }
    return suspects.doubt(in: bytes)
  }

  /// Notes whether `part`, which `doubt` returned, agrees with the cached bytes. `agrees` is nil if
  /// the cached bytes are gone.
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

  /// Starts fetches that compare the last bytes of broken answers, unless other fetches are about
  /// to compare them.
  ///
  /// - Parameter isClosing: true if a fetch has just ended. Then bytes are compared even if no
  ///   reader has the file open.
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

  /// Returns where a fetch of the bytes from `offset` on must begin: at `offset`, or a little
  /// before it if bytes there must be compared.
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

  /// Takes over the suspect ranges that an earlier use has left.
  mutating func restore(_ ranges: [ByteRange], at now: Duration) {
    suspects = Suspects(ranges, cached: cached, in: layout)
    withholdWaits(at: now)
  }

  /// Notes that `fetch` has ended. If it broke off, its new bytes are suspect from now on.
  mutating func judge(_ fetch: Fetch, _ end: FetchEnd, at now: Duration) -> [Action] {
    guard end != .complete, !fetch.rest.isEmpty else { return [] }
    if fetch.settled == 0 { suspects.allowReading(of: fetch.bytes) }
    guard let layout, let fresh = fetch.fresh, fresh < fetch.position else { return resumeReady() }
    suspects.suspect(fresh..<fetch.position, isBroken: true, cached, in: layout)
    withholdWaits(at: now)
    return [.suspect(suspects.bytes)] + resumeReady()
  }

  /// Notes the place at which a cancelled fetch stopped. The next fetch from there on begins a
  /// little before, to compare the bytes.
  mutating func leaveOpen(_ fetch: Fetch?) {
    if let fetch, fetch.brought > 0, !fetch.rest.isEmpty { suspects.leaveOpen(at: fetch.position) }
  }

  // MARK: Reading

  /// Returns whether `range` must not be read before a comparison.
  func isWithheld(_ range: ByteRange) -> Bool {
    guard !suspects.isEmpty, mayAsk, !originLacksRanges else { return false }
    return suspects.withholds(range)
  }

  /// Notes that a reader waits for `range`. So suspect bytes in `range` are withheld for at most
  /// `FillRules.Waits.comparison` from now on.
  mutating func withhold(_ range: ByteRange, at now: Duration) {
    suspects.isAwaited(range, until: now + rules.waits.comparison)
  }

  /// Withholds suspect bytes again for a new reader, except those for which a read waits.
  mutating func withholdAgain() {
    guard !suspects.isEmpty else { return }
    suspects.withholdAgain(except: suspects.bytes.filter(isWaitedFor))
  }

  private mutating func withholdWaits(at now: Duration) {
    for wait in waiting.values { if let bytes = wait.bytes { withhold(bytes, at: now) } }
  }

  /// Resumes the reads that have waited long enough for a comparison.
  mutating func endWithholding(at now: Duration) -> [Action] {
    suspects.release(at: now) ? resumeReady() : []
  }

  /// Notes that a reader got the bytes of `range`.
  mutating func gave(_ range: ByteRange) {
    if let layout { suspects.gave(layout.blocks(touching: range)) }
  }

  /// When the backoff has ended, fetches once more the bytes that were wrong, even if no read waits
  /// for them.
  mutating func mendWrong(at now: Duration) -> [Action] {
    guard suspects.areWrong, trouble.isOver(at: now) else { return [] }
    suspects.mend()
    return fetchAhead(at: now) + fetchParts(at: now, isAskedAgain: true)
  }

  // MARK: Private

  /// Returns whether a fetch that compares `suspect` is under way.
  private func isCompared(_ suspect: Suspects.Suspect) -> Bool {
    fetches.values.contains {
      $0.position <= suspect.agreed && $0.bytes.upperBound >= suspect.place.upperBound
    }
  }

  /// Returns the cached bytes that lie without a gap before `offset`, at most as many as one answer
  /// can bring; nil if there are none.
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

  /// Drops the bytes of `suspect`, because `fetch` has shown that they are wrong.
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
