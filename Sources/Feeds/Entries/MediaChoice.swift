/// Which of what an entry offers its user wants to play.
package struct MediaChoice: Hashable, Codable, Sendable {
  /// Whether entries that only have sound are files too.
  package var audio = false
  /// Lines of picture; what has more is played only where nothing else is offered.
  package var maxHeight: Int?
  /// Whether a web page will do where there is nothing else, since its media can be found.
  package var pages = false

  package init() {}
}

/// Which of an entry's candidates is to be played.
struct MediaRanking {
  /// nil where none can be.
  let chosen: Candidate?
  /// All others, best first.
  let others: [Candidate]
  /// Why none was chosen.
  let reason: String?

  /// Whether there is a page to watch it on, and nothing that is played without one.
  var isOnlyPage: Bool {
    chosen == nil && others.first.map { [.flash, .page].contains($0.unplayable) } ?? false
  }

  /// `candidates` in document order; sound alone is chosen only where `choice` allows it.
  init(_ candidates: [Candidate], choice: MediaChoice) {
    let ranked = Self.sorted(candidates, choice)
    guard let best = ranked.first, best.unplayable == nil, choice.audio || best.mediaClass == .video
    else {
      chosen = nil
      others = ranked
      reason = Self.reason(ranked)
      return
    }
    chosen = best
    others = Array(ranked.dropFirst())
    reason = nil
  }

  private static func sorted(_ candidates: [Candidate], _ choice: MediaChoice) -> [Candidate] {
    guard candidates.count > 1 else { return candidates }
    let ranked = candidates.map { (candidate: $0, rank: rank($0, choice)) }
    return ranked.enumerated().sorted { first, second in
      let (one, other) = (first.element.rank, second.element.rank)
      return one == other ? first.offset < second.offset : other.lexicographicallyPrecedes(one)
    }.map(\.element.candidate)
  }

  /// Compared number by number; more is better.
  private static func rank(_ candidate: Candidate, _ choice: MediaChoice) -> [Double] {
    let media = candidate.media
    let height = Double(media.height ?? 0)
    let excess = choice.maxHeight.map { max(0, height - Double($0)) } ?? 0
    return [
      candidate.unplayable == nil ? 1 : 0,
      classRank(candidate.mediaClass),
      candidate.isSample ? 0 : 1,
      candidate.isMadeOnDemand ? 0 : 1,
      -excess,
      media.isDefault ? 1 : 0,
      candidate.source == .enclosure ? 1 : 0,
      height,
      media.bitrate ?? 0,
    ]
  }

  private static func classRank(_ mediaClass: MediaClass) -> Double {
    switch mediaClass {
    case .video: 2
    case .audio: 1
    case .other: 0
    }
  }

  private static func reason(_ candidates: [Candidate]) -> String {
    guard let best = candidates.first else { return "no media" }
    // Among what cannot be played, tell what comes nearest to it.
    let kinds = Set(candidates.compactMap(\.unplayable))
    if best.unplayable == nil { return "audio only" }
    if kinds.contains(.stream) { return "only an HLS or DASH stream" }
    if kinds.contains(.torrent) { return "only a torrent" }
    if kinds.contains(.flash) { return "only a Flash player: its page needs a resolver" }
    if kinds.contains(.page) { return "only a web page" }
    if kinds.contains(.other) { return "only a file that is neither video nor audio" }
    return "only an image"
  }
}
