/// The user's choice among the tracks of a stream.
package struct StreamWishes: Hashable, Sendable {
  /// The greatest wanted height of the picture, in lines; nil if any height is wanted. A taller
  /// picture is chosen only if there is no other.
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

  /// Returns the rank of a language in the user's order; a lower rank is better.
  ///
  /// The wish "pt" fully matches "pt-BR" (RFC 4647 §3.3.1). The wish "pt-BR" also matches "pt", but
  /// less well.
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
    if let code = subtags.first.flatMap({ Self.codes[$0] }) { subtags[0] = code.short }
    self.subtags = subtags
  }

  var primary: String { subtags.first ?? "" }

  /// Whether the tag is the same language as `range`, or a form of that language, as "pt-BR" is of
  /// "pt".
  func isWithin(_ range: LanguageTag) -> Bool {
    !range.subtags.isEmpty && subtags.starts(with: range.subtags)
  }

  /// The language in three letters, as Matroska writes it: the bibliographic code of ISO 639-2 (RFC
  /// 9559 §12); "und" if no such code is known.
  var threeLetters: String {
    Self.codes[primary]?.bibliographic ?? (primary.utf8.count == 3 ? primary : "und")
  }

  /// The codes of one language.
  private struct Code {
    /// The code of two letters. RFC 5646 prefers it to codes of three letters.
    let short: String
    let bibliographic: String
  }

  /// Maps each code of a language to its codes `short` and `bibliographic`. Packagers also write
  /// the codes of ISO 639-2, in which some languages have a bibliographic code and a terminological
  /// one.
  private static let codes: [String: Code] = {
    var codes: [String: Code] = [:]
    for row in rows.split(separator: " ") {
      let names = row.split(separator: "/").map(String.init)
      for name in names { codes[name] = Code(short: names[0], bibliographic: names[1]) }
    }
    return codes
  }()

  /// One word for each language: its code of two letters, its bibliographic code, and its
  /// terminological code if that differs. All languages with two codes of three letters are here,
  /// and the most frequent others.
  private static let rows = """
    ar/ara bo/tib/bod cs/cze/ces cy/wel/cym da/dan de/ger/deu el/gre/ell en/eng es/spa eu/baq/eus \
    fa/per/fas fi/fin fr/fre/fra he/heb hi/hin hu/hun hy/arm/hye is/ice/isl it/ita ja/jpn \
    ka/geo/kat ko/kor mi/mao/mri mk/mac/mkd ms/may/msa my/bur/mya nl/dut/nld no/nor pl/pol pt/por \
    ro/rum/ron ru/rus sk/slo/slk sq/alb/sqi sv/swe tr/tur uk/ukr zh/chi/zho
    """
}

extension TrackDescription {
  /// Converts a language tag (BCP 47) or code to Matroska's code of three letters; "und" if it is
  /// not known.
  package static func threeLetters(_ language: String) -> String {
    LanguageTag(language).threeLetters
  }
}
