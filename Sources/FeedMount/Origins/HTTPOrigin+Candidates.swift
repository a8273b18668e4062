import HTTP
import NIOConcurrencyHelpers
import Streaming

/// Decides which candidate is asked.
extension HTTPOrigin {
  /// Takes the feed's new addresses of the entry; `url` is that of the played media.
  ///
  /// - Parameter streams: those of `sources` that are known to be streams.
  func moved(to sources: [String], from url: String, streams: StreamAddresses = StreamAddresses()) {
    state.withLockedValue { state in
      guard state.sources != sources else { return }
      state.sources = sources
      state.streams.addresses = streams
      state.streams.leave()
      state.tried = []
      state.wholes = []
      state.takesWhole = false
      state.growing = []
      state.takesGrowing = false
      state.url = url
    }
  }

  /// Takes the next candidate, because this one is not there. Returns false if a candidate was
  /// proved or if none is left.
  func takeNext() -> Bool {
    let refused = failures.refusedAddresses
    return state.withLockedValue { $0.takeNext(besides: refused) }
  }

  /// Takes another candidate if `answer` has the whole body, which shows that this candidate has no
  /// ranges. Returns whether it did.
  func declines(_ answer: AcceptedAnswer) -> Bool {
    guard answer.isWhole, resolver == nil else { return false }
    let refused = failures.refusedAddresses
    return state.withLockedValue { state in
      guard state.expected == nil, !state.takesWhole, state.sources.count > 1 else { return false }
      state.wholes.insert(state.url)
      let before = state.url
      return state.takeNext(besides: refused) && state.url != before
    }
  }

  /// Ends a fetch without any request.
  func refuse(_ fetch: FetchID, _ reason: String, to sink: any FetchSink) {
    note(reason)
    state.withLockedValue { state in
      state.wanted.remove(fetch)
      state.beginAnew()
    }
    sink.ended(fetch, .blocked)
  }

  func note(_ trouble: String) {
    state.withLockedValue { ($0.trouble, $0.isHopeless) = (trouble, true) }
  }
}

extension HTTPOrigin.State {
  /// Takes the next candidate that was not tried, as long as none was proved. If all were tried,
  /// takes the best of those without ranges, and then of those without a length.
  mutating func takeNext(besides refused: Set<String>) -> Bool {
    tried.insert(url)
    guard isUnproved else { return false }
    if let next = sources.first(where: { !tried.contains($0) && !refused.contains($0) }) {
      url = next
      return true
    }
    if !takesWhole, let best = sources.first(where: wholes.contains) {
      takesWhole = true
      url = best
      return true
    }
    guard !takesGrowing, let best = sources.first(where: growing.contains) else { return false }
    takesGrowing = true
    url = best
    return true
  }

  /// Notes that `url` can never be used. Returns whether another address is asked.
  mutating func leaves(refused url: String, isPage: Bool, besides refused: Set<String>) -> Bool {
    isPage
      ? hasFormat(besides: refused, and: url) : self.url != url || takeNext(besides: refused)
  }

  /// Notes that nothing is at `url`. Returns whether another address is asked at once.
  ///
  /// The feed is asked for a newer address first, and the page too. If even the newest address of a
  /// page's format leads nowhere, the next format is taken, as long as none was proved.
  mutating func leaves(gone url: String, isPage: Bool, besides refused: Set<String>) -> Bool {
    guard isPage else { return self.url != url }
    guard isUnproved, wasAskedAnew else { return false }
    if hasFormat(besides: refused, and: url) { return true }
    beginAnew()
    return false
  }

  /// Starts over, because no candidate can be used. The next fetch begins with the best one.
  mutating func beginAnew() {
    guard isUnproved else { return }
    tried = []
    wholes = []
    takesWhole = false
    growing = []
    takesGrowing = false
    url = sources.first ?? url
    format = nil
    mark = nil
    wasAskedAnew = false
  }
}
