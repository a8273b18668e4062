/// The facts that decide between forms of one track.
struct StreamQuality: Hashable {
  var codecs: [String] = []
  var width: Int?
  var height: Int?
  var bandwidth = 0
  /// Whether colours are made for screens of high dynamic range.
  var isHighRange = false
  /// The name that the form had as `StreamSource.choice`.
  var name = ""

  /// The codecs that no file can be made of.
  var unplayable: [String] {
    codecs.filter {
      let codec = StreamCodec($0)
      return codec.kind != .text && !codec.isPlayable
    }
  }

  /// Whether there is a picture; nil if that is not known.
  var hasPicture: Bool? {
    if height != nil { return true }
    if codecs.isEmpty { return nil }
    return codecs.contains { ![.sound, .text].contains(StreamCodec($0).kind) }
  }

  /// The facts in numbers, the most important first. Greater is better.
  func rank(for wishes: StreamWishes) -> [Int] {
    // No picture has more lines. A sum with any number from a stranger might overflow.
    let lines = min(max(0, height ?? 0), 1 << 16)
    let excess = wishes.maxHeight.map { max(0, lines - $0) } ?? 0
    return [
      wasPlayed(wishes) ? 1 : 0, hasPicture == false ? 0 : 1, -excess, lines,
      isHighRange ? 0 : 1, -place(in: wishes.codecs), bandwidth,
    ]
  }

  /// Whether the user has played this form before. The name of the sound may follow in the name of
  /// a choice.
  private func wasPlayed(_ wishes: StreamWishes) -> Bool {
    guard let before = wishes.before, !name.isEmpty else { return false }
    return before == name || before.hasPrefix(name + "/")
  }

  /// The sum of the codecs' places in the user's order, or else in the default order.
  private func place(in words: [String]?) -> Int {
    codecs.reduce(0) { sum, name in
      let codec = StreamCodec(name)
      return sum + (words.map { $0.firstIndex(of: codec.word) ?? $0.count } ?? codec.place)
    }
  }

  /// Returns the place of the best form; nil if there is none. The first one of equals counts.
  static func best(of all: [StreamQuality], for wishes: StreamWishes) -> Int? {
    let ranks = all.map { $0.rank(for: wishes) }
    return ranks.indices.max { one, other in
      ranks[one] == ranks[other]
        ? one > other : ranks[one].lexicographicallyPrecedes(ranks[other])
    }
  }

  /// The form in words: "1080p h264, 5.2 Mbit/s".
  var words: String {
    let lines = height.map { "\($0)p" }
    let names = codecs.map { StreamCodec($0).word }.joined(separator: " + ")
    let rate =
      bandwidth >= 1_000_000
      ? "\(bandwidth / 1_000_000).\(bandwidth % 1_000_000 / 100_000) Mbit/s"
      : bandwidth > 0 ? "\(bandwidth / 1000) kbit/s" : ""
    let first = [lines ?? "", names].filter { !$0.isEmpty }.joined(separator: " ")
    let all = [first, rate].filter { !$0.isEmpty }
    return all.isEmpty ? "the only form" : all.joined(separator: ", ")
  }
}
