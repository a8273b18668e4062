import Blocks
import FeedReading
import Filling
import HTTP
import Locks
import StreamFiles
import Streams
import World

/// The origin of one version of one entry, asked over HTTP. It does what `AddressChoice` decides.
///
/// Safe from any thread.
final class HTTPOrigin: Origin {
  struct State {
    var choice: AddressChoice
    var fetches = RunningFetches()
    var streams = Streams()
    /// The comparisons of the origin's bytes with cached ones that are under way.
    var samplings: [FetchID: Sampling] = [:]
    var sampledInVain = false
  }

  /// The bytes that a fetch asks for.
  enum Wish: Sendable {
    case bytes(ByteRange)
    /// All bytes from an offset on, of a body whose length is not known.
    case rest(of: Validator, from: Int)
  }

  let needs: OriginNeeds
  /// True if the feed names only a web page for the entry.
  let isPage: Bool
  /// The chapters that the feed gives the entry.
  let chapters: ChapterFinder
  let state: Locked<State>
  /// Called with news of the entry, on the thread that brings them, before the bytes of the answer.
  let tell: @Sendable (OriginNews) -> Void

  /// - Parameters:
  ///   - choice: decides which address is asked.
  ///   - chapters: the chapters that the feed gives the entry.
  init(
    _ choice: AddressChoice, with needs: OriginNeeds,
    chapters: ChapterFinder = ChapterFinder(),
    tell: @escaping @Sendable (OriginNews) -> Void
  ) {
    self.needs = needs
    self.chapters = chapters
    self.tell = tell
    isPage = choice.isPage
    state = Locked(State(choice: choice))
  }

  // MARK: Facts

  /// A copy of the choice as it is now.
  var choice: AddressChoice { state.withLock { $0.choice } }

  /// The address of the candidate in use. For a web page, it is the page.
  var url: String { state.withLock { $0.choice.url } }

  /// The addresses of all candidates.
  var sources: [String] { choice.candidates.all }

  /// The trouble with the last answer; nil if there is none.
  var trouble: String? { choice.trouble }

  /// True if the last answer shows that another request would be useless.
  var isHopeless: Bool { choice.isHopeless }

  /// The facts that at present distinguish the versions of the file.
  var marks: VersionMarks { choice.proof.marks }

  /// The media type of the last accepted answer without a length. Nil if it names none, if there is
  /// no such answer, or if the length is proved now.
  var grownType: String? { choice.proof.growth?.contentType }

  // MARK: Fetches

  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink) {
    start(fetch, .bytes(bytes), urgency, for: sink)
  }

  func follow(_ fetch: FetchID, of body: Validator, from offset: Int, for sink: any FetchSink) {
    start(fetch, .rest(of: body, from: offset), .demand, for: sink)
  }

  private func start(
    _ fetch: FetchID, _ wish: Wish, _ urgency: Urgency, for sink: any FetchSink
  ) {
    state.withLock { $0.fetches.start(fetch) }
    begin(fetch, wish, urgency, for: sink)
  }

  /// Starts `fetch` at the address that the choice gives. It is called again if that address turns
  /// out to be wrong.
  func begin(_ fetch: FetchID, _ wish: Wish, _ urgency: Urgency, for sink: any FetchSink) {
    let refused = needs.failures.refusals
    let start = state.withLock { $0.choice.begin(besides: refused) }
    perform(start, fetch, wish, urgency, for: sink)
  }

  func perform(
    _ start: AddressChoice.Start, _ fetch: FetchID, _ wish: Wish, _ urgency: Urgency,
    for sink: any FetchSink
  ) {
    switch start {
    case .file(let url, let fields):
      send(fetch, wish, to: url, fields, urgency, for: sink)
    case .stream(let offered, let chapters):
      startAtStream(fetch, wish, offered, urgency, chapters: chapters, for: sink)
    case .ask(let question): ask(question, fetch, wish, urgency, for: sink)
    case .refuse:
      state.withLock { $0.fetches.end(fetch) }
      sink.ended(fetch, .blocked)
    case .stop:
      state.withLock { $0.fetches.end(fetch) }
      sink.ended(fetch, .unanswered)
    }
  }

  private func send(
    _ fetch: FetchID, _ wish: Wish, to url: String, _ fields: [HeaderField], _ urgency: Urgency,
    for sink: any FetchSink
  ) {
    let request = request(wish, to: url, fields, RangeRequest.Priority(urgency))
    let again: @Sendable () -> Void = { [weak self] in
      guard let self else { return sink.ended(fetch, .failed) }
      begin(fetch, wish, urgency, for: sink)
    }
    let transfer = needs.client.start(
      request, sink: FetchTransfer(fetch, of: self, at: url, for: sink, again: again))
    let isWanted = state.withLock { $0.fetches.take(transfer, of: fetch) }
    if !isWanted { needs.client.cancel(transfer) }
  }

  private func request(
    _ wish: Wish, to url: String, _ fields: [HeaderField], _ priority: RangeRequest.Priority
  ) -> RangeRequest {
    var request: RangeRequest
    switch wish {
    case .bytes(let bytes):
      let proof = choice.proof
      request = RangeRequest(
        url: url, range: .bytes(needs.cautions.cut(bytes, at: url)), expected: proof.expected,
        priority: priority)
      request.mayGrow = proof.expected == nil
      proof.marks.mark(&request)
    case .rest(let body, let offset):
      request = RangeRequest(continuing: body, at: url, from: offset, priority: priority)
    }
    request.feed = needs.feed
    request.headers = fields
    return request
  }

  func promote(_ fetch: FetchID) {
    let transfer = state.withLock { state in
      state.fetches.promote(fetch)
      return state.fetches[fetch]
    }
    if let transfer { needs.client.promote(transfer) }
    stream(of: fetch)?.promote(fetch)
  }

  func cancel(_ fetch: FetchID) {
    state.withLock { $0.fetches.cancel(fetch) }
    cancelSampling(fetch)
    stop(fetch)
  }

  /// Ends the transfer of `fetch`, or the search for its address. The fetch can start again
  /// afterwards.
  func stop(_ fetch: FetchID) {
    let (transfer, sink) = state.withLock {
      ($0.fetches[fetch], $0.fetches.endSearch(of: fetch)?.sink)
    }
    if let transfer { needs.client.cancel(transfer) }
    stream(of: fetch)?.cancel(fetch)
    sink?.ended(fetch, .unanswered)
  }

  // MARK: News of the feed and of the filler

  /// Notes the feed's new addresses of the entry; `url` is the address of the media that is played.
  ///
  /// - Parameter streams: tells which addresses in `sources` are known to be streams.
  func moved(to sources: [String], from url: String, streams: StreamAddresses = StreamAddresses()) {
    state.withLock { state in
      if state.choice.moved(to: sources, from: url, streams) { state.streams.leave() }
    }
  }

  /// Switches to the next candidate, because nothing is at the address of the present one. Returns
  /// false if a candidate was proved or if no candidate is left.
  func takeNext() -> Bool {
    let refused = needs.failures.refusals
    return state.withLock { $0.choice.takeNext(besides: refused) }
  }

  /// Notes that the feed is asked for another address. Returns whether the last address has worked,
  /// and is surely gone now.
  func willBeRenewed() -> Bool {
    state.withLock { $0.choice.renewal.begin(isPage: isPage) }
  }

  /// True if the last refusal said that nothing is at the address.
  var isSurelyGone: Bool { choice.renewal.isSurelyGone }

  func wasWrong() {
    needs.cautions.wasWrong(choice.place.url)
  }

  func proved(_ representation: Representation) {
    let news = state.withLock { $0.choice.proved(representation) }
    if let news { tell(.head(news)) }
  }

  func wasTooLong(_ limit: Int) {
    let words = limit >= 1 << 30 ? "\(limit >> 30) GiB" : "\(limit >> 20) MiB"
    state.withLock {
      $0.choice.note("the file has no known length, and did not end within \(words)")
    }
  }
}
