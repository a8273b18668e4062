package import Blocks

/// Decides when a fetch starts, from which byte on, and what its end means.
extension GrowthState {
  /// Starts a fetch if one is needed and none runs. If the running fetch is already past a byte
  /// that a read waits for, the store has lost that byte. Then the running fetch is cancelled, and
  /// a new one fetches the byte again.
  mutating func follow(at now: Duration) -> [Action] {
    guard mayFetch, isWanted else { return [] }
    guard let running = fetch else {
      return trouble.isOver(at: now) ? [start(at: now)] : []
    }
    let needed = waiting.values.compactMap(\.bytes).compactMap(firstMissing).min() ?? .max
    guard running.body != nil, needed < running.position else { return [] }
    let gone = cancel()
    return gone + again(running, answered: true, at: now)
  }

  /// Notes that the fetch `id` has ended, and decides what follows.
  package mutating func ended(_ id: FetchID, _ end: FetchEnd, at now: Duration) -> [Action] {
    guard let ended = fetch, ended.id == id else { return [] }
    fetch = nil
    switch end {
    case .complete: return finished(ended, at: now)
    case .unanswered: return again(ended, answered: false, at: now)
    case .failed:
      // The origin may have refused to continue the body, so the next fetch asks for all bytes. If
      // that fetch fails too, the one after it asks for the missing bytes again.
      if ended.body == nil { beginsAnew.toggle() }
      return again(ended, answered: true, at: now)
    case .busy(let delay): return again(ended, answered: true, atLeast: delay, at: now)
    case .gone: return gone(at: now)
    case .mayBeGone:
      let asks = access.renewal.ask()
      return (asks ? [.renew] : []) + again(ended, answered: true, at: now)
    // Without a known length, only the validator identifies the version. So another validator
    // always means another version, and no bytes are compared as in `FillState.doubted`.
    case .changed, .doubted: return becomeStale()
    case .unsatisfiable(let length):
      guard length == nil || reached == 0 else { return becomeStale() }
      guard length != 0 else { return [.prove(0)] }
      beginsAnew = true
      return again(ended, answered: true, at: now)
    case .blocked, .impossible: return endAll(.unreachable)
    }
  }

  /// Notes that the feed was asked for a new address. `changed` is true if the feed had one.
  package mutating func renewed(changed: Bool, at now: Duration) -> [Action] {
    let isSure = access.renewed()
    guard access.mode == .online, changed || isSure else { return [] }
    guard changed else {
      access.renewal.settle()
      return endAll(.unreachable)
    }
    trouble.end()
    return follow(at: now)
  }

  /// Changes the network mode. Cancels the fetch unless `mode` is online. Waiting reads fail if
  /// `mode` is offline.
  package mutating func turned(_ mode: NetworkMode, at now: Duration) -> [Action] {
    guard access.turn(mode) else { return [] }
    let deadline = access.deadline(since: now, rules)
    for wait in waiting.keys { waiting[wait]?.deadline = deadline }
    switch mode {
    case .online:
      trouble.end()
      return follow(at: now)
    case .paused: return cancel()
    case .offline: return endAll(.offline) + cancel()
    }
  }

  /// Does what is due at `now`: fails reads whose deadline has passed, cancels a fetch without
  /// readers, or starts the next fetch. The caller calls this at the time that `nextWake` returned.
  package mutating func tick(_ now: Duration) -> [Action] {
    let late = waiting.filter { deadline(of: $0.value) <= now }.keys.sorted()
    let failed = late.flatMap { end($0, .unreachable) }
    guard let lingerEnd, lingerEnd <= now, waiting.isEmpty, fetch != nil else {
      return failed + follow(at: now)
    }
    self.lingerEnd = nil
    return failed + cancel() + [.quiet]
  }

  // MARK: Private

  private var mayFetch: Bool { access.isOpen && !isTooLong }

  /// The number of bytes before the place of a break that are fetched again and compared.
  private static let overlap = 4 << 10

  /// Starts a fetch of the missing bytes, or of all bytes if all must be compared.
  private mutating func start(at now: Duration) -> Action {
    lastFetch = lastFetch.next
    let known = firstMissing(in: 0..<reached) ?? reached
    // If a body was not framed, its end does not show that it was complete. So all of it is fetched
    // again and compared.
    let from = beginsAnew || endSeen == reached ? 0 : max(0, known - Self.overlap)
    fetch = Fetch(id: lastFetch, position: from)
    return .follow(lastFetch, from: from)
  }

  /// Judges the end of a body: it proves the length, a second fetch must prove the length, or the
  /// body only broke off.
  private mutating func finished(_ fetch: Fetch, at now: Duration) -> [Action] {
    guard let body = fetch.body else { return again(fetch, answered: true, at: now) }
    let end = fetch.position
    guard end >= reached else {
      // Fewer bytes came than before. If the body is not framed, it may just have broken off.
      return body.isFramed ? becomeStale() : again(fetch, answered: true, at: now)
    }
    if body.isFramed || (body.start == 0 && endSeen == end) { return [.prove(end)] }
    endSeen = end
    trouble.end()
    return follow(at: now)
  }

  /// Starts the next fetch after `fetch` has failed: at once if `fetch` brought a new byte or a
  /// read got its bytes, otherwise after a backoff. After too many useless answers in a row, the
  /// waiting reads fail.
  private mutating func again(
    _ fetch: Fetch, answered: Bool, atLeast delay: Duration? = nil, at now: Duration
  ) -> [Action] {
    guard !fetch.isUseful else { return follow(at: now) }
    let place = 0..<max(1, fetch.position)
    let isEnough = trouble.again(
      place, answered: answered, atLeast: delay, limit: rules.growth.fruitlessBodies, at: now)
    // From now on the body is fetched only for readers. The mount asks for a pinned file again
    // after a while.
    if isEnough { isPinned = false }
    return isEnough ? endAll(.unreachable) : follow(at: now)
  }

  /// Asks the feed for a new address. If the feed was already asked, the waiting reads fail.
  private mutating func gone(at now: Duration) -> [Action] {
    guard !access.renewal.isAwaited else { return [] }
    guard !access.renewal.wasAsked else {
      access.renewal.settle()
      return endAll(.unreachable)
    }
    return access.renewal.askAlone() ? [.renew] : []
  }
}
