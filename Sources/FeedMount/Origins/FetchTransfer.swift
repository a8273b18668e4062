import Blocks
import Filling
import HTTP
import Locks
import Streams

/// Translates the events of one transfer into events of a fetch.
final class FetchTransfer: RangeSink {
  private let fetch: FetchID
  private let origin: HTTPOrigin
  private let url: String
  private let sink: any FetchSink
  /// Starts the same fetch again, at the origin's current address.
  private let again: @Sendable () -> Void
  private let state = Locked(State())

  private struct State {
    var isDeclined = false { didSet { isPlain = false } }
    /// An answer that can be a fragmented MP4, and its first bytes. They are held back until they
    /// show whether it is one.
    var undecided: (answer: AcceptedAnswer, bytes: [UInt8])? {
      didSet { isPlain = !isDeclined && undecided == nil }
    }
    /// True if the sink gets the bytes as they come.
    private(set) var isPlain = true
  }

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
    switch origin.judge(answer, at: url) {
    case .taken: begin(answer)
    case .undecided: state.withLock { $0.undecided = (answer, []) }
    case .declined: decline()
    }
  }

  private func begin(_ answer: AcceptedAnswer) {
    sink.began(fetch, answer.representation, bytes: answer.bytes, whole: answer.isWhole)
  }

  private func decline() {
    state.withLock { $0.isDeclined = true }
    origin.stop(fetch)
  }

  /// Holds bytes back until they show whether the file is a fragmented MP4. Returns false, and
  /// holds nothing back, if that is known already. The sink can then have the bytes.
  private func holds(_ bytes: RawSpan) -> Bool {
    let verdict: Bool?? = state.withLock { state in
      guard state.undecided != nil else { return nil }
      bytes.withUnsafeBytes { state.undecided?.bytes.append(contentsOf: $0) }
      return .some(FragmentedHead.isThere(in: state.undecided?.bytes ?? []))
    }
    guard let verdict else { return false }
    switch verdict {
    case nil: break
    case true? where origin.becomesFilm(at: url): decline()
    case _?: if !releases() { decline() }
    }
    return true
  }

  /// Gives the sink the bytes that were held back. Returns false if the answer must be declined
  /// after all.
  private func releases() -> Bool {
    let undecided = state.withLock { state in
      defer { state.undecided = nil }
      return state.undecided
    }
    guard let undecided else { return true }
    guard origin.takes(undecided: undecided.answer, at: url) else { return false }
    begin(undecided.answer)
    sink.received(undecided.bytes.span.bytes, at: undecided.answer.bytes.lowerBound, in: fetch)
    return true
  }

  func grows(_ body: GrowingBody, _ answer: AnswerFacts) {
    guard origin.grows(answer, at: url) else { return decline() }
    sink.grows(fetch, body)
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    if !state.withLock({ $0.isPlain }) {
      guard !state.withLock({ $0.isDeclined }), !holds(bytes) else { return }
    }
    sink.received(bytes, at: offset, in: fetch)
  }

  func rested() {
    sink.rested(fetch)
  }

  func ended(_ end: TransferEnd) {
    // If the bytes are too few to show whether the file is fragmented, it counts as a plain file,
    // unless another fetch has shown the contrary.
    let isDeclined = state.withLock(\.isDeclined) || !releases()
    guard let end = origin.ended(fetch, end, at: url, isDeclined: isDeclined) else {
      return again()
    }
    sink.ended(fetch, end)
  }
}
