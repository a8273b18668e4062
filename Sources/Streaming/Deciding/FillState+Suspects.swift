package import Blocks

/// Keeps the bytes of answers that broke off suspect until they are compared.
///
/// A proxy that fetches a body in slices may continue with the next slice after a cut. The bytes
/// after the cut are then at the wrong place. The only sign of this is that the body is too short.
/// All bytes after the cut are shifted, so it is enough to check the last bytes that came. These
/// are fetched once more, together with the bytes that follow them. If no reader reads on, they are
/// fetched alone. If they differ, all bytes of that answer are dropped.
extension FillState {
  /// The bytes of an answer that ended too early.
  struct Suspect: Sendable {
    let bytes: ByteRange
    /// The part to compare, which is the last bytes.
    var place: ByteRange
    /// The offset before which the bytes of `place` agree.
    var agreed: Int
    /// True if the origin broke the answer off. If not, the fetch was cancelled, or its end is not
    /// known. Then readers get the bytes at once, and they are compared when a reader reads on.
    let isBroken: Bool
    var reading: Reading

    var rest: ByteRange { agreed..<place.upperBound }
  }

  /// A decision whether readers get suspect bytes.
  enum Reading: Hashable, Sendable {
    /// Readers get the bytes after the comparison. No reader has asked yet.
    case withheld
    /// A reader waits for the comparison, but not longer than until this time.
    case until(Duration)
    case allowed
  }

  /// The most bytes that are fetched again after a break. After a short answer they are fewer, so a
  /// link that breaks again and again brings more than it repeats.
  static let maxOverlap = 4 << 10

  /// The ranges that broken answers brought, for the store.
  package var suspectBytes: [ByteRange] { suspects.filter(\.isBroken).map(\.bytes) }

  // MARK: Comparing

  /// Returns the part of `bytes` to compare with cached bytes; nil if there is none. `fetch`
  /// brought `bytes`.
  package func doubt(in bytes: ByteRange, of fetch: FetchID) -> ByteRange? {
    guard !suspects.isEmpty, accepts(fetch) else { return nil }
    return suspects.lazy.filter { bytes.contains($0.agreed) }
      .map { $0.rest.clamped(to: bytes) }.first { !$0.isEmpty }
  }

  /// Notes whether `part` agrees with the cached bytes; nil if those are gone. `doubt` returned
  /// `part`.
  package mutating func compared(
    _ part: ByteRange, _ agrees: Bool?, in fetch: FetchID, at now: Duration
  ) -> [Action] {
    guard let layout,
      let index = suspects.firstIndex(where: {
        $0.agreed == part.lowerBound && part.upperBound <= $0.place.upperBound
      })
    else { return [] }
    guard let agrees else { return lost(Array(layout.blocks(touching: part)), at: now) }
    guard agrees else { return drop(suspects[index], comparedBy: fetch, at: now) }
    suspects[index].agreed = part.upperBound
    fetches[fetch]?.settled += part.count
    guard suspects[index].rest.isEmpty else { return [] }
    let settled = suspects.remove(at: index)
    openEnds.remove(settled.place.upperBound)
    return (settled.isBroken ? [.suspect(suspectBytes)] : []) + resumeReady()
  }

  /// Asks for the last bytes of broken answers, unless another fetch is about to bring them.
  ///
  /// - Parameter isClosing: true if a fetch has just ended. Then it compares even if no reader has
  ///   the file open.
  mutating func checkSuspects(isClosing: Bool = false, at now: Duration) -> [Action] {
    guard !suspects.isEmpty, isOpen || isClosing, mayFetch, layout != nil, !originLacksRanges,
      trouble.map({ $0.notBefore <= now }) ?? true
    else { return [] }
    let open = suspects.filter { $0.isBroken && !isCompared($0) }
    return open.prefix(max(0, rules.lanes.maxLanes - fetches.count)).map { suspect in
      lastFetch = lastFetch.next
      let urgency: Urgency = isWaitedFor(suspect.bytes) ? .demand : .ahead
      var fetch = Fetch(
        bytes: suspect.rest, position: suspect.agreed, urgency: urgency, asked: now)
      fetch.isCheck = true
      fetches[lastFetch] = fetch
      mostFetches = max(mostFetches, fetches.count)
      return .fetch(lastFetch, suspect.rest, urgency)
    }
  }

  /// Returns the offset at which a fetch from `offset` on must begin. It lies before `offset` if
  /// the bytes there must be compared.
  mutating func startOfComparison(before offset: Int) -> Int {
    if let known = suspects.first(where: { $0.place.upperBound == offset }) {
      return isCompared(known) ? offset : known.agreed
    }
    guard openEnds.contains(offset), let bytes = stretch(before: offset) else { return offset }
    suspect(bytes, isBroken: false)
    return suspects.last.map { $0.place.upperBound == offset ? $0.agreed : offset } ?? offset
  }

  // MARK: Suspecting

  /// Takes over the ranges that were suspect at an earlier time. It is not known whether readers
  /// got them, so they count as read. It is also not known how the answers ended that brought the
  /// cached bytes.
  mutating func restore(_ ranges: [ByteRange], at now: Duration = .zero) {
    (suspects, openEnds, given) = ([], [], BlockSet())
    guard let layout else { return }
    openEnds = Set(held.runs(in: layout.all).map { layout.bytes(of: $0).upperBound })
    for bytes in ranges {
      suspect(bytes, isBroken: true)
      given.insert(layout.blocks(touching: bytes))
    }
    withholdWaits(at: now)
  }

  /// Notes that `fetch` has ended. Its new bytes are suspect unless all of it has come.
  mutating func judge(_ fetch: Fetch, _ end: FetchEnd, at now: Duration) -> [Action] {
    guard end != .complete, !fetch.rest.isEmpty else { return [] }
    if fetch.settled == 0 { allowReading(of: fetch.bytes) }
    guard let fresh = fetch.fresh, fresh < fetch.position else { return resumeReady() }
    suspect(fresh..<fetch.position, isBroken: true)
    withholdWaits(at: now)
    return [.suspect(suspectBytes)] + resumeReady()
  }

  /// Notes the place at which a cancelled fetch stopped. The next fetch that continues there
  /// compares its bytes.
  mutating func leaveOpen(_ fetch: Fetch?) {
    if let fetch, fetch.brought > 0, !fetch.rest.isEmpty { openEnds.insert(fetch.position) }
  }

  /// Chooses the places to compare again, after blocks were lost.
  mutating func reviewSuspects() {
    guard !suspects.isEmpty else { return }
    suspects = suspects.compactMap { suspect in
      guard let place = place(in: suspect.bytes), suspect.isBroken || place == suspect.place
      else { return nil }
      var suspect = suspect
      if suspect.place != place { (suspect.place, suspect.agreed) = (place, place.lowerBound) }
      return suspect
    }
  }

  // MARK: Reading

  /// True if `range` must not be read before a comparison.
  func isWithheld(_ range: ByteRange) -> Bool {
    guard !suspects.isEmpty, mayAsk, !originLacksRanges else { return false }
    return suspects.contains { $0.reading != .allowed && $0.bytes.overlaps(range) }
  }

  /// Notes that a reader waits for `range`. Its withheld bytes are released after `comparison`,
  /// because the origin may be away.
  mutating func withhold(_ range: ByteRange, at now: Duration) {
    for index in suspects.indices
    where suspects[index].reading == .withheld && suspects[index].bytes.overlaps(range) {
      suspects[index].reading = .until(now + rules.waits.comparison)
    }
  }

  /// Withholds uncompared bytes again for a new reader, because the origin may be back by now.
  mutating func withholdAgain() {
    for index in suspects.indices
    where suspects[index].isBroken && !isWaitedFor(suspects[index].bytes) {
      suspects[index].reading = .withheld
    }
  }

  private mutating func withholdWaits(at now: Duration) {
    for wait in waiting.values { if let bytes = wait.bytes { withhold(bytes, at: now) } }
  }

  /// The next time at which bytes are released uncompared; nil if no reader waits for a comparison.
  var endOfWithholding: Duration? {
    suspects.lazy.compactMap { suspect in
      guard case .until(let end) = suspect.reading else { return nil }
      return end
    }.min()
  }

  /// Releases the bytes whose readers have waited long enough for a comparison.
  mutating func endWithholding(at now: Duration) -> [Action] {
    guard let end = endOfWithholding, end <= now else { return [] }
    for index in suspects.indices {
      if case .until(let end) = suspects[index].reading, end <= now {
        suspects[index].reading = .allowed
      }
    }
    return resumeReady()
  }

  /// Notes that a reader got `range`.
  mutating func gave(_ range: ByteRange) {
    guard let layout else { return }
    let blocks = layout.blocks(touching: range)
    if !given.contains(all: blocks) { given.insert(blocks) }
  }

  /// Fetches wrong bytes again after the backoff, even if no reader waits for them.
  mutating func mendWrong(at now: Duration) -> [Action] {
    guard isWrong, trouble.map({ $0.notBefore <= now }) ?? true else { return [] }
    isWrong = false
    return fetchAhead(at: now) + fetchParts(at: now, isAskedAgain: true)
  }

  // MARK: Private

  /// True if a fetch that compares `suspect` is under way.
  private func isCompared(_ suspect: Suspect) -> Bool {
    fetches.values.contains {
      $0.position <= suspect.agreed && $0.bytes.upperBound >= suspect.place.upperBound
    }
  }

  /// Releases suspect bytes, because the `bytes` to compare them with did not come.
  private mutating func allowReading(of bytes: ByteRange) {
    for index in suspects.indices where suspects[index].place.overlaps(bytes) {
      suspects[index].reading = .allowed
    }
  }

  private mutating func suspect(_ bytes: ByteRange, isBroken: Bool) {
    guard let place = place(in: bytes) else { return }
    suspects.removeAll { $0.bytes == bytes }
    suspects.append(
      Suspect(
        bytes: bytes, place: place, agreed: place.lowerBound, isBroken: isBroken,
        reading: isBroken ? .withheld : .allowed))
  }

  /// Returns the bytes that lie without a gap before `offset`, at most as many as one answer may
  /// bring.
  private func stretch(before offset: Int) -> ByteRange? {
    guard let layout, offset > 0, isThere(offset - 1..<offset) else { return nil }
    let block = layout.block(at: offset - 1)
    let least = layout.block(at: max(0, offset - rules.sizes.longestWarmFetch))
    var first = block
    while first > least, held.contains(first.advanced(by: -1)) { first = first.advanced(by: -1) }
    return layout.bytes(of: first).lowerBound..<offset
  }

  /// Returns the part of `bytes` to compare, which is the last bytes of them that have come.
  private func place(in bytes: ByteRange) -> ByteRange? {
    guard let layout else { return nil }
    let bytes = bytes.clamped(to: 0..<layout.length)
    let count = min(Self.maxOverlap, max(1, bytes.count / 8))
    for block in layout.blocks(touching: bytes).reversed() {
      let inBlock = layout.bytes(of: block)
      let known =
        held.contains(block) ? inBlock.upperBound : inBlock.lowerBound + partial[block, default: 0]
      let end = min(known, bytes.upperBound)
      let start = max(inBlock.lowerBound, bytes.lowerBound)
      guard end > start else { continue }
      // The place may reach back into the previous block, if that is complete.
      let before = block.value > 0 && held.contains(block.advanced(by: -1))
      return max(before ? bytes.lowerBound : start, end - count)..<end
    }
    return nil
  }

  private mutating func drop(
    _ suspect: Suspect, comparedBy fetch: FetchID, at now: Duration
  ) -> [Action] {
    guard let layout else { return [] }
    let blocks = layout.blocks(touching: suspect.bytes)
    let read = given.runs(in: blocks).map { layout.bytes(of: $0) }
    given.remove(blocks)
    forget(Array(blocks))
    for handle in windows.keys { windows[handle]?.rescan() }
    // The next request waits for a backoff, because some origins send other bytes each time.
    var trouble = trouble ?? FetchTrouble(suspect.bytes, at: now)
    trouble.again(
      suspect.bytes, answered: true, atLeast: nil, now: now, jitter: jitter.next())
    self.trouble = trouble
    isWrong = true
    return drop([fetch]) + [.forget(blocks, read: read), .suspect(suspectBytes)] + resumeReady()
      + demand(at: now)
  }
}
