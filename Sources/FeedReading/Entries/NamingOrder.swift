/// The order that decides which candidate's address identifies an entry without an id of its own.
///
/// Ids are saved on disk, so this order never changes. The order in which candidates are played is
/// separate and can change (`MediaRanking`).
enum NamingOrder {
  /// Returns the index of the candidate whose address identifies the entry; nil if there is none.
  static func first(_ candidates: [Candidate], _ choice: MediaChoice) -> Int? {
    guard candidates.count > 1 else { return candidates.indices.first }
    var (best, place) = (0, Place(candidates[0], choice))
    for index in candidates.indices.dropFirst() {
      let other = Place(candidates[index], choice)
      if other.isBefore(place) { (best, place) = (index, other) }
    }
    return best
  }

  private struct Place {
    let isPlayable: Bool
    let rank: Int
    let isSample: Bool
    let isMadeOnDemand: Bool
    let excess: Int
    let isDefault: Bool
    let isEnclosure: Bool
    let height: Int
    let bitrate: Double

    init(_ candidate: Candidate, _ choice: MediaChoice) {
      let judgement = candidate.judgement
      isPlayable = judgement.unplayable == nil && judgement.mediaClass != .unknown
      rank = judgement.mediaClass == .video ? 2 : judgement.mediaClass == .audio ? 1 : 0
      isSample = candidate.isSample
      isMadeOnDemand = candidate.isMadeOnDemand
      height = candidate.media.height ?? 0
      let lines = height
      excess = choice.maxHeight.map { max(0, lines - $0) } ?? 0
      isDefault = candidate.media.isDefault
      isEnclosure = candidate.source == .enclosure
      bitrate = candidate.media.bitrate ?? 0
    }

    func isBefore(_ other: Place) -> Bool {
      if isPlayable != other.isPlayable { return isPlayable }
      if rank != other.rank { return rank > other.rank }
      if isSample != other.isSample { return other.isSample }
      if isMadeOnDemand != other.isMadeOnDemand { return other.isMadeOnDemand }
      if excess != other.excess { return excess < other.excess }
      if isDefault != other.isDefault { return isDefault }
      if isEnclosure != other.isEnclosure { return isEnclosure }
      if height != other.height { return height > other.height }
      return bitrate > other.bitrate
    }
  }
}
