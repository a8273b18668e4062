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
    // If the fetch brought nothing, no read-ahead and no preload starts here. Otherwise such
    // useless fetches would be repeated without end, although no reader waits for them.
    guard ended.brought > 0 || ended.settled > 0 else { return actions }
    return actions + (hasHandles ? fetchIndex(at: now) : []) + fetchAhead(at: now)
      + fetchParts(at: now) + checkSuspects(isClosing: true, at: now)
  }

  /// Returns whether the origin refused `ended` because it serves other fetches of the file. That
  /// does not count as a failure, because no reader waits for these bytes. A lane requests them
  /// again when another fetch has ended.
  private func isTooMany(_ ended: Fetch, _ end: FetchEnd) -> Bool {
    guard case .busy = end, ended.brought == 0, ended.settled == 0, !isWaitedFor(ended.rest)
    else { return false }
    return fetches.values.contains { $0.began && $0.urgency != .background }
  }

  /// Decides what follows for the bytes that `ended` has not brought.
  private mutating func follow(_ ended: Fetch, _ end: FetchEnd, at now: Duration) -> [Action] {
    switch end {
    case .complete:
      // A complete answer without a new byte counts as a failure. Otherwise, if the store loses the
      // bytes each time, they would be requested without end.
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
      // The bytes that came are right. The next fetch shows whether the missing ones can be
      // fetched.
      guard ended.brought == 0, ended.settled == 0 else { return demand(at: now) }
      trouble.cover(ended.bytes, at: now)
      return fail(overlapping: firstLost(of: ended), at: now) + dropUnwanted() + demand(at: now)
    }
  }

  /// Notes that the feed was asked for a new address, because of the action `renew`. `changed` is
  /// true if the feed had one.
  package mutating func renewed(changed: Bool, at now: Duration) -> [Action] {
    let isSure = access.renewed()
    guard mode == .online else { return [] }
    // If the old address might still be good, it is asked again after its backoff, and no read
    // fails.
    guard changed else { return isSure ? failAll(at: now) : [] }
    trouble.end()
    return demand(at: now)
  }

  /// Notes that the origin serves another version. Readers get only cached bytes from now on.
  package mutating func becomeStale() -> [Action] {
    guard !isStale else { return [] }
    access.isStale = true
    let failed = resumeReady() + waiting.keys.sorted().flatMap { end($0, .changed) }
    // The mount is told before the readers. So a reader that opens the file again at once gets the
    // new version.
    return [.becameStale] + failed + dropAll()
  }

  /// Does what is due at `now`. For example, it fails the reads whose deadline has passed. The
  /// caller calls this at the time that `nextWake` returned.
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

  /// Ends the backoff for the range of `fetch`, because `fetch` brought bytes. Returns true if the
  /// origin had failed to send this range before.
  ///
  /// A failing range elsewhere keeps its backoff. Otherwise that range would be requested again
  /// whenever other readers get bytes.
  mutating func endTrouble(with fetch: Fetch) -> Bool {
    guard trouble.concerns(fetch.bytes) else { return false }
    trouble.end()
    return true
  }

  // MARK: Private

  /// Requests the missing bytes again after `fetch` has failed. If `fetch` brought nothing new, a
  /// backoff comes first. After too many such answers, the reads that wait for these bytes fail.
  private mutating func again(
    _ fetch: Fetch, answered: Bool, atLeast delay: Duration? = nil, at now: Duration
  ) -> [Action] {
    // If new bytes came, the missing bytes are requested at once, so that the read ends as soon as
    // the link allows.
    guard fetch.brought == 0, fetch.settled == 0 else { return demand(at: now) }
    let isEnough = trouble.again(
      fetch.bytes, answered: answered, atLeast: delay, limit: rules.waits.fruitlessAnswers,
      at: now)
    guard isEnough, let failing = trouble.failing else { return demand(at: now) }
    return fail(overlapping: failing.bytes, at: now) + dropUnwanted()
  }

  /// Asks the feed for a new address, because the address from which `bytes` were requested seems
  /// to have expired. If the feed was already asked, the waiting reads fail.
  mutating func gone(_ bytes: ByteRange, at now: Duration) -> [Action] {
    guard !access.renewal.isAwaited else { return [] }
    trouble.cover(bytes, at: now)
    guard !access.renewal.wasAsked else { return failAll(at: now) }
    let asks = access.renewal.askAlone()
    return dropAll() + (asks ? [.renew] : [])
  }

  /// Asks the feed for a new address. Requests to the origin go on meanwhile, because the refusal
  /// may have come from a network that wants a login.
  mutating func askSoftly() -> [Action] {
    access.renewal.ask() ? [.renew] : []
  }

  /// Returns the bytes that readers cannot get because `fetch` has brought nothing. They end with
  /// the first block of `fetch` that is not cached. Cached blocks can come before that block,
  /// because a fetch can begin in them to compare bytes. Later blocks are requested again.
  private func firstLost(of fetch: Fetch) -> ByteRange {
    guard let layout, !fetch.bytes.isEmpty else { return fetch.bytes }
    let blocks = layout.blocks(touching: fetch.bytes)
    let place = layout.block(at: min(fetch.position, fetch.bytes.upperBound - 1))
    let lost = (place..<blocks.upperBound).first { !cached.whole.contains($0) } ?? place
    return layout.bytes(of: blocks.lowerBound..<lost.advanced(by: 1))
  }

  /// Judges an answer 416. If it tells another length than the version has, the origin serves
  /// another version. Otherwise the bytes are requested again.
  private mutating func unsatisfiable(
    _ fetch: Fetch, _ length: Int?, at now: Duration
  ) -> [Action] {
    guard let layout, let length, length != layout.length else {
      return again(fetch, answered: true, at: now)
    }
    return becomeStale()
  }

  /// Fails the waiting reads that need some of `bytes`.
  private mutating func fail(overlapping bytes: ByteRange, at now: Duration) -> [Action] {
    let stranded = waiting.filter { needs($0.value, bytes) }.keys.sorted()
    return stranded.flatMap { fail($0, at: now) }
  }

  /// Fails all waiting reads, and cancels the fetches that no reader needs.
  mutating func failAll(at now: Duration) -> [Action] {
    let failed = waiting.keys.sorted().flatMap { fail($0, at: now) }
    access.renewal.settle()
    return failed + dropUnwanted()
  }

  /// Fails `wait`. Remembers its range, so that the read fails at once when the kernel repeats it.
  private mutating func fail(_ wait: WaitID, at now: Duration) -> [Action] {
    if let bytes = waiting[wait]?.bytes {
      trouble.failed(bytes, until: now + rules.waits.failureMemory)
    }
    return end(wait, .unreachable)
  }
}
