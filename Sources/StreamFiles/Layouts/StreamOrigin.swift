package import Blocks
package import Filling
import HTTP
import Locks
package import Streams
import World

/// Delivers the bytes of one version of a stream's file, as a server delivers the bytes of a plain
/// file.
///
/// Tasks find the stream and learn its layout. They go on even if the waiting reader gives up. Then
/// a `FilmReader` makes the file's bytes. Safe from any thread.
package final class StreamOrigin: Sendable {
  /// Finds the tracks of the stream. `anew` is true if the addresses that were found before do not
  /// work any more.
  typealias Find = @Sendable (_ anew: Bool) async throws -> StreamSource

  /// How many requests are made to learn a layout, and how many of them were answered.
  package struct Progress: Hashable, Sendable {
    package let answered: Int
    package let requests: Int
  }

  private struct State {
    var expected: Representation?
    var reader: FilmReader?
    var making: Task<Result<FilmReader, PieceError>, Never>?
    var fetches: [FetchID: Task<Void, Never>] = [:]
    var urgencies: [FetchID: Urgency] = [:]
    var progress: Progress?
    /// The time of the last search for new addresses.
    var foundAnew: Duration?
  }

  /// The media type of all streams' files.
  package static let contentType = "video/x-matroska"
  /// The shortest time between two searches for new addresses. `longPause` applies if the old
  /// addresses may still be good.
  private static let pause: Duration = .seconds(5)
  private static let longPause: Duration = .seconds(60)

  private let pieces: PieceClient
  private let queue: any JobQueue
  private let layouts: SavedLayouts
  private let chapters: ChapterFinder
  private let find: Find
  private let state: Locked<State>

  /// - Parameters:
  ///   - queue: the queue on which the file's bytes are made.
  ///   - chapters: the entry's chapters, for a stream that has no chapters of its own.
  ///   - expected: the version that the stream should have; nil if no version is known.
  init(
    _ pieces: PieceClient, on queue: any JobQueue, _ layouts: SavedLayouts,
    chapters: ChapterFinder = ChapterFinder(), expected: Representation?, find: @escaping Find
  ) {
    self.pieces = pieces
    self.queue = queue
    self.layouts = layouts
    self.chapters = chapters
    self.find = find
    state = Locked(State(expected: expected))
  }

  /// Returns how many of the requests for the layout were answered; nil if no layout is being
  /// learned.
  package var progress: Progress? {
    state.withLock { $0.making == nil ? nil : $0.progress }
  }

  /// The stream that was found last.
  package var source: StreamSource? { state.withLock { $0.reader }?.film.source }

  /// The chosen tracks, the reason for the choice, and the missing parts, in words for the user.
  /// Nil if the stream was not found yet.
  package var words: String? {
    guard let reader = state.withLock({ $0.reader }) else { return nil }
    return [reader.film.source.reason, reader.facts.loss].compactMap(\.self).joined(separator: "; ")
  }

  /// Whether a part of the file could not be made, so that readers of that part get an error.
  package var hasLostPart: Bool { state.withLock { $0.reader }?.facts.hasLostSlot ?? false }

  package var film: Film? { state.withLock { $0.reader }?.film }

  // MARK: Fetches

  /// Starts `fetch`, as `Origin.start` does.
  ///
  /// - Parameters:
  ///   - mayBegin: called with the `Film` before any byte is delivered. Returns false if it is
  ///     another version than the entry's. Then no byte is delivered.
  ///   - ended: called with nil if all bytes came, or else with the error. It must tell the sink.
  package func start(
    _ fetch: FetchID, of bytes: ByteRange, _ urgency: Urgency, for sink: any FetchSink,
    mayBegin: @escaping @Sendable (Film) -> Bool,
    ended: @escaping @Sendable (PieceError?) -> Void
  ) {
    state.withLock { state in
      state.urgencies[fetch] = urgency
      state.fetches[fetch] = pieces.tasks.start { [self] in
        let trouble = await deliver(fetch, bytes, for: sink, mayBegin)
        self.state.withLock { state in
          state.fetches[fetch] = nil
          state.urgencies[fetch] = nil
        }
        ended(trouble)
      }
    }
  }

  package func promote(_ fetch: FetchID) {
    let reader = state.withLock { state in
      if state.urgencies[fetch] != nil { state.urgencies[fetch] = .demand }
      return state.reader
    }
    reader?.promote(fetch)
  }

  package func cancel(_ fetch: FetchID) {
    state.withLock { $0.fetches[fetch] }?.cancel()
  }

  /// Ends the work on slots that no fetch wants. Call this when no reader has the file open any
  /// more.
  package func endIdleWork() {
    state.withLock { $0.reader }?.endIdleWork()
  }

  private func deliver(
    _ fetch: FetchID, _ bytes: ByteRange, for sink: any FetchSink,
    _ mayBegin: @Sendable (Film) -> Bool
  ) async -> PieceError? {
    var outlet: FilmOutlet?
    do throws(PieceError) {
      while true {
        let reader = try await reader()
        let version = reader.film.layout.representation
        if outlet == nil {
          guard bytes.lowerBound < version.length else {
            return PieceError(.unsatisfiable(length: version.length), nil)
          }
          let known = bytes.clamped(to: 0..<version.length)
          guard mayBegin(reader.film) else { return PieceError(.changed, nil) }
          sink.began(fetch, version, bytes: known, whole: false)
        }
        let out = outlet ?? FilmOutlet(fetch, sink, from: bytes.lowerBound)
        let isAgain = outlet != nil
        outlet = out
        let urgency = state.withLock { $0.urgencies[fetch] ?? .demand }
        do throws(PieceError) {
          try await deliver(
            out.place..<min(bytes.upperBound, version.length), urgency, of: reader, to: out)
          return nil
        } catch {
          guard error.end == .gone || error.end == .changed || error.mayBeGone, !isAgain,
            !Task.isCancelled
          else { throw error }
          try await findAnew(instead: reader, error)
        }
      }
    } catch {
      guard error.isOfPart else { return error }
      return PieceError(.failed, error.words.map { "a part of the stream is gone: \($0)" })
    }
  }

  /// Returns when all bytes of `range` are delivered. Throws if some cannot be made, or if the task
  /// is cancelled.
  private func deliver(
    _ range: ByteRange, _ urgency: Urgency, of reader: FilmReader, to outlet: FilmOutlet
  ) async throws(PieceError) {
    if Task.isCancelled { throw PieceError(.unanswered, nil) }
    let trouble = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        reader.start(range, urgency, to: outlet) { continuation.resume(returning: $0) }
        // If the fetch was cancelled or promoted before the start, the reader did not know the
        // fetch yet.
        if Task.isCancelled { reader.cancel(outlet.fetch) }
        if urgency != .demand, state.withLock({ $0.urgencies[outlet.fetch] }) == .demand {
          reader.promote(outlet.fetch)
        }
      }
    } onCancel: {
      reader.cancel(outlet.fetch)
    }
    if let trouble { throw trouble }
  }

  // MARK: Finding

  /// Returns the reader, once it is made. All fetches use the same reader.
  private func reader() async throws(PieceError) -> FilmReader {
    let (reader, making) = state.withLock { state in
      if state.reader == nil, state.making == nil { state.making = make(anew: false, before: nil) }
      return (state.reader, state.making)
    }
    if let reader { return reader }
    guard let making else { throw PieceError(.unanswered, nil) }
    return try await making.value.get()
  }

  /// Looks for the stream again, unless another fetch has done so. Throws `trouble` if this brings
  /// no new addresses, or if the last search was a short time ago.
  private func findAnew(
    instead old: FilmReader, _ trouble: PieceError
  ) async throws(PieceError) {
    let now = pieces.tasks.now
    let making: Task<Result<FilmReader, PieceError>, Never>? = state.withLock { state in
      if let making = state.making { return making }
      guard state.reader === old else { return nil }
      let pause = trouble.mayBeGone ? Self.longPause : Self.pause
      if let last = state.foundAnew, now - last < pause { return nil }
      state.foundAnew = now
      let making = make(anew: true, before: trouble.end == .changed ? nil : old.film)
      state.making = making
      return making
    }
    guard let making else {
      if state.withLock({ $0.reader === old }) { throw trouble.ofPartIfGone }
      return
    }
    let reader = try await making.value.get()
    // If all addresses are the same as before, another request to them would be of no use.
    let isSame = reader.film.resources == old.film.resources
    if trouble.end == .gone || trouble.mayBeGone, isSame { throw trouble.ofPartIfGone }
  }

  /// - Parameter before: the `Film` whose addresses do not work any more, but whose layout is still
  ///   right; nil if there is no such `Film`.
  private func make(
    anew: Bool, before: Film?
  ) -> Task<Result<FilmReader, PieceError>, Never> {
    pieces.tasks.start { [self] in
      let result: Result<FilmReader, PieceError>
      do throws(PieceError) {
        result = .success(
          FilmReader(try await film(anew: anew, before: before), pieces, on: queue))
      } catch {
        result = .failure(error)
      }
      state.withLock { state in
        state.making = nil
        if case .success(let reader) = result { state.reader = reader }
      }
      return result
    }
  }

  private func film(anew: Bool, before: Film?) async throws(PieceError) -> Film {
    var source: StreamSource
    do {
      source = try await find(anew)
    } catch {
      throw PieceError(any: error)
    }
    let expected = state.withLock { $0.expected }
    // A layout that an answer has contradicted must be learned again.
    let isDoubtful = anew && before == nil
    let saved = before?.layout ?? (isDoubtful ? nil : expected.flatMap(layouts.layout(of:)))
    if saved == nil, source.chapters.isEmpty {
      source.chapters = await chapters.chapters(by: pieces)
    }
    let maker = LayoutMaker(pieces: pieces, expected: expected) { [state] answered, requests in
      state.withLock { $0.progress = Progress(answered: answered, requests: requests) }
    }
    let film = try await maker.film(of: source, saved: saved)
    let version = film.layout.representation
    if let expected, expected != version { throw PieceError(.changed, nil) }
    if saved == nil { layouts.keep(film.layout) }
    state.withLock { $0.expected = version }
    return film
  }
}
