import Blocks
import Catalog
import FeedReading
import Filling
import HTTP
import Locks
import Resolving
import StreamFiles
import Streams

/// Reads media that is a stream.
extension HTTPOrigin {
  /// The streams among the addresses of a version.
  struct Streams {
    /// The stream that is read, and the address by which it was found.
    var current: (address: String, origin: StreamOrigin)?
    /// The stream of each fetch that is under way.
    var fetches: [FetchID: StreamOrigin] = [:]

    /// Forgets the stream, because its address is not valid any more. Fetches that are under way go
    /// on.
    mutating func leave() {
      current = nil
    }

    mutating func leave(_ leaving: AddressChoice.Leaving) {
      switch leaving {
      case .nothing: break
      case .one(let address): if current?.address == address { leave() }
      case .any: leave()
      }
    }
  }

  /// The stream that is read; nil if the media is a file, or was not asked for yet.
  var stream: StreamOrigin? {
    state.withLock { $0.streams.current?.origin }
  }

  func stream(of fetch: FetchID) -> StreamOrigin? {
    state.withLock { $0.streams.fetches[fetch] }
  }

  /// Starts `fetch` at an offered stream, whose page names these chapters.
  func startAtStream(
    _ fetch: FetchID, _ wish: Wish, _ offered: OfferedChoice, _ urgency: Urgency,
    chapters: [StreamChapter], for sink: any FetchSink
  ) {
    guard case .bytes(let bytes) = wish, let films = needs.films else {
      let refusal = state.withLock {
        $0.choice.refuse("the address leads to a stream now, and no longer to a file")
      }
      return perform(refusal, fetch, wish, urgency, for: sink)
    }
    let address = offered.address
    let stream: StreamOrigin? = state.withLock { state in
      guard state.fetches.isWanted(fetch) else { return nil }
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

  /// Accepts the file that is made of the stream at `address`. Returns false if another fetch has
  /// shown by now that the media is not this file.
  private func accepted(_ film: Film, by origin: StreamOrigin, at address: String) -> Bool {
    let answer = AcceptedAnswer(
      film.layout.representation, contentType: StreamOrigin.contentType, at: address)
    // If a part of the stream is lost, the status must go on showing this, although other parts
    // come. To accept the answer would delete the noted trouble, so the answer is only checked.
    if origin.hasLostPart {
      return state.withLock { $0.choice.mayTake(film: answer, at: address) }
    }
    let mark = String(film.source.choice.suffix(200))
    let news = state.withLock { $0.choice.take(film: answer, at: address, mark: mark) }
    guard let news else { return false }
    tell(.head(news))
    let texts = film.source.texts.compactMap(\.subtitle)
    if !texts.isEmpty { tell(.subtitles(texts)) }
    return true
  }

  private func makeStream(
    _ offered: OfferedChoice, _ chapters: [StreamChapter], by films: StreamMaker, _ state: State
  ) -> StreamOrigin {
    /// The place of the stream, as the page last named it.
    let latest = Locked(offered)
    return films.origin(
      expected: state.choice.proof.expected, before: state.choice.formats.mark,
      chapters: self.chapters
    ) { [weak self] finder, anew in
      if anew, let self, isPage, let resolver = needs.resolver {
        let refused = latest.withLock { $0.address }
        var question = choice.question
        question.refused = refused
        let outcome = await resolver.find(question)
        guard case .found(_, _, let found?, _) = outcome else {
          throw PieceError(.gone, "the web page offers no video any more")
        }
        latest.withLock { $0 = found }
        // Later fetches go on with this stream, which has a new address now.
        self.state.withLock { state in
          if state.streams.current?.address == refused {
            state.streams.current?.address = found.address
          }
        }
      }
      var source = try await finder.source(of: latest.withLock { $0 })
      if source.chapters.isEmpty { source.chapters = chapters }
      return source
    }
  }

  /// Notes that `fetch` has ended; `trouble` is nil if all its bytes came. Returns nil if the fetch
  /// must start again, at another address.
  private func streamEnded(
    _ fetch: FetchID, _ trouble: PieceError?, at url: String
  ) -> FetchEnd? {
    settle(fetch, at: url) { state, moment in
      state.streams.fetches[fetch] = nil
      return state.choice.ended(trouble, moment)
    }
  }
}

extension TextSource {
  /// The subtitles as a sidecar; nil if no file can be made of them.
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
