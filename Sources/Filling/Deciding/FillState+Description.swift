import Blocks

/// The state in words, for the log when a read waits too long.
extension FillState {
  func description(at now: Duration) -> String {
    let fetching = fetches.sorted { $0.key < $1.key }.map { id, fetch in
      "\(id) of \(fetch.bytes) at \(fetch.position), \(fetch.urgency)\(fetch.began ? "" : ", not begun")"
    }
    let waits = waiting.sorted { $0.key < $1.key }.map { id, wait in
      "\(id) for \(wait.bytes.map { "\($0)" } ?? "the length") until \(wait.deadline)"
        + (isLookedAfter(wait, at: now) ? "" : ", forgotten")
    }
    var words = [
      "length \(layout.map { "\($0.length)" } ?? "not proved")",
      "cached \(layout.map { cachedBlocks.bytes(in: $0) } ?? 0) bytes",
      "fetches: \(fetching.isEmpty ? "none" : fetching.joined(separator: "; "))",
      "waits: \(waits.isEmpty ? "none" : waits.joined(separator: "; "))",
    ]
    if let failing = trouble.failing { words.append("trouble: \(failing)") }
    if let putOff = seeks.putOff { words.append("put off: \(putOff)") }
    if mode != .online { words.append("\(mode)") }
    if isStale { words.append("stale") }
    if originLacksRanges { words.append("without ranges") }
    if access.renewal.isAsking { words.append("asks the feed for another address") }
    if tags.isOpen { words.append("its tag is doubted") }
    if hasEnded { words.append("ended") }
    return words.joined(separator: ", ")
  }

  /// Returns whether something can still end `wait` before its deadline. If not, the code has
  /// forgotten the wait, which must never happen.
  func isLookedAfter(_ wait: Wait, at now: Duration) -> Bool {
    if access.renewal.isAwaited || mode == .paused || tags.comparison != nil { return true }
    if !trouble.isOver(at: now) { return true }
    if let bytes = wait.bytes, isWithheld(bytes), suspects.endOfWithholding != nil { return true }
    if let hold = seeks.hold, hold.end > now, hold.bytes == wait.bytes { return true }
    guard let layout, let bytes = wait.bytes, !originLacksRanges else { return isFetching }
    return layout.blocks(touching: bytes).allSatisfy { block in
      let inBlock = layout.bytes(of: block)
      return holds(bytes.clamped(to: inBlock))
        || fetches.values.contains {
          // The fetch for `wait` can be put off until the running fetch has ended.
          !$0.isCheck && $0.rest.overlaps(inBlock) || seeks.putOff != nil
        } || isNext(bytes)
    }
  }
}
