import Blocks
import Catalog
import FeedReading
import HTTP
import NIOConcurrencyHelpers
import Streaming
import Streams

/// Reads the media of an entry that has only a web page.
extension HTTPOrigin {
  /// True if the feed has only a web page.
  var isPage: Bool { resolver != nil }

  /// The time from which the page may be resolved, in seconds since 1970. It is nil unless the site's
  /// budget is used up.
  var postponedUntil: Int? {
    state.withLockedValue { $0.postponedUntil }
  }

  /// The mark of the format that is read; nil if the feed has the address itself.
  var formatMark: String? {
    state.withLockedValue { $0.mark }
  }

  /// Notes that a player opens the file, or that a command fetches it. From now on the part of the
  /// budget counts that is for players.
  func serve(_ asker: PageAsker) {
    guard asker == .player else { return }
    state.withLockedValue { $0.asker = .player }
  }

  /// Resolves the page again, because its address does not hold any more. Returns false if it leads
  /// nowhere.
  func resolveAnew() async -> Bool {
    guard let resolver, failures.refusal(of: url) == nil else { return false }
    let (page, asker, format, stream) = state.withLockedValue {
      ($0.url, $0.asker, $0.format, $0.streams.current?.address)
    }
    let outcome = await resolver.find(
      page, for: asker, insteadOf: stream ?? format?.url, before: format?.mark)
    take(outcome, of: page)
    guard case .found = outcome else { return false }
    state.withLockedValue { state in
      state.wasAskedAnew = true
      state.hasAnswered = false
      state.streams.leave()
    }
    return true
  }

  /// Starts `fetch` at the address to which the page leads.
  func startAtMedia(
    _ fetch: FetchID, _ wish: Wish, _ urgency: Urgency, by resolver: Resolver,
    for sink: any FetchSink
  ) {
    let (page, asker, mark, known) = state.withLockedValue { state in
      state.resolving[fetch] = (sink, urgency)
      return (state.url, state.asker, state.mark, state.expected)
    }
    // The task holds no sink. So a slow resolver keeps no file open that has no readers.
    tasks.start { [self] in
      let outcome: Resolver.Outcome
      if let reason = failures.refusal(of: page) {
        outcome = .failed(.other(reason))
      } else {
        outcome = await resolver.find(page, for: asker, before: mark, known: known)
        take(outcome, of: page)
      }
      let wanted = state.withLockedValue { $0.resolving.removeValue(forKey: fetch) }
      guard let wanted else { return }
      switch outcome {
      case .found(let media, let formats, let offered, _):
        if let offered, mayPlay(offered) {
          return startAtStream(
            fetch, wish, offered, wanted.urgency, chapters: media.chapters, for: wanted.sink)
        }
        let tried = state.withLockedValue { $0.tried }
        let refusals = formats.map { format in
          failures.refusal(of: format.url) ?? (tried.contains(format.url) ? trouble : nil)
        }
        guard let place = refusals.firstIndex(of: nil) else {
          let reason = refusals.first ?? offered.flatMap { failures.refusal(of: $0.address) }
          return refuse(fetch, reason ?? "no address of it can be used", to: wanted.sink)
        }
        let best = formats[place]
        state.withLockedValue { ($0.format, $0.mark) = (best, best.mark) }
        if isStream(best.url) {
          let offered = OfferedChoice.playlist(
            address: best.url, headers: best.headers, begins: best.begins)
          return startAtStream(fetch, wish, offered, wanted.urgency, for: wanted.sink)
        }
        start(
          fetch, wish, at: best.url, headers: best.fields, wanted.urgency, for: wanted.sink)
      case .failed(let failure): refuse(fetch, failure.words, to: wanted.sink)
      case .postponed(let reason, _): refuse(fetch, reason, to: wanted.sink)
      case .stopped: wanted.sink.ended(fetch, .unanswered)
      }
    }
  }

  /// Takes what the resolver has answered. A failure is not repeated for ten minutes.
  private func take(_ outcome: Resolver.Outcome, of page: String) {
    var until: Int?
    switch outcome {
    case .found(let media, let formats, let stream, let isNews):
      state.withLockedValue { $0.offers = formats }
      // The length of a stream's file is not that of any format.
      let length = stream == nil ? formats.first?.length : nil
      if isNews { learned(LearnedFacts(media, length: length)) }
    case .failed(let failure):
      failures.refuse(page, failure.words)
      note(failure.words)
      if failure == .live { isLive() }
    case .postponed(let reason, let time):
      until = time
      note(reason)
    case .stopped: break
    }
    state.withLockedValue { [until] in $0.postponedUntil = until }
  }
}

extension HTTPOrigin.State {
  /// Notes that `url` can never be used. Returns whether the page has another format.
  mutating func hasFormat(besides refused: Set<String>, and url: String) -> Bool {
    tried.insert(url)
    return offers.contains { !tried.contains($0.url) && !refused.contains($0.url) }
  }
}

extension PageFormat {
  /// The header fields that may be sent. feedfs itself sets those that frame a message.
  var fields: [HeaderField] {
    headers.sorted { $0.key < $1.key }.compactMap { name, value in
      try? HeaderField(name: name, value: value)
    }
  }
}
