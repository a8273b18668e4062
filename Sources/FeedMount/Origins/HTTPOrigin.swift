import Addresses
import Blocks
import Catalog
import FeedReading
import HTTP
import NIOConcurrencyHelpers
import Streaming

/// The origin of one version of one entry, asked over HTTP.
///
/// Safe from any thread.
final class HTTPOrigin: Origin {
  struct State {
    /// The candidates, best first. For a web page, the page is the only one.
    var sources: [String]
    /// The newest address that the feed gave for the candidate in use.
    var url: String
    /// Candidates that were skipped, because they were refused, are not there, or have no ranges.
    var tried: Set<String> = []
    /// Addresses that have no ranges.
    var wholes: Set<String> = []
    /// True if an address without ranges is accepted, because all others are worse.
    var takesWhole = false
    /// Addresses whose answers do not tell their length.
    var growing: Set<String> = []
    /// True if an address without a length is accepted, because all others are worse.
    var takesGrowing = false
    /// The number of answers without a length in a row, though the length of the version is proved.
    var lengthless = 0
    /// Facts about the last answer without a length that was accepted.
    var growth: AnswerFacts?
    /// The representation to which every answer must belong; nil until the first answer proves it.
    var expected: Representation?
    /// Fetches that were started, and have neither ended nor been cancelled.
    var wanted: Set<FetchID> = []
    var transfers: [FetchID: TransferID] = [:]
    /// Fetches that ended before `start` returned the id of their transfer.
    var endedEarly: Set<FetchID> = []
    /// The request for the end of the film, until a version is proved.
    var tail: TailAnswer?
    /// The trouble with the last answer; nil if there is none.
    var trouble: String?
    /// True if another request would be of no use.
    var isHopeless = false
    /// Fetches whose address is being found.
    var resolving: [FetchID: (sink: any FetchSink, urgency: Urgency)] = [:]
    /// The addresses to which the page led last, best first.
    var offers: [PageFormat] = []
    /// The format that is read.
    var format: PageFormat?
    /// The mark of the format that was read last, in this process or an earlier one.
    var mark: String?
    /// Whether the page was asked anew after a refusal, so that its addresses are new.
    var wasAskedAnew = false
    /// The kind of program that has opened the file.
    var asker = PageAsker.other
    /// The time from which the page may be resolved, in seconds since 1970; nil if it may be now.
    var postponedUntil: Int?
    var streams = Streams()
    var marks = Marks()
    /// The comparisons that are under way.
    var samplings: [FetchID: Sampling] = [:]
    var sampledInVain = false
    /// True if the last refusal said that nothing is at the address.
    var isSurelyGone = false
    /// True if an answer was accepted since the feed was last asked for another address.
    var hasAnswered = false

    /// True as long as no answer has shown that the address in use can be read.
    var isUnproved: Bool { expected == nil && growth == nil }
  }

  /// The bytes that a fetch asks for.
  enum Wish: Sendable {
    case bytes(ByteRange)
    /// All bytes from an offset on of a body whose length is not known.
    case rest(of: Validator, from: Int)
  }

  private static let mostLengthless = 3

  let client: any RangeClient
  let feed: TypedAddress?
  let resolver: Resolver?
  let failures: Failures
  private let cautions: Cautions
  /// Makes the origins of streams; nil if streams are no files.
  let films: StreamMaker?
  /// The chapters that the feed gives the entry.
  let chapters: ChapterFinder
  let tasks: Tasks
  let state: NIOLockedValueBox<State>
  /// Called on the client's thread with each answer that passed the check, and with the strong date
  /// of its version.
  let answered: @Sendable (AcceptedAnswer, String?) -> Void
  /// Called with what the page tells, each time that it was asked.
  let learned: @Sendable (LearnedFacts) -> Void
  /// Called with the subtitles of a stream.
  let found: @Sendable ([Subtitle]) -> Void
  /// Called when the media turns out to be live.
  let isLive: @Sendable () -> Void
  /// Called with an origin at which the tags of the file do not count, and with its date.
  let untagged: @Sendable (_ origin: String, _ date: String?) -> Void

  /// - Parameters:
  ///   - feed: the address of the feed as the user typed it.
  ///   - sources: addresses, the best first; not empty.
  ///   - first: the address to begin with.
  ///   - resolver: finds the address of the media if the feed has only a web page.
  ///   - format: the mark of the page's format that was proved.
  ///   - failures: knows the addresses that can never be used.
  ///   - films: makes the origins of streams; nil if streams are no files.
  ///   - streams: those of `sources` that are known to be streams.
  ///   - chapters: those that the feed gives the entry.
  ///   - learned: takes what a page tells.
  ///   - found: takes the subtitles of a stream.
  ///   - isLive: called when the media turns out to be live.
  ///   - untagged: takes an origin at which the tags of the file do not count.
  init(
    _ client: any RangeClient, for feed: TypedAddress?, sources: [String], first: String,
    expected: Representation?, resolver: Resolver?, format: String? = nil, failures: Failures,
    cautions: Cautions = Cautions(), films: StreamMaker? = nil,
    streams: StreamAddresses = StreamAddresses(), chapters: ChapterFinder = ChapterFinder(),
    tasks: Tasks,
    learned: @escaping @Sendable (LearnedFacts) -> Void = { _ in },
    found: @escaping @Sendable ([Subtitle]) -> Void = { _ in },
    isLive: @escaping @Sendable () -> Void = {},
    marks: Marks = Marks(),
    untagged: @escaping @Sendable (_ origin: String, _ date: String?) -> Void = { _, _ in },
    answered: @escaping @Sendable (AcceptedAnswer, String?) -> Void
  ) {
    self.client = client
    self.feed = feed
    self.resolver = resolver
    self.failures = failures
    self.cautions = cautions
    self.films = films
    self.chapters = chapters
    self.tasks = tasks
    self.answered = answered
    self.learned = learned
    self.found = found
    self.isLive = isLive
    self.untagged = untagged
    state = NIOLockedValueBox(
      State(sources: sources, url: first, expected: expected, mark: format))
    state.withLockedValue { ($0.streams.addresses, $0.marks) = (streams, marks) }
  }

  var url: String {
    state.withLockedValue { $0.url }
  }

  /// The addresses of all candidates.
  var sources: [String] { state.withLockedValue { $0.sources } }

  /// The trouble with the last answer; nil if there is none.
  var trouble: String? {
    state.withLockedValue { $0.trouble }
  }

  /// True if another request would be of no use, as far as the last answer tells.
  var isHopeless: Bool {
    state.withLockedValue { $0.isHopeless }
  }

  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink) {
    start(fetch, .bytes(bytes), urgency, for: sink)
  }

  func follow(_ fetch: FetchID, of body: Validator, from offset: Int, for sink: any FetchSink) {
    start(fetch, .rest(of: body, from: offset), .demand, for: sink)
  }

  private func start(
    _ fetch: FetchID, _ wish: Wish, _ urgency: Urgency, for sink: any FetchSink
  ) {
    state.withLockedValue { _ = $0.wanted.insert(fetch) }
    begin(fetch, wish, urgency, for: sink)
  }

  /// Starts `fetch` at the address to which the page leads, or at the best candidate.
  func begin(
    _ fetch: FetchID, _ wish: Wish, _ urgency: Urgency, for sink: any FetchSink
  ) {
    guard let resolver else { return startAtBest(fetch, wish, urgency, for: sink) }
    startAtMedia(fetch, wish, urgency, by: resolver, for: sink)
  }

  /// Starts `fetch`. Skips addresses that can never be used, as long as none was proved.
  private func startAtBest(
    _ fetch: FetchID, _ wish: Wish, _ urgency: Urgency, for sink: any FetchSink
  ) {
    let refused = failures.refusedAddresses
    let url: String? = state.withLockedValue { state in
      guard state.isUnproved, refused.contains(state.url) else { return state.url }
      return state.takeNext(besides: refused) ? state.url : nil
    }
    if let url {
      if let offered = offeredStream(at: url) {
        return startAtStream(fetch, wish, offered, urgency, for: sink)
      }
      return start(fetch, wish, at: url, urgency, for: sink)
    }
    refuse(fetch, failures.refusal(of: self.url) ?? "no address of it can be used", to: sink)
  }

  func start(
    _ fetch: FetchID, _ wish: Wish, at url: String, headers: [HeaderField] = [],
    _ urgency: Urgency, for sink: any FetchSink
  ) {
    let priority = RangeRequest.Priority(urgency)
    var request: RangeRequest
    switch wish {
    case .bytes(let bytes):
      request = RangeRequest(
        url: url, range: .bytes(cautions.cut(bytes, at: url)),
        expected: state.withLockedValue { $0.expected }, priority: priority)
      request.mayGrow = request.expected == nil
      marks.mark(&request)
    case .rest(let body, let offset):
      request = RangeRequest(continuing: body, at: url, from: offset, priority: priority)
    }
    request.feed = feed
    request.headers = headers
    let again: @Sendable () -> Void = { [weak self] in
      guard let self else { return sink.ended(fetch, .failed) }
      begin(fetch, wish, urgency, for: sink)
    }
    let transfer = client.start(
      request, sink: FetchTransfer(fetch, of: self, at: url, for: sink, again: again))
    let isWanted = state.withLockedValue { state in
      guard state.endedEarly.remove(fetch) == nil else { return true }
      state.transfers[fetch] = transfer
      return state.wanted.contains(fetch)
    }
    // The fetch was cancelled before it had this transfer.
    if !isWanted { client.cancel(transfer) }
  }

  func promote(_ fetch: FetchID) {
    let transfer = state.withLockedValue { state in
      state.resolving[fetch]?.urgency = .demand
      return state.transfers[fetch]
    }
    if let transfer { client.promote(transfer) }
    stream(of: fetch)?.promote(fetch)
  }

  func cancel(_ fetch: FetchID) {
    state.withLockedValue { state in
      state.wanted.remove(fetch)
      if state.tail?.fetch == fetch { state.tail = nil }
    }
    cancelSampling(fetch)
    stop(fetch)
  }

  func wasWrong() {
    cautions.wasWrong(url)
  }

  /// Ends the transfer of `fetch` or the search for its address, perhaps to ask once more.
  func stop(_ fetch: FetchID) {
    let (transfer, sink) = state.withLockedValue {
      ($0.transfers[fetch], $0.resolving.removeValue(forKey: fetch)?.sink)
    }
    if let transfer { client.cancel(transfer) }
    stream(of: fetch)?.cancel(fetch)
    sink?.ended(fetch, .unanswered)
  }

  /// Notes that the transfer of `fetch` at `url` has ended. Returns nil if the fetch must start
  /// again. It must if the answer was declined. It also must if the address has expired or can
  /// never be used, and there is another one.
  func ended(
    _ fetch: FetchID, _ end: TransferEnd, at url: String, isDeclined: Bool
  ) -> FetchEnd? {
    if becomesStream(end, at: url, of: fetch) { return nil }
    let refusal = refusal(end.isGone, mayBe: end.mayBeGone, at: url)
    let isVerdict = state.withLockedValue { $0.isUnproved } && end.isVerdict && refusal == nil
    if isVerdict, case .refused(let fault) = end, let trouble = end.trouble {
      failures.refuse(url, trouble)
      if case .live = fault { isLive() }
    }
    let refused = failures.refusedAddresses
    return state.withLockedValue { state in
      if state.transfers.removeValue(forKey: fetch) == nil { state.endedEarly.insert(fetch) }
      if let trouble = end.trouble {
        state.trouble = trouble
        state.isHopeless = isVerdict || refusal == .gone
      }
      state.isSurelyGone = end.isGone
      let isElsewhere =
        isDeclined || isVerdict && state.leaves(refused: url, isPage: isPage, besides: refused)
        || refusal == .gone && state.leaves(gone: url, isPage: isPage, besides: refused)
        || refusal == .mayBeGone && !isPage && state.url != url
      if isElsewhere, state.wanted.contains(fetch) { return nil }
      state.wanted.remove(fetch)
      if case .refused(.noLength) = end { state.lengthless += 1 }
      // An answer without a length may be a passing fault. If it comes again and again, no answer can
      // show any more that the origin still has this version.
      if state.lengthless >= Self.mostLengthless { return .changed }
      guard isVerdict else { return refusal ?? FetchEnd(end) }
      state.beginAnew()
      return .blocked
    }
  }
}
