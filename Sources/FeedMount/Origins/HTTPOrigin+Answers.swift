import Filling
import HTTP
import Locks

/// Handles the events of transfers.
extension HTTPOrigin {
  /// Judges an answer of the file at `url`. If the answer is taken, reports its news before this
  /// returns.
  func judge(_ answer: AcceptedAnswer, at url: String) -> AddressChoice.Verdict {
    let refused = needs.failures.refusals
    let verdict = state.withLock { $0.choice.judge(answer, at: url, besides: refused) }
    if case .taken(let news) = verdict { tell(.head(news)) }
    return verdict
  }

  /// Accepts an answer whose first bytes show no fragmented MP4. Returns false if another fetch has
  /// shown by now that a stream is at `url`.
  func takes(undecided answer: AcceptedAnswer, at url: String) -> Bool {
    let news = state.withLock { $0.choice.take(undecided: answer, at: url) }
    if let news { tell(.head(news)) }
    return news != nil
  }

  /// Notes that a fragmented MP4 is at `url`. Returns whether the fetch must start again.
  func becomesFilm(at url: String) -> Bool {
    state.withLock { $0.choice.becomesFilm(at: url) }
  }

  /// Judges an answer without a length. Returns false if the answer is declined.
  func grows(_ answer: AnswerFacts, at url: String) -> Bool {
    let refused = needs.failures.refusals
    return state.withLock { $0.choice.grows(answer, at: url, besides: refused) }
  }

  /// Notes that the transfer of `fetch` at `url` has ended. Returns nil if the fetch must start
  /// again.
  func ended(
    _ fetch: FetchID, _ end: TransferEnd, at url: String, isDeclined: Bool
  ) -> FetchEnd? {
    settle(fetch, at: url) { state, moment in
      state.fetches.ended(fetch)
      return state.choice.ended(end, moment, isDeclined: isDeclined)
    }
  }

  /// Acts on the end of `fetch` at `url`. Returns nil if the fetch must start again.
  func settle(
    _ fetch: FetchID, at url: String,
    _ judge: (inout State, AddressChoice.Moment) -> AddressChoice.Ending
  ) -> FetchEnd? {
    let (refused, now) = (needs.failures.refusals, needs.failures.now())
    let ending = state.withLock { state in
      let moment = AddressChoice.Moment(
        url: url, isWanted: state.fetches.isWanted(fetch), refused: refused, now: now)
      let ending = judge(&state, moment)
      state.streams.leave(ending.leaving)
      if ending.end != nil { state.fetches.end(fetch) }
      return ending
    }
    if let refusal = ending.refusal { needs.failures.take(refusal) }
    if ending.isBroadcast { tell(.isBroadcast) }
    return ending.end
  }
}
