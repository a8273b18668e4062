/// The user's choice among the tracks of a stream.
package struct StreamWishes: Hashable, Sendable {
  /// The most lines of the picture. A taller one is played only if there is nothing else.
  package var maxHeight: Int?
  /// The languages of sound and subtitles (BCP 47), the best first. Empty: the stream's own choice.
  package var languages: [String] = []
  /// Codecs, the best first, in the words of `StreamCodec`. Nil means the codecs that most players
  /// play.
  package var codecs: [String]?
  /// Whether sound alone is wanted.
  package var soundOnly = false
  /// The choice that was played before, so that cached bytes stay of use: `StreamSource.choice`.
  package var before: String?

  package init() {}

  /// Returns the place of a language in the user's order; a lower one is better.
  ///
  /// "pt" matches "pt-BR", and "pt-BR" matches "pt", but less well (RFC 4647 §3.3.1).
  func place(of language: String?) -> Int {
    guard let language else { return languages.count * 2 }
    let tag = LanguageTag(language)
    for (place, wish) in languages.enumerated() {
      let wish = LanguageTag(wish)
      if tag.isWithin(wish) { return place * 2 }
      if tag.primary == wish.primary { return place * 2 + 1 }
    }
    return languages.count * 2
  }
}

/// The name of a language, as far as it decides a choice.
struct LanguageTag: Hashable {
  let subtags: [String]

  init(_ text: String) {
    var subtags = text.lowercased().split { $0 == "-" || $0 == "_" }.map(String.init)
    if let first = subtags.first, let short = Self.short[first] { subtags[0] = short }
    self.subtags = subtags
  }

  var primary: String { subtags.first ?? "" }

  /// Whether this is the same language as `range`, or a form of it.
  func isWithin(_ range: LanguageTag) -> Bool {
    !range.subtags.isEmpty && subtags.starts(with: range.subtags)
  }

  /// The language in three letters (ISO 639-2), as Matroska has it; "und" if there is no such code.
  var threeLetters: String {
    if primary.utf8.count == 3 { return primary }
    return Self.short.filter { $0.value == primary }.keys.min() ?? "und"
  }

  /// ISO 639-2 codes that packagers write, by those that RFC 5646 asks for.
  private static let short = [
    "ara": "ar", "ces": "cs", "cze": "cs", "dan": "da", "deu": "de", "ger": "de", "ell": "el",
    "gre": "el", "eng": "en", "spa": "es", "fin": "fi", "fra": "fr", "fre": "fr", "heb": "he",
    "hin": "hi", "hun": "hu", "ita": "it", "jpn": "ja", "kor": "ko", "nld": "nl", "dut": "nl",
    "nor": "no", "pol": "pl", "por": "pt", "ron": "ro", "rum": "ro", "rus": "ru", "swe": "sv",
    "tur": "tr", "ukr": "uk", "zho": "zh", "chi": "zh",
  ]
}

extension TrackDescription {
  /// The language of a BCP 47 tag in three letters (ISO 639-2); "und" if there is no such code.
  package static func threeLetters(_ language: String) -> String {
    LanguageTag(language).threeLetters
  }
}
