/// Explains why one of an entry's forms is played, and none of the others.
package enum MediaReason {
  /// Returns the reason as a phrase such as "1080 lines, the most of 3 forms"; nil for a web page.
  ///
  /// - Parameters:
  ///   - media: the form that is played.
  ///   - others: the other candidates of the entry.
  package static func words(
    for media: Media, among others: [Media], _ choice: MediaChoice
  ) -> String? {
    guard !media.isPage else { return nil }
    let forms = Media.forms(media, others, streams: choice.streams)
    let ranked = RankedCandidate.all(
      forms.map { Candidate(media: $0, source: .alternative) }, choice, duration: media.duration)
    guard let own = ranked.first, var next = ranked.dropFirst().first else {
      return "the only form that can be played"
    }
    for other in ranked.dropFirst(2) where other.isBetter(than: next) == true { next = other }
    let all = "\(forms.count) forms"
    switch own.comparison(with: next) {
    case (by: .excess, isBetter: true)?, (by: .height, isBetter: true)?:
      return lines(of: own, all, choice, hasTaller: ranked.contains { $0.excess > 0 })
    case (by: .format, isBetter: true)?: return format(of: own, before: next, choice)
    case (by: .isDefault, isBetter: true)?: return "the feed's default of \(all)"
    case (by: .bitrate, isBetter: true)?: return "the highest bit rate of \(all)"
    case (by: .onDemand, isBetter: true)?:
      return "the server makes the other forms while they are read"
    case (by: .sound, isBetter: true)?: return "the other forms have no sound"
    case (by: .fragmented, isBetter: true)?:
      return "the other forms are fragmented files, which players read as a whole"
    case (by: .plain, isBetter: true)?:
      return "a file, which feedfs prefers to a stream of the same height"
    case nil: return "the first of \(forms.count) equally good forms"
    case (by: _, isBetter: _)?: return "the best of \(all)"
    }
  }

  private static func lines(
    of own: RankedCandidate, _ all: String, _ choice: MediaChoice, hasTaller: Bool
  ) -> String {
    let lines =
      own.height.map { "\($0.lines) lines\($0.source.words)" }
      ?? "height unknown, taken as \(PictureHeight.usual) lines"
    guard let limit = choice.maxHeight, hasTaller else { return "\(lines), the most of \(all)" }
    return own.excess > 0
      ? "\(lines), the fewest of \(all), and none has \(limit) or fewer"
      : "\(lines), the most up to \(limit) of \(all)"
  }

  private static func format(
    of own: RankedCandidate, before next: RankedCandidate, _ choice: MediaChoice
  ) -> String {
    let word = MediaFormat(of: own.candidate.media).word ?? "its format"
    let other = MediaFormat(of: next.candidate.media).word ?? "the others"
    return choice.prefer == nil
      ? "\(word), which more players play than \(other)"
      : "\(word), which comes before \(other) in --prefer"
  }
}

extension PictureHeight.Source {
  fileprivate var words: String {
    switch self {
    case .feed: ""
    case .address: " by its address"
    case .bitrate: " by its bit rate"
    case .size: " by its size"
    }
  }
}
