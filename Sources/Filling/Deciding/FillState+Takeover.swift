import Blocks

/// Decides when free lanes take over the last part of a fetch that is slower than the file plays.
///
/// An origin may limit the rate of each connection. If one connection brings less than a player
/// needs, the player runs out of bytes within each long fetch, whatever other lanes bring behind
/// that fetch. So the fetch is cut a little ahead of the reader, and other lanes bring the bytes
/// behind the cut.
extension FillState {
  /// Cuts each fetch that a reader waits for and that is slower than the file plays, if a lane is
  /// free. If a fetch was already cut and no bytes of it come any more, replaces it by a new one.
  mutating func takeOver(at now: Duration) -> [Action] {
    guard let layout, let need = neededRate else { return [] }
    takeover.looks(at: now)
    var actions: [Action] = []
    for id in fetches.keys.sorted() where isDueForTakeover(id, at: now) {
      guard let fetch = fetches[id], let begun = fetch.begun, now >= begun + startTime else {
        continue
      }
      let rate = Double(fetch.pace.rate(at: now))
      guard rate < need, lanes.join(rate: rate, most: rules.lanes.maxLanes, at: now) else {
        continue
      }
      actions +=
        fetch.uncutEnd == nil
        ? split(id, rate: rate, in: layout, at: now) : replaced(id, in: layout, at: now)
    }
    return actions
  }

  /// Returns the next time to check whether a fetch is too slow; nil if no lane is allowed to take
  /// over.
  func nextTakeover(after now: Duration) -> Duration? {
    guard neededRate != nil, lanes.mayJoin(at: now) else { return nil }
    let begun = fetches.filter { isDueForTakeover($0.key, at: now) }.compactMap(\.value.begun)
    return begun.min().map { takeover.nextLook(begun: $0, least: startTime) }
  }

  /// Cancels the fetch if it was cut, and has brought all bytes before the cut.
  mutating func endCut(_ id: FetchID) -> [Action] {
    guard let fetch = fetches[id], fetch.uncutEnd != nil, fetch.rest.isEmpty else { return [] }
    // The end of this answer was not seen, so nothing shows that its bytes are right.
    suspects.leaveOpen(at: fetch.position)
    return drop([id])
  }

  /// Undoes a cut if `ended` was to bring bytes behind the cut, but the origin refused it, because
  /// it serves no more fetches at once. Returns nil for any other fetch or outcome.
  mutating func endTakeover(
    of ended: Fetch, _ end: FetchEnd, at now: Duration
  ) -> [Action]? {
    guard case .busy = end, ended.brought == 0, ended.settled == 0 else { return nil }
    let cut = fetches.first { _, fetch in
      fetch.uncutEnd.map { fetch.bytes.upperBound..<$0 }?.overlaps(ended.bytes) ?? false
    }
    guard let (id, fetch) = cut, let end = fetch.uncutEnd else { return nil }
    takeover.wasTurnedAway()
    lanes.turnedAway(
      askedAt: ended.asked, serving: fetches.values.count { $0.began }, at: now)
    fetches[id]?.bytes = fetch.bytes.lowerBound..<end
    fetches[id]?.uncutEnd = nil
    let covered = fetch.bytes.upperBound..<end
    return drop(
      fetches.filter { !$0.value.began && $0.value.bytes.overlaps(covered) }.keys.sorted())
  }

  /// Returns the limit for the bytes of a fetch that begins `ahead` bytes in front of the reader;
  /// `.max` if there is no limit.
  ///
  /// If several lanes run, and each is slower than the file plays, the reader gets the bytes of a
  /// fetch only as fast as one lane brings them. So all bytes of the fetch should have come when
  /// the bytes before it have been played.
  func nearPiece(of window: ReadAheadWindow, behind ahead: Int, at now: Duration) -> Int {
    guard lanes.count > 1, let playRate, mayRunDry(window, at: now),
      let slowness = lanes.speed.slowness(for: Double(playRate)),
      slowness * Self.spare > 1
    else { return .max }
    return max(Int(Double(ahead) / max(slowness, 1)), Self.minPiece)
  }

  // MARK: Private

  /// The rate that a fetch must have to keep up with the file's playing, in bytes a second. Nil if
  /// the rate at which the file plays is not known, or if no lane is allowed to take over.
  private var neededRate: Double? {
    guard mayFetch, !originLacksRanges, !cached.isEvicting, !waiting.isEmpty, let playRate else {
      return nil
    }
    return Double(playRate) * Self.spare
  }

  /// Returns whether a reader that may run out of bytes waits for the fetch, and other lanes could
  /// take over some of its bytes.
  private func isDueForTakeover(_ id: FetchID, at now: Duration) -> Bool {
    guard let fetch = fetches[id], !fetch.isCheck, fetch.brought > 0, !fetch.rest.isEmpty,
      fetches.count < rules.lanes.maxLanes
    else { return false }
    return waiting.values.contains { wait in
      guard let bytes = wait.bytes, bytes.overlaps(fetch.rest),
        let window = wait.reader.flatMap({ readers.windows[$0] })
      else { return false }
      return mayRunDry(window, at: now)
    }
  }

  /// Returns whether the reader of `window` is so little ahead of the place that its player shows
  /// that playback may stop.
  private func mayRunDry(_ window: ReadAheadWindow, at now: Duration) -> Bool {
    playRate.map { window.lead(over: $0, at: now) < Self.safeLead } ?? false
  }

  /// Cuts the fetch at a place that its lane reaches soon, and starts fetches of free lanes behind
  /// the cut. `rate` is the rate of the fetch, in bytes a second.
  private mutating func split(
    _ id: FetchID, rate: Double, in layout: BlockLayout, at now: Duration
  ) -> [Action] {
    guard let fetch = fetches[id], fetch.rest.count >= Self.minRest else { return [] }
    let rest = fetch.rest
    let free = lanes.count - fetches.values.count { !$0.isCheck }
    guard free > 0 else { return [] }
    let share = min(rest.count / (free + 1), Int(rate * Self.soon))
    var start = layout.bytes(of: layout.block(at: rest.lowerBound + share)).upperBound
    guard start < rest.upperBound else { return [] }
    fetches[id]?.bytes = fetch.bytes.lowerBound..<start
    fetches[id]?.uncutEnd = rest.upperBound
    readers.rescan()
    let piece = min(lanes.piece, max((rest.upperBound - start) / free, layout.blockSize))
    var actions: [Action] = []
    for _ in 0..<free where start < rest.upperBound {
      let blocks = layout.blocks(touching: start..<min(start + piece, rest.upperBound))
      start = layout.bytes(of: blocks).upperBound
      for run in uncovered(blocks, in: layout) {
        let bytes = layout.bytes(of: run)
        actions.append(self.start(bytes, isWaitedFor(bytes) ? .demand : .ahead, at: now))
      }
    }
    return actions
  }

  /// Replaces a cut fetch by a new one if no bytes of it come any more, and the origin serves two
  /// fetches at once. An origin that limits the rate for each whole second sends the first bytes of
  /// each answer without delay.
  private mutating func replaced(
    _ id: FetchID, in layout: BlockLayout, at now: Duration
  ) -> [Action] {
    guard takeover.servesTwo, let fetch = fetches[id], let came = fetch.came,
      now - came >= Self.silence
    else { return [] }
    let blocks = layout.blocks(touching: fetch.rest)
    return drop([id]) + [start(layout.bytes(of: blocks), .demand, at: now)]
  }

  /// The time that each fetch gets to come up to speed. In ten round trips, TCP's slow start fills
  /// any line that one connection can fill.
  private var startTime: Duration { max(Self.minStartTime, lanes.speed.latency * 10) }

  private static let minStartTime = Duration.milliseconds(400)
  /// The factor by which a fetch must be faster than the file plays.
  private static let spare = 1.1
  /// The seconds of playing time by which a reader must be ahead of the place that its player
  /// shows, so that playback is safe.
  private static let safeLead = 4.0
  /// A fetch counts as silent if no bytes of it have come for this time.
  private static let silence = Duration.milliseconds(250)
  /// The seconds that a cut fetch takes to bring the bytes before its cut.
  private static let soon = 1.0
  /// A fetch is cut only if this many bytes of it are left.
  private static let minRest = 128 << 10
  /// The smallest limit that `nearPiece` returns, in bytes.
  private static let minPiece = 128 << 10
}
