/// The user's choice among the candidates of an entry.
package struct MediaChoice: Hashable, Codable, Sendable {
  /// Whether entries with sound only are files too.
  package var audio = false
  /// The most lines of the picture. A taller candidate is played only if there is nothing else.
  package var maxHeight: Int?
  /// Whether a web page counts as media if there is nothing else. A resolver can then find its
  /// media.
  package var pages = false

  package init() {}
}

/// The candidates of an entry, ranked.
struct MediaRanking {
  /// The candidate to play; nil if there is none.
  let chosen: Candidate?
  /// All others, best first.
  let others: [Candidate]
  /// The reason why none was chosen.
  let reason: String?

  /// True when no candidate was chosen and the best one is a page or a Flash player.
  var isOnlyPage: Bool {
    chosen == nil && others.first.map { [.flash, .page].contains($0.unplayable) } ?? false
  }

  /// Ranks `candidates`, which are in document order. Chooses sound alone only if `choice` allows
  /// it.
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

  /// Returns numbers to compare one by one. A higher number is better.
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
    // Names the unplayable kind that comes nearest to media.
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
