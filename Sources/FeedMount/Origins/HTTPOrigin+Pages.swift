import FeedReading
import Filling
import HTTP
import Locks
import Resolving
import World

/// Reads the media of an entry that has only a web page.
extension HTTPOrigin {
  /// The time before which the page must not be resolved, in seconds since 1970. It is nil unless
  /// the site's budget is used up.
  var postponedUntil: Int? { choice.formats.postponedUntil }

  /// Notes the kind of program that opens the file. Once a player has opened it, or a command has
  /// fetched it, its resolutions are allowed to use the part of the site's budget that is reserved
  /// for players.
  func serve(_ asker: PageAsker) {
    guard asker == .player else { return }
    state.withLock { $0.choice.formats.asker = .player }
  }

  /// Resolves the page again, because the address of its media is not valid any more. Returns false
  /// if the page gives no address.
  func resolveAnew() async -> Bool {
    guard let resolver = needs.resolver, needs.failures.refusal(of: url) == nil else {
      return false
    }
    let question = state.withLock {
      $0.choice.questionAnew(insteadOf: $0.streams.current?.address)
    }
    let outcome = await resolver.find(question)
    take(outcome, of: question.page)
    guard case .found = outcome else { return false }
    state.withLock { state in
      state.choice.renewal.found()
      state.streams.leave()
    }
    return true
  }

  /// Resolves the page, and then starts `fetch` at the address to which it leads.
  func ask(
    _ question: PageQuestion, _ fetch: FetchID, _ wish: Wish, _ urgency: Urgency,
    for sink: any FetchSink
  ) {
    state.withLock { $0.fetches.search(fetch, urgency, for: sink) }
    // The task has no reference to the sink. So a slow resolver does not keep a file open that has
    // no readers any more.
    needs.tasks.start { [self] in
      let outcome = await needs.resolver?.find(question) ?? .stopped
      take(outcome, of: question.page)
      let refused = needs.failures.refusals
      let next = state.withLock { state in
        state.fetches.endSearch(of: fetch).map {
          ($0, state.choice.begin(after: outcome, besides: refused))
        }
      }
      guard let (search, start) = next else { return }
      perform(start, fetch, wish, search.urgency, for: search.sink)
    }
  }

  /// Notes the outcome of a resolution of `page`.
  private func take(_ outcome: Resolver.Outcome, of page: String) {
    let (refusal, news) = state.withLock { $0.choice.take(outcome, of: page) }
    if let refusal { needs.failures.take(refusal) }
    if let news { tell(news) }
  }
}

extension Resolver {
  /// Returns the outcome of the resolution that `question` asks for.
  func find(_ question: PageQuestion) async -> Outcome {
    await find(
      question.page, for: question.asker, insteadOf: question.refused, before: question.mark,
      known: question.known)
  }
}
