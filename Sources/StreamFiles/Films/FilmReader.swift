import Blocks
import Filling
import HTTP
import Locks
import Streams
import World

/// Delivers ranges of a stream's file. `FilmState` decides which requests this takes.
///
/// Safe from any thread. Each event is put into an inbox; while its lock is locked, no other lock
/// is taken. One queue takes the events in order, and performs the actions that follow without a
/// lock. So libcurl's thread only copies the bytes of an answer into the inbox.
final class FilmReader: Sendable {
  private enum Event: Sendable {
    case wanted(Receiver, ByteRange, Urgency)
    case promoted(FetchID)
    case cancelled(FetchID)
    case closed
    case answered(PieceID, Representation, isWhole: Bool)
    case received(PieceID, [UInt8])
    case ended(PieceID, PieceError?)
    case woken
  }

  private struct Inbox {
    var events: [Event] = []
    /// True if a job on the queue will take the events.
    var isQueued = false
  }

  /// The receiver of a fetch's bytes and of its end.
  private struct Receiver: Sendable {
    let outlet: FilmOutlet
    let ended: @Sendable (PieceError?) -> Void
  }

  private struct State {
    var film: FilmState
    var receivers: [FetchID: Receiver] = [:]
    var transfers: [PieceID: TransferID] = [:]

    mutating func take(_ event: Event, at now: Duration) -> [FilmState.Action] {
      switch event {
      case .wanted(let receiver, let range, let urgency):
        receivers[receiver.outlet.fetch] = receiver
        return film.wants(receiver.outlet.fetch, range, urgency, at: now)
      case .promoted(let fetch): return film.promoted(fetch, at: now)
      case .cancelled(let fetch): return film.cancelled(fetch, at: now)
      case .closed: return film.closed(at: now)
      case .answered(let piece, let version, let isWhole):
        return film.answered(piece, version, isWhole: isWhole, at: now)
      case .received(let piece, let bytes): return film.received(piece, bytes, at: now)
      case .ended(let piece, let trouble):
        transfers[piece] = nil
        return film.ended(piece, trouble, at: now)
      case .woken: return film.tick(now)
      }
    }
  }

  let film: Film
  private let pieces: PieceClient
  private let queue: any JobQueue
  private let inbox = Locked(Inbox())
  private let state: Locked<State>
  private let told: Locked<FilmFacts>

  init(_ film: Film, _ pieces: PieceClient, on queue: any JobQueue) {
    let state = FilmState(film)
    // This is not the parameter `film`: in `state.film`, `beginnings` is empty, because slots were
    // made of them.
    self.film = state.film
    self.pieces = pieces
    self.queue = queue
    self.state = Locked(State(film: state))
    told = Locked(state.facts)
  }

  /// The facts that are known so far. To read them never means to wait until a slot is made.
  var facts: FilmFacts { told.withLock { $0 } }

  // MARK: Fetches

  /// Delivers the bytes of `range` in order.
  ///
  /// - Parameter ended: called once, on the queue, with nil if all bytes came, or else with the
  ///   error.
  func start(
    _ range: ByteRange, _ urgency: Urgency, to outlet: FilmOutlet,
    ended: @escaping @Sendable (PieceError?) -> Void
  ) {
    add(.wanted(Receiver(outlet: outlet, ended: ended), range, urgency))
  }

  /// Raises the urgency of a fetch.
  func promote(_ fetch: FetchID) { add(.promoted(fetch)) }

  /// Ends a fetch.
  func cancel(_ fetch: FetchID) { add(.cancelled(fetch)) }

  /// Ends the work on slots that no fetch wants. Call this when no reader has the file open any
  /// more.
  func endIdleWork() { add(.closed) }

  // MARK: Deciding

  private func add(_ event: Event) {
    let mustQueue = inbox.withLock { inbox in
      inbox.events.append(event)
      defer { inbox.isQueued = true }
      return !inbox.isQueued
    }
    if mustQueue { queue.add { [self] in empty() } }
  }

  /// Takes the events in the inbox; runs on the queue. Events that come meanwhile are taken by a
  /// new job, so that other work on the queue gets its turn before them.
  private func empty() {
    guard let events = nextEvents() else { return }
    for event in events {
      let now = pieces.tasks.now
      let (actions, facts) = state.withLock { ($0.take(event, at: now), $0.film.facts) }
      told.withLock { $0 = facts }
      for action in actions { perform(action) }
    }
    queue.add { [self] in empty() }
  }

  private func nextEvents() -> [Event]? {
    inbox.withLock { inbox in
      guard !inbox.events.isEmpty else {
        inbox.isQueued = false
        return nil
      }
      defer { inbox.events = [] }
      return inbox.events
    }
  }

  // MARK: Performing

  private func perform(_ action: FilmState.Action) {
    switch action {
    case .ask(let piece, let resource, let bytes, let expected, let urgency):
      let place = film.resources[resource]
      let transfer = pieces.start(
        place, bytes, expected: expected, urgency, for: Sink(piece, bytes, self))
      state.withLock { $0.transfers[piece] = transfer }
    case .promote(let piece):
      if let id = state.withLock({ $0.transfers[piece] }) { pieces.client.promote(id) }
    case .cancel(let piece):
      if let id = state.withLock({ $0.transfers.removeValue(forKey: piece) }) {
        pieces.client.cancel(id)
      }
    case .give(let fetch, let bytes, let place):
      state.withLock { $0.receivers[fetch] }?.outlet.take(bytes, at: place)
    case .rested(let fetch):
      if let outlet = state.withLock({ $0.receivers[fetch] })?.outlet {
        outlet.sink.rested(fetch)
      }
    case .end(let fetch, let trouble):
      state.withLock { $0.receivers.removeValue(forKey: fetch) }?.ended(trouble)
    case .wake(let time):
      queue.add(after: max(.zero, time - pieces.tasks.now)) { [weak self] in self?.add(.woken) }
    }
  }

  /// Receives the answer to one request, on libcurl's thread.
  private final class Sink: RangeSink {
    private let piece: PieceID
    private let wanted: ByteRange
    private let reader: FilmReader
    /// The offset in the resource of the next wanted byte.
    private let place: Locked<Int>

    init(_ piece: PieceID, _ wanted: ByteRange, _ reader: FilmReader) {
      (self.piece, self.wanted, self.reader) = (piece, wanted, reader)
      place = Locked(wanted.lowerBound)
    }

    func accepted(_ answer: AcceptedAnswer) {
      reader.add(.answered(piece, answer.representation, isWhole: answer.isWhole))
    }

    func received(_ bytes: RawSpan, at offset: Int) {
      let part = place.withLock { place in
        let (skipped, end) = (
          max(0, place - offset), min(bytes.byteCount, wanted.upperBound - offset)
        )
        guard skipped < end else { return 0..<0 }
        place = offset + end
        return skipped..<end
      }
      guard !part.isEmpty else { return }
      reader.add(.received(piece, bytes.extracting(part).withUnsafeBytes { Array($0) }))
    }

    func ended(_ end: TransferEnd) {
      reader.add(.ended(piece, end == .complete ? nil : PieceError(end, of: wanted)))
    }
  }
}
