/// The user's choice among the tracks of a stream.
package struct StreamWishes: Hashable, Sendable {
  /// The greatest wanted height of the picture, in lines; nil for any. A taller picture is chosen
  /// only if there is no other.
  package var maxHeight: Int?
  /// The languages of sound and subtitles (BCP 47), the best first. If empty, the stream's own
  /// preference decides.
  package var languages: [String] = []
  /// Codecs, the best first, in the words of `StreamCodec`. Nil prefers the codecs that most
  /// players play.
  package var codecs: [String]?
  /// Whether sound alone is wanted.
  package var soundOnly = false
  /// The choice that was played last (`StreamSource.choice`). It is preferred, so cached bytes stay
  /// useful.
  package var before: String?

  package init() {}

  /// Returns the rank of a language in the user's order; a lower one is better.
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

/// A language tag (BCP 47), as its subtags in lower case.
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

  /// The language in three letters (ISO 639-2), as Matroska writes it; "und" if none are known.
  var threeLetters: String {
    if primary.utf8.count == 3 { return primary }
    return Self.short.filter { $0.value == primary }.keys.min() ?? "und"
  }

  /// The codes of two letters that RFC 5646 asks for, by the codes of ISO 639-2 that some packagers
  /// write instead.
  private static let short = [
    "ara": "ar", "ces": "cs", "cze": "cs", "dan": "da", "deu": "de", "ger": "de", "ell": "el",
    "gre": "el", "eng": "en", "spa": "es", "fin": "fi", "fra": "fr", "fre": "fr", "heb": "he",
    "hin": "hi", "hun": "hu", "ita": "it", "jpn": "ja", "kor": "ko", "nld": "nl", "dut": "nl",
    "nor": "no", "pol": "pl", "por": "pt", "ron": "ro", "rum": "ro", "rus": "ru", "swe": "sv",
    "tur": "tr", "ukr": "uk", "zho": "zh", "chi": "zh",
  ]
}

extension TrackDescription {
  /// Returns the language of a BCP 47 tag in three letters (ISO 639-2); "und" if none are known.
  package static func threeLetters(_ language: String) -> String {
    LanguageTag(language).threeLetters
  }
}
