import Blocks

/// All that is decided, in words: for the log, when something waits that should not.
extension FillState: CustomStringConvertible {
  package var description: String {
    let fetching = fetches.sorted { $0.key < $1.key }.map { id, fetch in
      "\(id) of \(fetch.bytes) at \(fetch.position), \(fetch.urgency)\(fetch.began ? "" : ", not begun")"
    }
    let waits = waiting.sorted { $0.key < $1.key }.map { id, wait in
      "\(id) for \(wait.bytes.map { "\($0)" } ?? "the length") until \(wait.deadline)"
    }
    var words = [
      "length \(layout.map { "\($0.length)" } ?? "not proved")",
      "held \(layout.map { held.bytes(in: $0) } ?? 0) bytes",
      "fetches: \(fetching.isEmpty ? "none" : fetching.joined(separator: "; "))",
      "waits: \(waits.isEmpty ? "none" : waits.joined(separator: "; "))",
    ]
    if let trouble { words.append("trouble: \(trouble)") }
    if let putOff { words.append("put off: \(putOff)") }
    if isSuperseded { words.append("superseded") }
    if originLacksRanges { words.append("without ranges") }
    if isRenewing { words.append("asks the feed for another address") }
    if hasEnded { words.append("ended") }
    return words.joined(separator: ", ")
  }
}
