import Blocks
import HTTP

/// Takes answers, the first of which proves the version.
extension AddressChoice {
  /// The judgement of the head of an answer.
  enum Verdict: Sendable {
    /// The answer is not used, and the fetch goes on elsewhere.
    case declined
    /// The first bytes must show whether the file is a fragmented MP4, which becomes another file.
    case undecided
    case taken(HeadNews)
  }

  /// Judges an answer of the file at `url`. It is declined if it comes too late, because another
  /// fetch has shown that a stream lies there. It is also declined if it has the whole body and
  /// another candidate may have ranges.
  mutating func judge(
    _ answer: AcceptedAnswer, at url: String, besides refused: [String: String]
  ) -> Verdict {
    guard !isStream(at: url), !declines(answer, besides: refused) else { return .declined }
    return mayBeFragmented(answer, at: url) ? .undecided : .taken(take(answer))
  }

  /// Takes an answer whose bytes have shown no fragmented MP4. Returns nil if another fetch has
  /// shown meanwhile that a stream lies at `url`.
  mutating func take(undecided answer: AcceptedAnswer, at url: String) -> HeadNews? {
    isStream(at: url) ? nil : take(answer)
  }

  /// Takes the film of the stream at `address`. Returns nil if another fetch has shown meanwhile
  /// that the media is no such film.
  ///
  /// - Parameter mark: names the chosen tracks of the film.
  mutating func take(
    film answer: AcceptedAnswer, at address: String, mark: String
  ) -> HeadNews? {
    if isPage { formats.mark = mark }
    return mayTake(film: answer, at: address) ? take(answer) : nil
  }

  /// Whether `answer` may be taken as the film of the stream at `address`: the version is not
  /// proved yet, or is this film.
  func mayTake(film answer: AcceptedAnswer, at address: String) -> Bool {
    !isPlain(address) && (isUnproved || proof.expected == answer.representation)
  }

  /// Judges an answer without a length. Returns false if it is declined, because another fetch has
  /// shown that a stream lies at `url`, or because another candidate may state its length.
  mutating func grows(
    _ answer: AnswerFacts, at url: String, besides refused: [String: String]
  ) -> Bool {
    guard !isStream(at: url) else { return false }
    if !isPage, isUnproved, candidates.declinesGrowing(besides: refused) { return false }
    proof.grows(answer)
    note(nil, isHopeless: false)
    return true
  }

  /// Notes that the body without length has come to its end, and is this version. Returns the news;
  /// nil if no such body was accepted.
  mutating func proved(_ version: Representation) -> HeadNews? {
    guard let facts = proof.proved(version) else { return nil }
    return news(AcceptedAnswer(facts, proving: version), nil)
  }

  /// Ignores the tags of the origin from which the version is read.
  mutating func ignoreTags() -> OriginNews? {
    proof.marks.ignoreTags(at: place.url).map { .untagged(at: $0, date: proof.marks.date) }
  }

  // MARK: Private

  private mutating func take(_ answer: AcceptedAnswer) -> HeadNews {
    let date = proof.take(answer)
    note(nil, isHopeless: false)
    renewal.hasAnswered = true
    return news(answer, date)
  }

  private func news(_ answer: AcceptedAnswer, _ date: String?) -> HeadNews {
    HeadNews(answer: answer, date: date, url: url, format: formats.mark)
  }

  /// Takes another candidate if `answer` has the whole body, which shows that this candidate has no
  /// ranges. Returns whether another candidate was taken.
  private mutating func declines(
    _ answer: AcceptedAnswer, besides refused: [String: String]
  ) -> Bool {
    answer.isWhole && !isPage && isUnproved && candidates.declinesWhole(besides: refused)
  }
}
