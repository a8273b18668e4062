import Blocks
import Filling
import HTTP
import Locks

/// Fetches some bytes of a version, one place after the other, to compare them with cached ones.
///
/// It uses only answers whose entity tag differs from the version's. Several servers can answer by
/// turns at one address. So it asks for a place again if the known tag came. Safe from any thread.
final class Sampling: RangeSink {
  private struct State {
    var places: [ByteRange]
    var pieces: [Sample.Piece] = []
    /// The bytes that have come of the first range in `places`.
    var bytes: [UInt8] = []
    var answer: AcceptedAnswer?
    /// The number of consecutive answers with the known tag.
    var known = 0
    /// The number of requests that failed. The request after a failure can go to another address.
    var moves = 0
    var transfer: TransferID?
    var url = ""
    /// True if all bytes of the place have come, or waiting for them is not worth it.
    var isEnough = false
    var isOver = false
  }

  /// The sampling ends after `maxKnown` consecutive answers with the known tag. If the previous
  /// sampling got no other answers, `maxKnownAgain` are enough.
  private static let (maxKnown, maxKnownAgain) = (4, 3)
  /// Bytes. If the origin sends only whole bodies, the sampling does not wait for a place that
  /// begins later in the body than this.
  private static let maxInFront = 1 << 20
  private static let maxMoves = 3

  private let origin: HTTPOrigin
  private let comparison: FetchID
  private let expected: Representation
  private let maxKnown: Int
  private let done: @Sendable (Sample) -> Void
  private let state: Locked<State>

  /// - Parameters:
  ///   - places: at least one range, and no empty one.
  ///   - isAgain: true if the previous sampling had only answers with the known tag.
  init(
    of origin: HTTPOrigin, _ comparison: FetchID, _ expected: Representation,
    _ places: [ByteRange], isAgain: Bool, _ done: @escaping @Sendable (Sample) -> Void
  ) {
    maxKnown = isAgain ? Self.maxKnownAgain : Self.maxKnown
    self.origin = origin
    self.comparison = comparison
    self.expected = expected
    self.done = done
    state = Locked(State(places: places))
  }

  /// Asks for the next place, or reports the outcome.
  func askNext() {
    let (place, pieces): (ByteRange?, [Sample.Piece]) = state.withLock { state in
      state.answer = nil
      state.bytes = []
      (state.isEnough, state.transfer) = (false, nil)
      return (state.isOver ? nil : state.places.first, state.pieces)
    }
    guard let place else { return finish(.pieces(pieces)) }
    let (transfer, url) = origin.startSample(of: place, expected, for: self)
    let isLate = state.withLock { state in
      // The answer might have come before `startSample` returned.
      if !state.isEnough { (state.transfer, state.url) = (transfer, url) }
      return state.isEnough || state.isOver
    }
    if isLate { origin.stopSample(transfer) }
  }

  func cancel() {
    let transfer = state.withLock { state in
      state.isOver = true
      return state.transfer
    }
    if let transfer { origin.stopSample(transfer) }
  }

  // MARK: RangeSink

  func accepted(_ answer: AcceptedAnswer) {
    let isTooFar = state.withLock { state in
      state.answer = answer
      guard answer.isWhole, let place = state.places.first else { return false }
      state.isEnough = place.lowerBound > Self.maxInFront
      return state.isEnough
    }
    if isTooFar { stop() }
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    let isEnough = state.withLock { state in
      guard !state.isEnough, let place = state.places.first else { return false }
      let wanted = place.lowerBound + state.bytes.count
      let skipped = max(0, wanted - offset)
      let end = min(bytes.byteCount, place.upperBound - offset)
      guard skipped < end else { return false }
      bytes.extracting(skipped..<end).withUnsafeBytes { state.bytes.append(contentsOf: $0) }
      state.isEnough = state.bytes.count == place.count
      return state.isEnough && state.answer?.isWhole ?? false
    }
    // The rest of a whole body is not wanted.
    if isEnough { stop() }
  }

  func ended(_ end: TransferEnd) {
    let (isComplete, url, isOver) = state.withLock { state in
      (state.isEnough || end == .complete && state.answer != nil, state.url, state.isOver)
    }
    guard !isOver else { return }
    guard isComplete else {
      let mayMove = state.withLock { state in
        state.moves += 1
        return state.moves <= Self.maxMoves
      }
      if let end = origin.sampleEnded(end, at: url) { return finish(.ended(end)) }
      return mayMove ? askNext() : finish(.ended(.gone))
    }
    let outcome: Sample? = state.withLock { state in
      if case .entityTag(let tag) = expected.validator, state.answer?.tag == tag {
        state.known += 1
        return state.known >= maxKnown ? .known : nil
      }
      state.known = 0
      let place = state.places.removeFirst()
      // Bytes are missing if the place is too far from the beginning of a whole body. Bytes that
      // were not compared count as different.
      guard state.bytes.count == place.count else { return .ended(.changed) }
      state.pieces.append(Sample.Piece(offset: place.lowerBound, bytes: state.bytes))
      return nil
    }
    if let outcome { finish(outcome) } else { askNext() }
  }

  // MARK: Private

  private func stop() {
    if let transfer = state.withLock({ $0.transfer }) { origin.stopSample(transfer) }
  }

  private func finish(_ sample: Sample) {
    let wasOver = state.withLock { state in
      defer { state.isOver = true }
      return state.isOver
    }
    guard !wasOver else { return }
    if case .known = sample {
      origin.sampled(comparison, inVain: true)
    } else {
      origin.sampled(comparison, inVain: false)
    }
    done(sample)
  }
}
