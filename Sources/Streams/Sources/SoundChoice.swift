/// The facts about one sound of a stream. They decide which sound is chosen.
struct SoundFacts: Hashable {
  var language: String?
  var title: String?
  var isDefault = false
  /// Whether a player is allowed to choose this sound by itself, without a choice of the viewer.
  var isAutomatic = false
  /// Whether this sound is for a special purpose: it describes the picture to the blind, or
  /// comments on the film.
  var isSpecial = false
  var quality = StreamQuality()

  /// Returns the facts as numbers, the most important first. A greater number is better.
  func rank(for wishes: StreamWishes) -> [Int] {
    [
      -wishes.place(of: language), isSpecial ? 0 : 1, isDefault ? 1 : 0, isAutomatic ? 1 : 0,
      quality.unplayable.isEmpty ? 1 : 0,
    ]
  }

  /// Returns the positions of the sounds in `all`, the best first. Equally good sounds keep their
  /// order in `all`.
  static func ranked(_ all: [SoundFacts], for wishes: StreamWishes) -> [Int] {
    let ranks = all.map { $0.rank(for: wishes) }
    return all.indices.sorted { one, other in
      ranks[one] == ranks[other]
        ? one < other : ranks[other].lexicographicallyPrecedes(ranks[one])
    }
  }

  /// Returns the reason why this sound was chosen out of `count`, in words for the user.
  func words(for wishes: StreamWishes, of count: Int) -> String {
    let name = language ?? title ?? "the only one"
    if count == 1 { return name }
    if !wishes.languages.isEmpty, wishes.place(of: language) < wishes.languages.count * 2 {
      return "\(name), the best of \(count) for --languages"
    }
    return isDefault
      ? "\(name), the stream's default of \(count)" : "\(name), the first of \(count)"
  }
}
