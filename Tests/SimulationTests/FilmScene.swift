import Blocks
import Filling
import Locks
import Streams
import TestSupport
import World

@testable import FeedMount
@testable import StreamFiles

/// The state of a film, and what it has decided so far. Resources bring the bytes that a test gives.
struct FilmScene {
  struct Asked: Equatable {
    let piece: PieceID
    let resource: Int
    let range: ByteRange
    let urgency: Urgency
  }

  let film: Film
  let truth: [UInt8]
  var state: FilmState
  var now: Duration = .zero
  /// The contents of the resources, as they are sent.
  var contents: [[UInt8]]
  /// The letters behind the tags of all versions; nil: no version has a tag.
  var tag: String? = ""
  private(set) var asked: [Asked] = []
  private(set) var cancelled: [PieceID] = []
  private(set) var promoted: [PieceID] = []
  private(set) var given: [FetchID: [UInt8]] = [:]
  private(set) var portions: [Int] = []
  private(set) var rested: [FetchID] = []
  private(set) var ends: [FetchID: PieceError?] = [:]
  private(set) var wakes: [Duration] = []
  private var sent: [PieceID: Int] = [:]
  private var begins: [FetchID: Int] = [:]

  /// The scene with which most tests begin.
  private static let usual = Result { try FilmScene(segments: 3) }

  /// Makes the state of a stream of sound with three segments.
  init() throws { self = try Self.usual.get() }

  /// Makes the state of a stream of sound with so many segments.
  init(segments: Int) throws {
    let contents = (0..<segments).map { number in
      TransportSound.segments.indices.contains(number)
        ? TransportSound.segments[number] : TransportSound.segment(number)
    }
    try self.init(contents) { site in
      var list = "#EXTM3U\n#EXT-X-TARGETDURATION:13\n"
      for (number, bytes) in contents.enumerated() {
        list += "#EXTINF:12.8,\ns\(number).ts\n"
        site.put(bytes, at: "http://o/s\(number).ts")
      }
      site.put(list + "#EXT-X-ENDLIST\n", at: "http://o/v.m3u8")
    }
  }

  /// Makes the state of a fragmented file.
  init(file: [UInt8]) throws {
    try self.init([file], of: StreamSource(file: "http://o/f.mp4")) {
      $0.put(file, at: "http://o/f.mp4")
    }
  }

  private init(
    _ contents: [[UInt8]], of source: StreamSource? = nil, serve: (MemorySite) -> Void
  ) throws {
    let (site, world) = (MemorySite(), SimulatedWorld(seed: 0))
    serve(site)
    let maker = StreamMaker(
      pieces: PieceClient(client: site, feed: nil, tasks: world.tasks),
      queue: world.jobs.queue("films"),
      layouts: SavedLayouts(read: { _ in nil }, write: { _, _ in }), wishes: StreamWishes(),
      wall: .real)
    let origin = maker.origin(expected: nil, before: nil) { finder, _ in
      if let source { return source }
      return try await finder.source(at: PiecePlace(address: "http://o/v.m3u8"))
    }
    let sink = FetchRecorder()
    origin.start(1, of: 0..<1 << 30, .demand, for: sink, mayBegin: { _ in true }, ended: { _ in })
    world.settle()
    guard let film = origin.film else { throw TestToolError("no film") }
    self.film = film
    self.contents = contents
    truth = sink.outcome.withLock { $0.bytes }
    state = FilmState(film)
  }

  var layout: StreamLayout { film.layout }
  var places: [Int] { film.layout.places }

  /// The requests that are under way.
  var underWay: [Asked] {
    asked.filter { state.pieces[$0.piece].map { !$0.isOver } ?? false }
  }

  func hasAll(_ fetch: FetchID) -> Bool { ends[fetch] == .some(.none) }
  func trouble(_ fetch: FetchID) -> PieceError? { ends[fetch] ?? nil }

  // MARK: Events

  @discardableResult
  mutating func want(
    _ fetch: FetchID, _ range: ByteRange, _ urgency: Urgency = .demand
  ) -> [FilmState.Action] {
    begins[fetch] = range.lowerBound
    return note(state.wants(fetch, range, urgency, at: now))
  }

  @discardableResult
  mutating func cancel(_ fetch: FetchID) -> [FilmState.Action] {
    note(state.cancelled(fetch, at: now))
  }

  @discardableResult
  mutating func promote(_ fetch: FetchID) -> [FilmState.Action] {
    note(state.promoted(fetch, at: now))
  }

  @discardableResult
  mutating func close() -> [FilmState.Action] { note(state.closed(at: now)) }

  @discardableResult
  mutating func pass(_ time: Duration) -> [FilmState.Action] {
    now += time
    return note(state.tick(now))
  }

  /// Lets a request be answered.
  mutating func answer(_ asked: Asked, length: Int? = nil, isWhole: Bool = false) {
    let length = length ?? contents[asked.resource].count
    let version = Representation(
      length: length, validator: tag.map { .entityTag("\"\(asked.resource)\($0)\"") } ?? .none)
    sent[asked.piece] = asked.range.lowerBound
    note(state.answered(asked.piece, version, isWhole: isWhole, at: now))
  }

  /// Gives the next bytes of a request, which is answered before.
  mutating func give(_ asked: Asked, _ count: Int = .max) {
    if sent[asked.piece] == nil { answer(asked) }
    let place = sent[asked.piece] ?? 0
    let end = min(asked.range.upperBound, count == .max ? .max : place + count)
    sent[asked.piece] = end
    note(state.received(asked.piece, Array(contents[asked.resource][place..<end]), at: now))
    if end == asked.range.upperBound { self.end(asked, nil) }
  }

  mutating func end(_ asked: Asked, _ trouble: PieceError?) {
    note(state.ended(asked.piece, trouble, at: now))
  }

  /// Gives all bytes of all requests, and of those that follow from them.
  mutating func giveAll() {
    while let next = underWay.first { give(next) }
  }

  @discardableResult
  mutating func note(_ actions: [FilmState.Action]) -> [FilmState.Action] {
    for action in actions {
      switch action {
      case .ask(let piece, let resource, let bytes, _, let urgency):
        asked.append(Asked(piece: piece, resource: resource, range: bytes, urgency: urgency))
      case .promote(let piece): promoted.append(piece)
      case .cancel(let piece): cancelled.append(piece)
      case .give(let fetch, let bytes, let place):
        precondition(place == begins[fetch, default: 0] + given[fetch, default: []].count)
        precondition(ends[fetch] == nil, "bytes behind the end")
        given[fetch, default: []] += bytes
        portions.append(bytes.count)
      case .rested(let fetch): rested.append(fetch)
      case .end(let fetch, let trouble):
        precondition(ends.updateValue(trouble, forKey: fetch) == nil, "a second end")
      case .wake(let time): wakes.append(time)
      }
    }
    return actions
  }
}
