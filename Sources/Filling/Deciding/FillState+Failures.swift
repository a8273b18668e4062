import Blocks

/// Decides the next steps when an answer is wrong or missing.
extension FillState {
  /// Notes that `fetch` has ended.
  package mutating func ended(_ fetch: FetchID, _ end: FetchEnd, at now: Duration) -> [Action] {
    guard let ended = fetches.removeValue(forKey: fetch) else { return [] }
    seeks.endPutOff(at: now)
    if end != .complete { readers.rescan() }
    lanes.ended(
      ended.position - ended.bytes.lowerBound, in: now - (ended.begun ?? now),
      streaming: fetches.values.count { $0.began })
    if let dropped = endTail(ended, as: fetch, end, at: now) { return dropped }
    if let mended = endTakeover(of: ended, end, at: now) { return mended }
    if isTooMany(ended, end) {
      lanes.turnedAway(
        askedAt: ended.asked, serving: fetches.values.count { $0.began }, at: now)
      return []
    }
    let actions = judge(ended, end, at: now) + follow(ended, end, at: now)
    // After a fetch that brought nothing, no fetch starts here. It would be repeated without end,
    // though no reader waits for it.
    guard ended.brought > 0 || ended.settled > 0 else { return actions }
    return actions + (hasHandles ? fetchIndex(at: now) : []) + fetchAhead(at: now)
      + fetchParts(at: now) + checkSuspects(isClosing: true, at: now)
  }

  /// True if the origin did not serve `ended` because it serves other fetches. That is no trouble:
  /// no reader waits for these bytes, and a lane asks for them when another fetch has ended.
  private func isTooMany(_ ended: Fetch, _ end: FetchEnd) -> Bool {
    guard case .busy = end, ended.brought == 0, ended.settled == 0, !isWaitedFor(ended.rest)
    else { return false }
    return fetches.values.contains { $0.began && $0.urgency != .background }
  }

  private mutating func follow(_ ended: Fetch, _ end: FetchEnd, at now: Duration) -> [Action] {
    switch end {
    case .complete:
      // A complete answer without a new byte counts as a failure. If the store keeps no bytes, they
      // would be asked for without end otherwise.
      guard ended.brought > 0 || ended.isCheck || !isWaitedFor(ended.bytes) else {
        return again(ended, answered: true, at: now)
      }
      _ = endTrouble(with: ended)
      return demand(at: now)
    case .unanswered:
      return again(ended, answered: false, at: now)
    case .failed:
      return again(ended, answered: true, at: now)
    case .busy(let delay):
      return again(ended, answered: true, atLeast: delay, at: now)
    case .gone:
      return gone(ended.bytes, at: now)
    case .mayBeGone:
      return askSoftly() + again(ended, answered: true, at: now)
    case .changed:
      return becomeStale()
    case .doubted:
      return layout == nil ? again(ended, answered: true, at: now) : doubted(at: now)
    case .unsatisfiable(let length):
      return unsatisfiable(ended, length, at: now)
    case .blocked:
      trouble.cover(ended.bytes, at: now)
      return failAll(at: now)
    case .impossible:
      // The bytes that came are right. The next fetch shows whether the rest can be had.
      guard ended.brought == 0, ended.settled == 0 else { return demand(at: now) }
      trouble.cover(ended.bytes, at: now)
      return fail(overlapping: firstLost(of: ended), at: now) + dropUnwanted() + demand(at: now)
    }
  }

  /// Notes that the feed was asked for a new address. `changed` is true if it had one.
  package mutating func renewed(changed: Bool, at now: Duration) -> [Action] {
    let isSure = access.renewed()
    guard mode == .online else { return [] }
    // An address that may be good is asked again after its backoff.
    guard changed else { return isSure ? failAll(at: now) : [] }
    trouble.end()
    return demand(at: now)
  }

  /// Notes that a request other than a fetch has shown another version at the origin.
  package mutating func becomeStale() -> [Action] {
    guard !isStale else { return [] }
    access.isStale = true
    let failed = resumeReady() + waiting.keys.sorted().flatMap { end($0, .changed) }
    // The mount learns of it first, so that a reader that opens the name again at once finds the new version.
    return [.becameStale] + failed + dropAll()
  }

  /// Notes that time has passed.
  package mutating func tick(_ now: Duration) -> [Action] {
    seeks.endPutOff(at: now)
    readers.tick(now)
    let allowed = endWithholding(at: now)
    let late = waiting.filter { $0.value.deadline <= now }.keys.sorted()
    let failed = late.flatMap { fail($0, at: now) }
    return allowed + failed + (failed.isEmpty ? [] : dropUnwanted()) + demand(at: now)
      + checkSuspects(at: now) + mendWrong(at: now) + endGrace(at: now) + takeOver(at: now)
      + endReopening(at: now)
  }

  /// Notes that `fetch` brought bytes. This ends the trouble at these bytes. Returns true if there was
  /// any.
  ///
  /// Trouble elsewhere stays. Otherwise its readers would ask again whenever other readers get
  /// bytes.
  mutating func endTrouble(with fetch: Fetch) -> Bool {
    guard trouble.concerns(fetch.bytes) else { return false }
    trouble.end()
    return true
  }

  // MARK: Private

  /// Asks for the rest after a failed fetch. If the fetch brought nothing new, a backoff comes
  /// first, and after too many such answers the waiting reads fail.
  private mutating func again(
    _ fetch: Fetch, answered: Bool, atLeast delay: Duration? = nil, at now: Duration
  ) -> [Action] {
    // After any progress the rest is asked for at once, so that the read ends as soon as the link
    // allows.
    guard fetch.brought == 0, fetch.settled == 0 else { return demand(at: now) }
    let isEnough = trouble.again(
      fetch.bytes, answered: answered, atLeast: delay, limit: rules.waits.fruitlessAnswers,
      at: now)
    guard isEnough, let failing = trouble.failing else { return demand(at: now) }
    return fail(overlapping: failing.bytes, at: now) + dropUnwanted()
  }

  /// Asks the feed for a new address of these `bytes`. If it was asked already, the waiting reads
  /// fail.
  mutating func gone(_ bytes: ByteRange, at now: Duration) -> [Action] {
    guard !access.renewal.isAwaited else { return [] }
    trouble.cover(bytes, at: now)
    guard !access.renewal.wasAsked else { return failAll(at: now) }
    let asks = access.renewal.askAlone()
    return dropAll() + (asks ? [.renew] : [])
  }

  /// Asks the feed for a new address. The origin is asked again meanwhile, because its answer may be
  /// that of a network which wants a login.
  mutating func askSoftly() -> [Action] {
    access.renewal.ask() ? [.renew] : []
  }

  /// The bytes that readers will not get if `fetch` has brought nothing: those of its first block
  /// that is not cached. A block is filled from its start, and a fetch may begin in a cached one to
  /// compare it. The blocks after it are asked for separately.
  private func firstLost(of fetch: Fetch) -> ByteRange {
    guard let layout, !fetch.bytes.isEmpty else { return fetch.bytes }
    let blocks = layout.blocks(touching: fetch.bytes)
    let place = layout.block(at: min(fetch.position, fetch.bytes.upperBound - 1))
    let lost = (place..<blocks.upperBound).first { !cached.whole.contains($0) } ?? place
    return layout.bytes(of: blocks.lowerBound..<lost.advanced(by: 1))
  }

  private mutating func unsatisfiable(
    _ fetch: Fetch, _ length: Int?, at now: Duration
  ) -> [Action] {
    guard let layout, let length, length != layout.length else {
      return again(fetch, answered: true, at: now)
    }
    return becomeStale()
  }

  private mutating func fail(overlapping bytes: ByteRange, at now: Duration) -> [Action] {
    let stranded = waiting.filter { needs($0.value, bytes) }.keys.sorted()
    return stranded.flatMap { fail($0, at: now) }
  }

  /// Ends all waiting reads with an error, and cancels the fetches that no reader needs.
  mutating func failAll(at now: Duration) -> [Action] {
    let failed = waiting.keys.sorted().flatMap { fail($0, at: now) }
    access.renewal.settle()
    return failed + dropUnwanted()
  }

  /// Ends `wait` and remembers its range, so that the kernel's repeat of the read fails at once.
  private mutating func fail(_ wait: WaitID, at now: Duration) -> [Action] {
    if let bytes = waiting[wait]?.bytes {
      trouble.failed(bytes, until: now + rules.waits.failureMemory)
    }
    return end(wait, .unreachable)
  }
}
