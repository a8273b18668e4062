package import Blocks

extension FileStatus {
  /// Returns the state of the file in words: "filling", "waiting for example.org: status 503, again
  /// in 4 s".
  package func words(in mode: NetworkMode) -> String {
    let hasFailed = failure != nil && state != .waiting && state != .complete
    let more =
      [hasFailed ? failure.map { "failed: \($0.what)" } : nil]
      + [removed ? "removed from the feed" : nil, pinned ? "pinned" : kept == true ? "kept" : nil]
    return ([stateWords(in: mode)] + more.compactMap(\.self)).joined(separator: ", ")
  }

  private func stateWords(in mode: NetworkMode) -> String {
    let isWanted = open > 0 || state == .waiting || state == .filling
    switch state {
    case .complete: return state.rawValue
    case .filling where mode == .online: return state.rawValue
    case .waiting where mode == .online: return waitingWords
    case .filling, .waiting, .partial, .empty:
      return mode != .online && isWanted ? mode.rawValue : state.rawValue
    }
  }

  private var waitingWords: String {
    var words = host.map { "waiting for \($0)" } ?? "waiting"
    if let reason { words += ": \(reason)" }
    if let retryIn {
      words += retryIn < 0.5 ? ", again now" : ", again in \(Int(retryIn.rounded())) s"
    }
    return words
  }
}
