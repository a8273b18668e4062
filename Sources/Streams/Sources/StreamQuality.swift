/// The facts about one form in which a stream offers a picture or sound. They decide which form is
/// chosen.
struct StreamQuality: Hashable {
  var codecs: [String] = []
  var width: Int?
  var height: Int?
  var bandwidth = 0
  /// Whether the colours are for screens with a high dynamic range (HDR).
  var isHighRange = false
  /// The name of the form, which becomes a part of `StreamSource.choice`.
  var name = ""

  /// The codecs that feedfs cannot put into a file.
  var unplayable: [String] {
    codecs.filter {
      let codec = StreamCodec($0)
      return codec.kind != .text && !codec.isPlayable
    }
  }

  /// Whether the form has a picture; nil if that is not known.
  var hasPicture: Bool? {
    if height != nil { return true }
    if codecs.isEmpty { return nil }
    return codecs.contains { ![.sound, .text].contains(StreamCodec($0).kind) }
  }

  /// Returns the facts as numbers, the most important first. A greater number is better.
  func rank(for wishes: StreamWishes) -> [Int] {
    // The height comes from the web, so arithmetic with any value of it could overflow. No picture
    // has more than 65,536 lines.
    let lines = min(max(0, height ?? 0), 1 << 16)
    let excess = wishes.maxHeight.map { max(0, lines - $0) } ?? 0
    return [
      wasPlayed(wishes) ? 1 : 0, hasPicture == false ? 0 : 1, -excess, lines,
      isHighRange ? 0 : 1, -place(in: wishes.codecs), bandwidth,
    ]
  }

  /// Whether the user has played this form before. The name of a choice is the name of the form, or
  /// this name followed by "/" and the name of the sound.
  private func wasPlayed(_ wishes: StreamWishes) -> Bool {
    guard let before = wishes.before, !name.isEmpty else { return false }
    return before == name || before.hasPrefix(name + "/")
  }

  /// Returns the sum of the codecs' ranks in the user's order, or in the default order if `words`
  /// is nil.
  private func place(in words: [String]?) -> Int {
    codecs.reduce(0) { sum, name in
      let codec = StreamCodec(name)
      return sum + (words.map { $0.firstIndex(of: codec.word) ?? $0.count } ?? codec.place)
    }
  }

  /// Returns the position of the best form in `all`, the first of equally good forms; nil if `all`
  /// is empty.
  static func best(of all: [StreamQuality], for wishes: StreamWishes) -> Int? {
    let ranks = all.map { $0.rank(for: wishes) }
    return ranks.indices.max { one, other in
      ranks[one] == ranks[other]
        ? one > other : ranks[one].lexicographicallyPrecedes(ranks[other])
    }
  }

  /// Describes the form to the user: "1080p h264, 5.2 Mbit/s".
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
