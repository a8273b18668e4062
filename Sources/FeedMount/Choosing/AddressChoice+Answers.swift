import Blocks
import HTTP

/// Judges answers and accepts them. The first accepted answer proves the version.
extension AddressChoice {
  /// How the head of an answer was judged.
  enum Verdict: Sendable {
    /// The answer is not used, and the fetch must start again.
    case declined
    /// The first bytes must show whether the file is a fragmented MP4, which is read as a stream.
    case undecided
    case taken(HeadNews)
  }

  /// Judges an answer of the file at `url`. Declines the answer if another fetch has shown by now
  /// that a stream is at `url`. Also declines it if it has the whole body, and another candidate
  /// can have ranges.
  mutating func judge(
    _ answer: AcceptedAnswer, at url: String, besides refused: [String: String]
  ) -> Verdict {
    guard !isStream(at: url), !declines(answer, besides: refused) else { return .declined }
    return mayBeFragmented(answer, at: url) ? .undecided : .taken(take(answer))
  }

  /// Accepts an answer whose bytes have shown no fragmented MP4. Returns nil if another fetch has
  /// shown by now that a stream is at `url`.
  mutating func take(undecided answer: AcceptedAnswer, at url: String) -> HeadNews? {
    isStream(at: url) ? nil : take(answer)
  }

  /// Accepts `answer`, which is for the file that is made of the stream at `address`. Returns nil
  /// if another fetch has shown by now that the media is not this file.
  ///
  /// - Parameter mark: names the chosen tracks of the stream.
  mutating func take(
    film answer: AcceptedAnswer, at address: String, mark: String
  ) -> HeadNews? {
    if isPage { formats.mark = mark }
    return mayTake(film: answer, at: address) ? take(answer) : nil
  }

  /// Whether `answer` can be taken as the file that is made of the stream at `address`: no version
  /// is proved yet, or this file is the proved version.
  func mayTake(film answer: AcceptedAnswer, at address: String) -> Bool {
    !isPlain(address) && (isUnproved || proof.expected == answer.representation)
  }

  /// Judges an answer without a length. Returns false if the answer is declined, because another
  /// fetch has shown that a stream is at `url`, or because another candidate can state its length.
  mutating func grows(
    _ answer: AnswerFacts, at url: String, besides refused: [String: String]
  ) -> Bool {
    guard !isStream(at: url) else { return false }
    if !isPage, isUnproved, candidates.declinesGrowing(besides: refused) { return false }
    proof.grows(answer)
    note(nil, isHopeless: false)
    return true
  }

  /// Notes that a body without length has come to its end, and is this version. Returns the news of
  /// that body's answer; nil if no such body was accepted.
  mutating func proved(_ version: Representation) -> HeadNews? {
    guard let facts = proof.proved(version) else { return nil }
    return news(AcceptedAnswer(facts, proving: version), nil)
  }

  /// Ignores from now on the entity tags of the origin from which the version is read.
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

  /// Switches to another candidate if `answer` has the whole body, because the present candidate
  /// then has no ranges. Returns whether it has switched.
  private mutating func declines(
    _ answer: AcceptedAnswer, besides refused: [String: String]
  ) -> Bool {
    answer.isWhole && !isPage && isUnproved && candidates.declinesWhole(besides: refused)
  }
}
