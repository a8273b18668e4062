import Blocks

/// All that is decided, in words: for the log, when something waits that should not.
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
      "held \(layout.map { held.bytes(in: $0) } ?? 0) bytes",
      "fetches: \(fetching.isEmpty ? "none" : fetching.joined(separator: "; "))",
      "waits: \(waits.isEmpty ? "none" : waits.joined(separator: "; "))",
    ]
    if let trouble { words.append("trouble: \(trouble)") }
    if let putOff { words.append("put off: \(putOff)") }
    if line != .open { words.append("\(line)") }
    if isSuperseded { words.append("superseded") }
    if originLacksRanges { words.append("without ranges") }
    if isRenewing { words.append("asks the feed for another address") }
    if hasEnded { words.append("ended") }
    return words.joined(separator: ", ")
  }

  /// Whether something will come of `wait` before its deadline, if the origin does its part. It always
  /// does: whoever waits and is not looked after has been forgotten.
  func isLookedAfter(_ wait: Wait, at now: Duration) -> Bool {
    if isRenewing || line == .paused { return true }
    if let trouble, trouble.notBefore > now { return true }
    if let bytes = wait.bytes, isWithheld(bytes), endOfWithholding != nil { return true }
    guard let layout, let bytes = wait.bytes, !originLacksRanges else { return isFetching }
    return layout.blocks(touching: bytes).allSatisfy { block in
      let inBlock = layout.bytes(of: block)
      return holds(bytes.clamped(to: inBlock))
        || fetches.values.contains {
          // It may be put off until what is nearly there has come.
          !$0.isCheck && $0.rest.overlaps(inBlock) || putOff != nil
        }
    }
  }
}
