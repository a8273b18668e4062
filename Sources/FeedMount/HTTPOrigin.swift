import Blocks
import HTTP
import NIOConcurrencyHelpers
import Streaming

/// The origin of one version of one entry, asked over HTTP.
///
/// Safe from any thread.
final class HTTPOrigin: Origin {
  fileprivate struct State {
    /// All that can be played, best first; of a web page, the page.
    var sources: [String]
    /// What is asked for: the newest address that the feed gave.
    var url: String
    /// Those that were asked for, and had no ranges or were not there.
    var tried: Set<String> = []
    /// Whether one without ranges will do, since all others are worse.
    var takesWhole = false
    /// What every answer must belong to; nil until the first one has proved it.
    var expected: Representation?
    /// Fetches that were started, and were neither cancelled nor have they ended.
    var wanted: Set<FetchID> = []
    var transfers: [FetchID: TransferID] = [:]
    /// Fetches that ended before their transfer's name was known here.
    var endedEarly: Set<FetchID> = []
    /// What was wrong with the last answer; nil: nothing.
    var trouble: String?
    /// Fetches whose address is being found.
    var resolving: [FetchID: (sink: any FetchSink, urgency: Urgency)] = [:]
  }

  private let client: any RangeClient
  private let feed: WebURL?
  private let resolver: Resolver?
  private let state: NIOLockedValueBox<State>
  /// Called on the client's thread with each answer that passed the check.
  private let answered: @Sendable (AcceptedAnswer) -> Void

  /// - Parameters:
  ///   - feed: what the user typed to have it.
  ///   - sources: addresses, the best first; not empty.
  ///   - first: the one to begin with.
  ///   - resolver: finds the address where there is only a web page.
  init(
    _ client: any RangeClient, for feed: WebURL?, sources: [String], first: String,
    expected: Representation?,
    resolver: Resolver?, answered: @escaping @Sendable (AcceptedAnswer) -> Void
  ) {
    self.client = client
    self.feed = feed
    self.resolver = resolver
    self.answered = answered
    state = NIOLockedValueBox(State(sources: sources, url: first, expected: expected))
  }

  var url: String {
    state.withLockedValue { $0.url }
  }

  /// What was wrong with its last answer; nil: nothing.
  var trouble: String? {
    state.withLockedValue { $0.trouble }
  }

  /// Whether what the feed has is a web page.
  var isPage: Bool { resolver != nil }

  /// The feed has new addresses for the same entry; `url` is that of what was played.
  func moved(to sources: [String], from url: String) {
    state.withLockedValue { state in
      guard state.sources != sources else { return }
      state.sources = sources
      state.tried = []
      state.url = url
    }
  }

  /// What was asked for is not there: takes the next candidate, unless one was proved already.
  func takeNext() -> Bool {
    state.withLockedValue { $0.takeNext() }
  }

  /// Finds another address for a web page; false: there is none, or what was asked for is no page.
  func resolveAnew() async -> Bool {
    guard let resolver else { return false }
    return await resolver.address(of: url, anew: true) != nil
  }

  func start(_ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink) {
    state.withLockedValue { _ = $0.wanted.insert(fetch) }
    guard let resolver else { return start(fetch, of: bytes, at: url, urgency, for: sink) }
    state.withLockedValue { $0.resolving[fetch] = (sink, urgency) }
    // A file that nobody reads any more must not be kept open by its page.
    Task { [page = url] in
      let address = await resolver.address(of: page, anew: false)
      let wanted = state.withLockedValue { $0.resolving.removeValue(forKey: fetch) }
      guard let wanted else { return }
      guard let address else { return wanted.sink.ended(fetch, .gone) }
      start(fetch, of: bytes, at: address, wanted.urgency, for: wanted.sink)
    }
  }

  private func start(
    _ fetch: FetchID, of bytes: ByteRange, at url: String, _ urgency: Urgency,
    for sink: any FetchSink
  ) {
    var request = RangeRequest(
      url: url, range: .bytes(bytes), expected: state.withLockedValue { $0.expected },
      priority: RangeRequest.Priority(urgency))
    request.feed = feed
    let again: @Sendable () -> Void = { [weak self] in
      guard let self else { return sink.ended(fetch, .failed) }
      start(fetch, of: bytes, at: self.url, urgency, for: sink)
    }
    let transfer = client.start(
      request, sink: FetchTransfer(fetch, of: self, at: url, for: sink, again: again))
    let isWanted = state.withLockedValue { state in
      guard state.endedEarly.remove(fetch) == nil else { return true }
      state.transfers[fetch] = transfer
      return state.wanted.contains(fetch)
    }
    // It was cancelled when there was no transfer of it: before the first one, or between two.
    if !isWanted { client.cancel(transfer) }
  }

  func hasten(_ fetch: FetchID) {
    let transfer = state.withLockedValue { state in
      state.resolving[fetch]?.urgency = .demand
      return state.transfers[fetch]
    }
    if let transfer { client.hasten(transfer) }
  }

  func cancel(_ fetch: FetchID) {
    state.withLockedValue { _ = $0.wanted.remove(fetch) }
    stop(fetch)
  }

  /// Ends what is under way for `fetch`, be it to ask for it again.
  fileprivate func stop(_ fetch: FetchID) {
    let (transfer, sink) = state.withLockedValue {
      ($0.transfers[fetch], $0.resolving.removeValue(forKey: fetch)?.sink)
    }
    if let transfer { client.cancel(transfer) }
    sink?.ended(fetch, .unanswered)
  }

  /// Whether another candidate may have ranges, which an answer with the whole body has shown that this
  /// one has not.
  fileprivate func declines(_ answer: AcceptedAnswer) -> Bool {
    guard answer.isWhole, resolver == nil else { return false }
    return state.withLockedValue { state in
      guard state.expected == nil, !state.takesWhole, state.sources.count > 1 else { return false }
      if state.takeNext() { return true }
      // None has: then the best one.
      state.takesWhole = true
      let isBest = state.url == state.sources.first
      state.url = state.sources.first ?? state.url
      return !isBest
    }
  }

  fileprivate func accepted(_ answer: AcceptedAnswer) {
    state.withLockedValue { state in
      state.expected = state.expected ?? answer.representation
      state.trouble = nil
    }
    answered(answer)
  }

  /// The transfer of `fetch`, which asked at `url`, has ended; returns whether it is to be asked for
  /// again: the answer was declined, or that address has expired and the feed gave another one meanwhile.
  fileprivate func ended(
    _ fetch: FetchID, _ end: TransferEnd, at url: String, isDeclined: Bool
  ) -> Bool {
    state.withLockedValue { state in
      if state.transfers.removeValue(forKey: fetch) == nil { state.endedEarly.insert(fetch) }
      if let trouble = end.trouble { state.trouble = trouble }
      var isExpired = false
      if case .gone = end { isExpired = resolver == nil && state.url != url }
      if isDeclined || isExpired, state.wanted.contains(fetch) { return true }
      state.wanted.remove(fetch)
      return false
    }
  }
}

extension HTTPOrigin.State {
  /// Goes on to the next candidate that was not tried, as long as none was proved.
  fileprivate mutating func takeNext() -> Bool {
    tried.insert(url)
    guard expected == nil, let next = sources.first(where: { !tried.contains($0) }) else {
      return false
    }
    url = next
    return true
  }
}

/// Translates one transfer's events for the heart.
private final class FetchTransfer: RangeSink {
  private let fetch: FetchID
  private let origin: HTTPOrigin
  private let url: String
  private let sink: any FetchSink
  /// Asks again, at the address that the origin has then.
  private let again: @Sendable () -> Void
  private let isDeclined = NIOLockedValueBox(false)

  init(
    _ fetch: FetchID, of origin: HTTPOrigin, at url: String, for sink: any FetchSink,
    again: @escaping @Sendable () -> Void
  ) {
    self.fetch = fetch
    self.origin = origin
    self.url = url
    self.sink = sink
    self.again = again
  }

  func accepted(_ answer: AcceptedAnswer) {
    guard !origin.declines(answer) else {
      isDeclined.withLockedValue { $0 = true }
      return origin.stop(fetch)
    }
    origin.accepted(answer)
    sink.began(fetch, answer.representation, bytes: answer.bytes, whole: answer.isWhole)
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    guard !isDeclined.withLockedValue({ $0 }) else { return }
    sink.received(bytes, at: offset, in: fetch)
  }

  func ended(_ end: TransferEnd) {
    let isDeclined = isDeclined.withLockedValue { $0 }
    if origin.ended(fetch, end, at: url, isDeclined: isDeclined) { return again() }
    sink.ended(fetch, FetchEnd(end))
  }
}

extension RangeRequest.Priority {
  fileprivate init(_ urgency: Urgency) {
    switch urgency {
    case .demand: self = .demand
    case .ahead: self = .ahead
    case .background: self = .background
    }
  }
}

extension FetchEnd {
  /// A reader waits for what is fetched.
  private static let longestPause: Duration = .seconds(300)

  init(_ end: TransferEnd) {
    switch end {
    case .complete: self = .complete
    case .unanswered, .cancelled: self = .unanswered
    case .broken, .serverError, .refused, .notModified: self = .failed
    case .busy(_, let delay): self = .busy(after: delay.map { min($0, Self.longestPause) })
    case .gone: self = .gone
    case .changed: self = .changed
    case .unsatisfiable(let length): self = .unsatisfiable(length: length)
    case .blocked: self = .blocked
    }
  }
}
