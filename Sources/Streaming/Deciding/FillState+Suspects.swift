package import Blocks

/// Answers that broke off, and are not believed until they were compared.
///
/// A proxy that fetches a body in slices may go on with the next slice where one was cut: what follows the
/// cut is at the wrong place, and all that shows is that the whole is too short. What is behind a cut stays
/// shifted to the end, so the last bytes that came tell for all: they are asked for once more, together with
/// what follows them or, where nobody reads on, alone. Where they differ, nothing of that answer is kept.
extension FillState {
  /// Bytes of an answer whose end was not seen.
  struct Suspect: Sendable {
    let bytes: ByteRange
    /// The part that is compared: its last bytes.
    var place: ByteRange
    /// Up to where these agree.
    var agreed: Int
    /// Whether the origin broke it off. Else it was not wanted any more, or it is not known what it was:
    /// then it is compared when somebody reads on, and believed until then.
    let isBroken: Bool
    var reading: Reading

    var rest: ByteRange { agreed..<place.upperBound }
  }

  /// Whether readers get what is suspect.
  enum Reading: Hashable, Sendable {
    /// Not before it was compared; nobody has asked yet.
    case withheld
    /// Until then they wait for that.
    case until(Duration)
    case allowed
  }

  /// Bytes that are asked for again after a break, at most; of a short answer less, so that a link that
  /// breaks again and again brings more than it repeats.
  static let mostOverlap = 4 << 10

  /// The ranges that broken answers brought, for the store.
  package var suspectBytes: [ByteRange] { suspects.filter(\.isBroken).map(\.bytes) }

  // MARK: Comparing

  /// The part of `bytes`, which came for `fetch`, to compare with kept bytes; nil: nothing (more).
  package func doubt(in bytes: ByteRange, of fetch: FetchID) -> ByteRange? {
    guard !suspects.isEmpty, accepts(fetch) else { return nil }
    return suspects.lazy.filter { bytes.contains($0.agreed) }
      .map { $0.rest.clamped(to: bytes) }.first { !$0.isEmpty }
  }

  /// `part`, which `doubt` has named, was compared; nil: it is not there any more.
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

  /// Asks for the last bytes of broken answers that nothing else is about to bring.
  ///
  /// - Parameter isClosing: it just broke off, and is compared even if nobody has the file open.
  mutating func checkSuspects(isClosing: Bool = false, at now: Duration) -> [Action] {
    guard !suspects.isEmpty, isOpen || isClosing, mayFetch, layout != nil, !originLacksRanges,
      trouble.map({ $0.notBefore <= now }) ?? true
    else { return [] }
    let open = suspects.filter { $0.isBroken && !isCompared($0) }
    return open.prefix(max(0, rules.mostLanes - fetches.count)).map { suspect in
      lastFetch += 1
      let urgency: Urgency = isWaitedFor(suspect.bytes) ? .demand : .ahead
      var fetch = Fetch(
        bytes: suspect.rest, position: suspect.agreed, urgency: urgency, asked: now)
      fetch.isCheck = true
      fetches[lastFetch] = fetch
      hasHadTwo = hasHadTwo || fetches.count > 1
      return .fetch(lastFetch, suspect.rest, urgency)
    }
  }

  /// Where a fetch of what follows `offset` begins: with what has to be compared before it.
  mutating func startOfComparison(before offset: Int) -> Int {
    if let known = suspects.first(where: { $0.place.upperBound == offset }) {
      return isCompared(known) ? offset : known.agreed
    }
    guard openEnds.contains(offset), let bytes = stretch(before: offset) else { return offset }
    suspect(bytes, isBroken: false)
    return suspects.last.map { $0.place.upperBound == offset ? $0.agreed : offset } ?? offset
  }

  // MARK: Suspecting

  /// Takes over the ranges that were suspect at an earlier time; nobody knows who read them then, nor how the
  /// answers ended that brought what is held.
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

  /// `fetch` is over: unless all of it has come, what it brought is suspect.
  mutating func judge(_ fetch: Fetch, _ end: FetchEnd, at now: Duration) -> [Action] {
    guard end != .complete, !fetch.rest.isEmpty else { return [] }
    if fetch.settled == 0 { allowReading(of: fetch.bytes) }
    guard let fresh = fetch.fresh, fresh < fetch.position else { return resumeReady() }
    suspect(fresh..<fetch.position, isBroken: true)
    withholdWaits(at: now)
    return [.suspect(suspectBytes)] + resumeReady()
  }

  /// Nobody wants `fetch` any more: what it brought is compared by who reads on.
  mutating func leaveOpen(_ fetch: Fetch?) {
    if let fetch, fetch.brought > 0, !fetch.rest.isEmpty { openEnds.insert(fetch.position) }
  }

  /// Looks again at what of it is still there.
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

  /// Whether `range` is not to be read before it was compared.
  func isWithheld(_ range: ByteRange) -> Bool {
    guard !suspects.isEmpty, mayFetch, !originLacksRanges else { return false }
    return suspects.contains { $0.reading != .allowed && $0.bytes.overlaps(range) }
  }

  /// Somebody waits for `range`: for what is withheld of it not for long, since the origin may be away.
  mutating func withhold(_ range: ByteRange, at now: Duration) {
    for index in suspects.indices
    where suspects[index].reading == .withheld && suspects[index].bytes.overlaps(range) {
      suspects[index].reading = .until(now + rules.comparison)
    }
  }

  /// A reader comes: what was not compared, since the origin was away, may be so now.
  mutating func withholdAgain() {
    for index in suspects.indices
    where suspects[index].isBroken && !isWaitedFor(suspects[index].bytes) {
      suspects[index].reading = .withheld
    }
  }

  private mutating func withholdWaits(at now: Duration) {
    for wait in waiting.values { if let bytes = wait.bytes { withhold(bytes, at: now) } }
  }

  /// When somebody is let read though nothing was compared; nil: nobody waits for that.
  var endOfWithholding: Duration? {
    suspects.lazy.compactMap { suspect in
      guard case .until(let end) = suspect.reading else { return nil }
      return end
    }.min()
  }

  /// Time has passed: no reader waits for a comparison any longer than it should.
  mutating func endWithholding(at now: Duration) -> [Action] {
    guard let end = endOfWithholding, end <= now else { return [] }
    for index in suspects.indices {
      if case .until(let end) = suspects[index].reading, end <= now {
        suspects[index].reading = .allowed
      }
    }
    return resumeReady()
  }

  /// Notes that `range` is given to a reader.
  mutating func gave(_ range: ByteRange) {
    guard let layout else { return }
    let blocks = layout.blocks(touching: range)
    if !given.contains(all: blocks) { given.insert(blocks) }
  }

  /// The pause is over: what was wrong is fetched again, though nobody waits for it.
  mutating func mendWrong(at now: Duration) -> [Action] {
    guard isWrong, trouble.map({ $0.notBefore <= now }) ?? true else { return [] }
    isWrong = false
    return fetchAhead(at: now) + fetchParts(at: now, isAskedAgain: true)
  }

  // MARK: Private

  /// Whether what is to be compared is under way.
  private func isCompared(_ suspect: Suspect) -> Bool {
    fetches.values.contains {
      $0.position <= suspect.agreed && $0.bytes.upperBound >= suspect.place.upperBound
    }
  }

  /// The bytes to compare with `bytes` did not come: the origin may be away.
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

  /// The bytes that are there without a gap before `offset`, as far as one answer may have brought them.
  private func stretch(before offset: Int) -> ByteRange? {
    guard let layout, offset > 0, isThere(offset - 1..<offset) else { return nil }
    let block = layout.block(at: offset - 1)
    let least = layout.block(at: max(0, offset - rules.longestFetch))
    var first = block
    while first > least, held.contains(first.advanced(by: -1)) { first = first.advanced(by: -1) }
    return layout.bytes(of: first).lowerBound..<offset
  }

  /// The last bytes in `bytes` that are there, as many as are compared.
  private func place(in bytes: ByteRange) -> ByteRange? {
    guard let layout else { return nil }
    let bytes = bytes.clamped(to: 0..<layout.length)
    let count = min(Self.mostOverlap, max(1, bytes.count / 8))
    for block in layout.blocks(touching: bytes).reversed() {
      let inBlock = layout.bytes(of: block)
      let known =
        held.contains(block) ? inBlock.upperBound : inBlock.lowerBound + partial[block, default: 0]
      let end = min(known, bytes.upperBound)
      let start = max(inBlock.lowerBound, bytes.lowerBound)
      guard end > start else { continue }
      // It may reach back into the block before, if that is whole.
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
    for handle in windows.keys { windows[handle]?.lookAgain() }
    // An origin that gives other bytes each time is not asked without a pause.
    var trouble = trouble ?? FetchTrouble(suspect.bytes, at: now)
    trouble.again(
      suspect.bytes, answered: true, atLeast: nil, now: now, jitter: jitter.next())
    self.trouble = trouble
    isWrong = true
    return drop([fetch]) + [.forget(blocks, read: read), .suspect(suspectBytes)] + resumeReady()
      + demand(at: now)
  }
}
