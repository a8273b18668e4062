/// The facts that decide between the sounds of one film.
struct SoundFacts: Hashable {
  var language: String?
  var title: String?
  var isDefault = false
  /// Whether players may choose it by themselves.
  var isAutomatic = false
  /// Whether it describes the picture to the blind, or is a comment on the film.
  var isSpecial = false
  var quality = StreamQuality()

  /// The facts in numbers, the most important first. Greater is better.
  func rank(for wishes: StreamWishes) -> [Int] {
    [
      -wishes.place(of: language), isSpecial ? 0 : 1, isDefault ? 1 : 0, isAutomatic ? 1 : 0,
      quality.unplayable.isEmpty ? 1 : 0,
    ]
  }

  /// Returns the places of the sounds, the best first. Equally good ones are in the order of the
  /// document.
  static func ranked(_ all: [SoundFacts], for wishes: StreamWishes) -> [Int] {
    let ranks = all.map { $0.rank(for: wishes) }
    return all.indices.sorted { one, other in
      ranks[one] == ranks[other]
        ? one < other : ranks[other].lexicographicallyPrecedes(ranks[one])
    }
  }

  /// The reason in words why this sound was chosen.
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
