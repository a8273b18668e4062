package import Blocks
package import Filling
import Locks

/// An origin that answers as the test scripts it, and records its requests.
///
/// For any thread; it calls its sinks on the thread of the test.
package final class ScriptedOrigin: Origin {
  package struct Request: Hashable, Sendable {
    package let fetch: FetchID
    package let bytes: ByteRange
    package let urgency: Urgency
  }

  /// A question for bytes to compare.
  private struct Sampling: Sendable {
    let comparison: FetchID
    let places: [ByteRange]
    let done: @Sendable (Sample) -> Void
  }

  private struct State {
    var requests: [Request] = []
    var sinks: [FetchID: any FetchSink] = [:]
    /// The bytes still to come of each answer that has begun.
    var rests: [FetchID: ByteRange] = [:]
    var cancelled: Set<FetchID> = []
    var promoted: Set<FetchID> = []
    /// The requests for the rest of a body without length, and the offsets from which on they ask.
    var follows: [FetchID: Int] = [:]
    var proved: Representation?
    var samplings: [Sampling] = []
    var ignoresTags = false
    var tooLong: Int?
    var whenStarting: (@Sendable (Request) -> Void)?
  }

  package let file: PatternBody
  private let refuse: @Sendable (String) -> Void
  private let state = Locked(State())

  /// Creates an origin; it reports requests that break the rules of an origin to `refuse`.
  package init(_ file: PatternBody, refuse: @escaping @Sendable (String) -> Void) {
    self.file = file
    self.refuse = refuse
  }

  package func wasWrong() {}

  package func wasTooLong(_ limit: Int) {
    state.withLock { $0.tooLong = limit }
  }

  package func proved(_ representation: Representation) {
    state.withLock { $0.proved = representation }
  }

  package func follow(
    _ fetch: FetchID, of body: Validator, from offset: Int, for sink: any FetchSink
  ) {
    state.withLock { $0.follows[fetch] = offset }
    start(fetch, of: offset..<max(offset + 1, file.length), urgency: .demand, for: sink)
  }

  package func startTail(_ fetch: FetchID, of count: Int, for sink: any FetchSink) {
    start(fetch, of: max(0, file.length - count)..<file.length, urgency: .ahead, for: sink)
  }

  package func settleTail(as representation: Representation) {}

  // MARK: Requests

  package var requests: [Request] {
    state.withLock { $0.requests }
  }

  /// Fetches that have started and not ended; a cancelled one may still deliver bytes.
  package var underWay: [FetchID] {
    state.withLock { $0.sinks.keys.sorted() }
  }

  package var cancelled: Set<FetchID> {
    state.withLock { $0.cancelled }
  }

  package var promoted: Set<FetchID> {
    state.withLock { $0.promoted }
  }

  package func request(_ fetch: FetchID) -> Request? {
    state.withLock { state in state.requests.first { $0.fetch == fetch } }
  }

  /// Sets a hook that runs within each `start`.
  package func whenStarting(_ body: @escaping @Sendable (Request) -> Void) {
    state.withLock { $0.whenStarting = body }
  }

  package func start(
    _ fetch: FetchID, of bytes: ByteRange, urgency: Urgency, for sink: any FetchSink
  ) {
    let request = Request(fetch: fetch, bytes: bytes, urgency: urgency)
    let (isNew, hook) = state.withLock { state in
      let isNew = !state.requests.contains { $0.fetch == fetch }
      state.requests.append(request)
      state.sinks[fetch] = sink
      return (isNew, state.whenStarting)
    }
    if !isNew { refuse("fetch \(fetch) was started twice") }
    if bytes.isEmpty || bytes.lowerBound < 0 { refuse("fetch \(fetch) asks for \(bytes)") }
    hook?(request)
  }

  package func promote(_ fetch: FetchID) {
    state.withLock { _ = $0.promoted.insert(fetch) }
  }

  package func cancel(_ fetch: FetchID) {
    let isKnown = state.withLock { state in
      state.cancelled.insert(fetch)
      return state.requests.contains { $0.fetch == fetch }
        || state.samplings.contains { $0.comparison == fetch }
    }
    if !isKnown { refuse("fetch \(fetch) was cancelled before it was started") }
  }

  /// The offset from which on `fetch` asks for the rest of a body without length; nil if it asks for
  /// a range.
  package func followed(_ fetch: FetchID) -> Int? {
    state.withLock { $0.follows[fetch] }
  }

  /// The version that a body without length has turned out to be.
  package var proved: Representation? {
    state.withLock { $0.proved }
  }

  /// The limit beyond which a body without length went.
  package var tooLong: Int? {
    state.withLock { $0.tooLong }
  }

  package func sample(
    _ comparison: FetchID, of places: [ByteRange], done: @escaping @Sendable (Sample) -> Void
  ) {
    if places.isEmpty { refuse("a comparison of nothing") }
    state.withLock {
      $0.samplings.append(Sampling(comparison: comparison, places: places, done: done))
    }
  }

  package func ignoreTags() {
    state.withLock { $0.ignoresTags = true }
  }

  /// True if the origin was told that its tags do not count.
  package var ignoresTags: Bool { state.withLock { $0.ignoresTags } }

  /// The places of the comparison that is under way; empty if none is.
  package var sampled: [ByteRange] {
    state.withLock { state in
      state.samplings.first { !state.cancelled.contains($0.comparison) }?.places ?? []
    }
  }

  // MARK: Answers

  /// Answers the comparison that is under way: with `end`, or with the bytes of the file, of which all
  /// or none are right.
  package func answerSampling(_ end: Sample? = nil, areRight: Bool = true) {
    let sampling = state.withLock { state -> Sampling? in
      state.samplings.removeAll { state.cancelled.contains($0.comparison) }
      return state.samplings.isEmpty ? nil : state.samplings.removeFirst()
    }
    guard let sampling else { return refuse("nothing is compared") }
    let content = file.bytes
    let pieces = sampling.places.map { place in
      Sample.Piece(
        offset: place.lowerBound, bytes: content[place].map { areRight ? $0 : ~$0 })
    }
    sampling.done(end ?? .pieces(pieces))
  }

  /// Sends the head of an answer that does not tell its length, and begins at `start`.
  package func grow(
    _ fetch: FetchID, from start: Int = 0, isFramed: Bool = true, length: Int? = nil
  ) {
    let sink = state.withLock { state in
      state.rests[fetch] = start..<file.length
      return state.sinks[fetch]
    }
    let body = GrowingBody(
      validator: file.representation.validator, start: start, length: length, isFramed: isFramed)
    sink?.grows(fetch, body)
  }

  /// Sends the head of a good answer: for the requested bytes, or for the `whole` file.
  package func begin(_ fetch: FetchID, whole: Bool = false) {
    guard let request = request(fetch) else { return refuse("nobody asked for \(fetch)") }
    let bytes = whole ? 0..<file.length : request.bytes.clamped(to: 0..<file.length)
    let sink = state.withLock { state in
      state.rests[fetch] = bytes
      return state.sinks[fetch]
    }
    sink?.began(fetch, file.representation, bytes: bytes, whole: whole)
  }

  /// Returns how many bytes of the answer to `fetch` are still to come; nil if it has not begun.
  package func left(of fetch: FetchID) -> Int? {
    state.withLock { $0.rests[fetch]?.count }
  }

  /// Sends the next `count` bytes of the answer, in one piece. If `rests`, no more come at this
  /// moment.
  package func give(_ count: Int, in fetch: FetchID, rests: Bool = true) {
    let (sink, rest) = state.withLock { ($0.sinks[fetch], $0.rests[fetch] ?? 0..<0) }
    let piece = rest.prefix(count)
    guard let sink, !piece.isEmpty else { return }
    state.withLock { $0.rests[fetch] = piece.upperBound..<rest.upperBound }
    let content = file.bytes
    sink.received(content.span.bytes.extracting(piece), at: piece.lowerBound, in: fetch)
    if rests { sink.rested(fetch) }
  }

  package func end(_ fetch: FetchID, _ end: FetchEnd) {
    let sink = state.withLock { state in
      state.rests[fetch] = nil
      return state.sinks.removeValue(forKey: fetch)
    }
    sink?.ended(fetch, end)
  }

  /// Answers with all requested bytes, in pieces of 16 KiB, as libcurl delivers them.
  package func serve(_ fetch: FetchID) {
    begin(fetch)
    while let left = left(of: fetch), left > 0 { give(16 << 10, in: fetch) }
    end(fetch, .complete)
  }

  /// Ends every fetch under way, and every fetch that starts because of that: a cancelled one
  /// without an answer, any other with all its bytes.
  package func serveAll() {
    while let fetch = underWay.first {
      if cancelled.contains(fetch) { end(fetch, .unanswered) } else { serve(fetch) }
    }
  }
}
