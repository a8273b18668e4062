import Addresses
import HTTP
import Locks
import World

/// Asks an origin once for the length and the validator of a file.
///
/// It sends a GET for the first bytes only. These bytes show whether the body can be media, so the
/// answer proves as much as the answer to a reader. It does not send HEAD, because origins too
/// often state wrong lengths there.
final class SizeQuestion: RangeSink {
  private struct State {
    var transfer: TransferID?
    var isOver = false
  }

  private let client: any RangeClient
  private let done: @Sendable (Result<AcceptedAnswer, TransferFailure>) -> Void
  private let state = Locked(State())

  /// How a transfer without an accepted answer ended.
  struct TransferFailure: Error {
    let end: TransferEnd
  }

  private init(
    _ client: any RangeClient,
    done: @escaping @Sendable (Result<AcceptedAnswer, TransferFailure>) -> Void
  ) {
    self.client = client
    self.done = done
  }

  /// Sends the request. Calls `done` once, on the client's thread.
  ///
  /// - Parameter feed: the address of the feed as the user typed it.
  static func start(
    at url: String, for feed: TypedAddress?, by client: any RangeClient,
    done: @escaping @Sendable (Result<AcceptedAnswer, TransferFailure>) -> Void
  ) {
    var request = RangeRequest(
      url: url, range: .bytes(0..<BodyKind.head), expected: nil, priority: .background)
    request.feed = feed
    request.failsFast = true
    let question = SizeQuestion(client, done: done)
    let transfer = client.start(request, sink: question)
    let isOver = question.state.withLock { state in
      state.transfer = transfer
      return state.isOver
    }
    if isOver { client.cancel(transfer) }
  }

  func accepted(_ answer: AcceptedAnswer) {
    guard end() else { return }
    done(.success(answer))
    // An origin without ranges sends the whole file, which is not wanted here.
    guard answer.isWhole, let transfer = state.withLock({ $0.transfer }) else { return }
    client.cancel(transfer)
  }

  func received(_ bytes: RawSpan, at offset: Int) {}

  func ended(_ end: TransferEnd) {
    if self.end() { done(.failure(TransferFailure(end: end))) }
  }

  /// Marks the request as over. Returns false if it was over before.
  private func end() -> Bool {
    state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
  }
}
