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
    guard let best = ranked.first, best.judgement.unplayable == nil,
      choice.audio || best.judgement.mediaClass == .video
    else {
      chosen = nil
      others = ranked.map(\.candidate)
      reason = Self.reason(ranked)
      return
    }
    chosen = best.candidate
    others = ranked.dropFirst().map(\.candidate)
    reason = nil
  }

  /// A candidate, with all that decides about its place.
  private struct Ranked {
    let candidate: Candidate
    let judgement: Candidate.Judgement
    let isMadeOnDemand: Bool
    let height: Double
    /// The lines of the picture above those that the user wants.
    let excess: Double

    init(_ candidate: Candidate, _ choice: MediaChoice) {
      self.candidate = candidate
      judgement = candidate.judgement
      isMadeOnDemand = candidate.isMadeOnDemand
      let height = Double(candidate.media.height ?? 0)
      self.height = height
      excess = choice.maxHeight.map { max(0, height - Double($0)) } ?? 0
    }

    /// Whether this one is better than `other`; nil if both are as good.
    func isBetter(than other: Ranked) -> Bool? {
      let isPlayable = judgement.unplayable == nil
      if isPlayable != (other.judgement.unplayable == nil) { return isPlayable }
      let (rank, otherRank) = (judgement.mediaClass.rank, other.judgement.mediaClass.rank)
      if rank != otherRank { return rank > otherRank }
      if candidate.isSample != other.candidate.isSample { return other.candidate.isSample }
      if isMadeOnDemand != other.isMadeOnDemand { return other.isMadeOnDemand }
      if excess != other.excess { return excess < other.excess }
      let (media, otherMedia) = (candidate.media, other.candidate.media)
      if media.isDefault != otherMedia.isDefault { return media.isDefault }
      let isEnclosure = candidate.source == .enclosure
      if isEnclosure != (other.candidate.source == .enclosure) { return isEnclosure }
      if height != other.height { return height > other.height }
      let (bitrate, otherBitrate) = (media.bitrate ?? 0, otherMedia.bitrate ?? 0)
      return bitrate == otherBitrate ? nil : bitrate > otherBitrate
    }
  }

  /// Returns the candidates, best first. Those that are as good keep their order.
  private static func sorted(_ candidates: [Candidate], _ choice: MediaChoice) -> [Ranked] {
    let ranked = candidates.map { Ranked($0, choice) }
    let isInOrder = zip(ranked, ranked.dropFirst()).allSatisfy { $1.isBetter(than: $0) != true }
    if isInOrder { return ranked }
    let places = ranked.indices.sorted { one, other in
      ranked[one].isBetter(than: ranked[other]) ?? (one < other)
    }
    return places.map { ranked[$0] }
  }

  private static func reason(_ candidates: [Ranked]) -> String {
    guard let best = candidates.first else { return "no media" }
    // Names the unplayable kind that comes nearest to media.
    let kinds = Set(candidates.compactMap(\.judgement.unplayable))
    if best.judgement.unplayable == nil { return "audio only" }
    if kinds.contains(.stream) { return "only an HLS or DASH stream" }
    if kinds.contains(.torrent) { return "only a torrent" }
    if kinds.contains(.flash) { return "only a Flash player: its page needs a resolver" }
    if kinds.contains(.page) { return "only a web page" }
    if kinds.contains(.other) { return "only a file that is neither video nor audio" }
    return "only an image"
  }
}

extension MediaClass {
  fileprivate var rank: Int {
    switch self {
    case .video: 2
    case .audio: 1
    case .other: 0
    }
  }
}
