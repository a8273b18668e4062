import Blocks
import Catalog
import FeedReading
import HTTP
import NIOConcurrencyHelpers
import Streaming
import Streams

/// Reads media that is a stream.
extension HTTPOrigin {
  /// The facts about streams among the addresses of a version.
  struct Streams {
    var addresses = StreamAddresses()
    /// The stream that is read, and the address by which it was found.
    var current: (address: String, origin: StreamOrigin)?
    /// The streams of fetches that are under way.
    var fetches: [FetchID: StreamOrigin] = [:]

    /// Forgets the stream, because its address does not hold any more. Fetches that are under way go on.
    mutating func leave() {
      current = nil
    }
  }

  /// The stream that is read; nil if the media is a file, or was not asked for yet.
  var stream: StreamOrigin? {
    state.withLockedValue { $0.streams.current?.origin }
  }

  func isStream(_ url: String) -> Bool {
    offeredStream(at: url) != nil
  }

  /// Returns the stream to which an address of the feed leads; nil if it leads to a file.
  func offeredStream(at url: String) -> OfferedChoice? {
    guard films != nil else { return nil }
    switch state.withLockedValue({ $0.streams.addresses[url] }) {
    case nil: return nil
    case .playlist: return .playlist(address: url, headers: [:], begins: nil)
    case .file: return .source(StreamSource(file: url))
    case .any: return .any(address: url)
    }
  }

  /// Whether the first bytes of an answer are looked at, because a fragmented MP4 becomes another file.
  func mayBeFragmented(_ answer: AcceptedAnswer, at url: String) -> Bool {
    guard films != nil, resolver == nil, !answer.isWhole, answer.bytes.lowerBound == 0 else {
      return false
    }
    return state.withLockedValue { $0.isUnproved && !$0.streams.addresses.isPlain(url) }
  }

  /// Whether an answer comes too late: another fetch has shown that a stream lies at `url`.
  func isStreamNow(at url: String) -> Bool {
    state.withLockedValue { isStream(at: url, in: $0) }
  }

  /// Whether a stream lies at `url` that nothing has proved yet.
  func isStream(at url: String, in state: State) -> Bool {
    films != nil && resolver == nil && state.isUnproved && state.streams.addresses[url] != nil
  }

  /// Notes that a fragmented MP4 lies at `url`. Returns whether the fetch must start again.
  func becomesFilm(at url: String) -> Bool {
    state.withLockedValue { state in
      state.isUnproved && state.streams.addresses.set(.file, at: url)
    }
  }

  func stream(of fetch: FetchID) -> StreamOrigin? {
    state.withLockedValue { $0.streams.fetches[fetch] }
  }

  /// Notes that `url` leads to a stream, if the answer showed it. Returns whether the fetch starts
  /// again.
  func becomesStream(_ end: TransferEnd, at url: String, of fetch: FetchID) -> Bool {
    guard films != nil, case .refused(.list(let kind)) = end, kind.mayBeStream
    else { return false }
    return state.withLockedValue { state in
      guard state.isUnproved, state.wanted.contains(fetch),
        state.streams.addresses.set(.playlist, at: url)
      else { return false }
      if state.transfers.removeValue(forKey: fetch) == nil { state.endedEarly.insert(fetch) }
      return true
    }
  }

  /// Whether a stream that a page offers may be read: nothing has refused it before.
  func mayPlay(_ offered: OfferedChoice) -> Bool {
    guard films != nil else { return false }
    let address = offered.address
    return failures.refusal(of: address) == nil
      && !state.withLockedValue { $0.tried.contains(address) }
  }

  /// Starts `fetch` at a stream.
  func startAtStream(
    _ fetch: FetchID, _ wish: Wish, _ offered: OfferedChoice, _ urgency: Urgency,
    chapters: [StreamChapter] = [], for sink: any FetchSink
  ) {
    guard case .bytes(let bytes) = wish, let films else {
      return refuse(fetch, "it is a stream now", to: sink)
    }
    let address = offered.address
    let stream: StreamOrigin? = state.withLockedValue { state in
      guard state.wanted.contains(fetch) else { return nil }
      let known = state.streams.current
      let own =
        known?.address == address
        ? known?.origin : makeStream(offered, chapters, by: films, state)
      state.streams.current = own.map { (address, $0) }
      state.streams.fetches[fetch] = own
      return own
    }
    guard let stream else { return sink.ended(fetch, .unanswered) }
    stream.start(
      fetch, of: bytes, urgency, for: sink,
      mayBegin: { [self] film in accepted(film, by: stream, at: address) },
      ended: { [self] trouble in
        guard let end = streamEnded(fetch, trouble, at: address) else {
          return begin(fetch, wish, urgency, for: sink)
        }
        sink.ended(fetch, end)
      })
  }

  /// Takes the film of the stream at `address`. Returns false if another fetch has shown meanwhile
  /// that the media is no such film.
  private func accepted(_ film: Film, by origin: StreamOrigin, at address: String) -> Bool {
    let version = film.layout.representation
    let isRight = { (state: State) in
      !state.streams.addresses.isPlain(address) && (state.isUnproved || state.expected == version)
    }
    // Other parts come, but the reason holds for which this one does not.
    if origin.hasLostPart { return state.withLockedValue { isRight($0) } }
    if isPage { state.withLockedValue { $0.mark = String(film.source.choice.suffix(200)) } }
    let answer = AcceptedAnswer(version, contentType: StreamOrigin.contentType, at: address)
    guard take(answer, if: isRight) else { return false }
    let texts = film.source.texts.compactMap(\.subtitle)
    if !texts.isEmpty { found(texts) }
    return true
  }

  private func makeStream(
    _ offered: OfferedChoice, _ chapters: [StreamChapter], by films: StreamMaker, _ state: State
  ) -> StreamOrigin {
    /// The place of the stream, as the page told it last.
    let latest = NIOLockedValueBox(offered)
    return films.origin(
      expected: state.expected, before: state.mark, chapters: self.chapters
    ) { [weak self] finder, anew in
      if anew, let self, let resolver {
        let (page, asker, mark, known) = self.state.withLockedValue {
          ($0.url, $0.asker, $0.mark, $0.expected)
        }
        let refused = latest.withLockedValue { $0.address }
        let outcome = await resolver.find(
          page, for: asker, insteadOf: refused, before: mark, known: known)
        guard case .found(_, _, let found?, _) = outcome else {
          throw StreamTrouble(.gone, "its page leads nowhere now")
        }
        latest.withLockedValue { $0 = found }
        // Later fetches go on with this stream.
        self.state.withLockedValue { state in
          if state.streams.current?.address == refused {
            state.streams.current?.address = found.address
          }
        }
      }
      var source = try await finder.source(of: latest.withLockedValue { $0 })
      if source.chapters.isEmpty { source.chapters = chapters }
      return source
    }
  }

  /// Notes that `fetch` has ended. Returns nil if it must start again, elsewhere.
  private func streamEnded(
    _ fetch: FetchID, _ trouble: StreamTrouble?, at url: String
  ) -> FetchEnd? {
    let refusal = refusal(trouble?.end == .gone, mayBe: trouble?.mayBeGone ?? false, at: url)
    let isRefused = trouble?.isVerdict ?? false && refusal == nil
    let isVerdict = isRefused && state.withLockedValue { $0.isUnproved }
    // A fragmented file of which no film can be made is one still. Several fetches may find it out.
    // A fetch that still looked for the film may end with any trouble. It reads the file now.
    if let trouble {
      let (isPlain, isWanted) = state.withLockedValue { state in
        let isPlain = state.isReadPlainly(url, fetch, isRefused ? trouble : nil)
        return (isPlain, isPlain ? state.wanted.contains(fetch) : true)
      }
      if isPlain { return isWanted ? nil : .unanswered }
    }
    if isVerdict, let trouble, let words = trouble.words {
      failures.refuse(url, words, for: trouble.isLive ? Failures.liveMemory : Failures.memory)
      if trouble.isLive { isLive() }
    }
    let refused = failures.refusedAddresses
    return state.withLockedValue { state in
      state.streams.fetches[fetch] = nil
      guard let trouble else {
        state.wanted.remove(fetch)
        return .complete
      }
      if let words = trouble.words {
        state.trouble = words
        state.isHopeless = isVerdict || refusal == .gone
      }
      let isGone = refusal == .gone
      state.isSurelyGone = trouble.end == .gone
      let isElsewhere =
        isVerdict && state.leaves(refused: url, isPage: isPage, besides: refused)
        || isGone && state.leaves(gone: url, isPage: isPage, besides: refused)
        || refusal == .mayBeGone && !isPage && state.url != url
      if isVerdict || isGone { state.streams.leave() }
      if isElsewhere, state.wanted.contains(fetch) { return nil }
      state.wanted.remove(fetch)
      // A hotel's login page in the place of a playlist says nothing about a stream that was read.
      guard isVerdict else { return refusal ?? (trouble.isVerdict ? .failed : trouble.end) }
      state.beginAnew()
      return .blocked
    }
  }
}

extension HTTPOrigin.State {
  /// Has a file be read as it is, from its first fetch on, if `verdict` says that no film can be
  /// made of it. Returns false for other streams.
  fileprivate mutating func isReadPlainly(
    _ url: String, _ fetch: FetchID, _ verdict: StreamTrouble?
  ) -> Bool {
    if let verdict, isUnproved, verdict.isOfFile || streams.addresses[url] == .file {
      streams.addresses.readPlainly(url)
    }
    guard streams.addresses.isPlain(url) else { return false }
    if streams.current?.address == url { streams.leave() }
    streams.fetches[fetch] = nil
    return true
  }
}

extension OfferedChoice {
  /// The address by which the stream is known again while it is read.
  var address: String {
    switch self {
    case .playlist(let address, _, _), .any(let address): address
    case .playlists(let picture, _, _): picture
    case .source(let source): source.tracks.first?.addresses.first ?? ""
    }
  }
}

extension TextSource {
  /// The subtitles as a file beside the film; nil if no file can be made of them.
  fileprivate var subtitle: Subtitle? {
    switch (format, place) {
    case (.webVTT, .playlist(let url)), (.webVTT, .file(let url)), (.webVTT, .manifest(let url, _)),
      (.boxed("wvtt"), .file(let url)), (.boxed("wvtt"), .manifest(let url, _)),
      (.boxed("stpp"), .file(let url)), (.boxed("stpp"), .manifest(let url, _)),
      (.timedText, .manifest(let url, _)):
      Subtitle(url: url, type: "text/vtt", lang: language)
    case (.timedText, .file(let url)):
      Subtitle(url: TextMerger.converted(url), type: "text/vtt", lang: language)
    case (.subRip, .file(let url)): Subtitle(url: url, type: "application/x-subrip", lang: language)
    case (_, _): nil
    }
  }
}
