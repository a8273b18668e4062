import Blocks
import Filling
import HTTP
import Locks
import World

/// A request for one range of a resource. One task takes the bytes of the answer in order.
///
/// Safe from any thread.
final class PieceTransfer: RangeSink {
  private struct State {
    /// The bytes that came and were not taken yet.
    var bytes: [UInt8] = []
    /// The offset in the resource of the next wanted byte.
    var place: Int
    var answer: AcceptedAnswer?
    var end: TransferEnd?
    var waiter: CheckedContinuation<Void, Never>?
    var transfer: TransferID?
    var isCancelled = false
  }

  let wanted: ByteRange
  private let client: any RangeClient
  private let state: Locked<State>

  init(_ client: any RangeClient, _ request: RangeRequest, _ wanted: ByteRange) {
    self.client = client
    self.wanted = wanted
    state = Locked(State(place: wanted.lowerBound))
    let id = client.start(request, sink: self)
    let isCancelled = state.withLock { state in
      state.transfer = id
      return state.isCancelled
    }
    if isCancelled { client.cancel(id) }
  }

  /// Returns the facts that the head of the answer has proved. Waits until the head has come.
  func answer() async throws(PieceError) -> AcceptedAnswer {
    while true {
      let (answer, end) = state.withLock { ($0.answer, $0.end) }
      if let answer { return answer }
      if let end { throw PieceError(end, of: wanted) }
      await wait { $0.answer != nil || $0.end != nil }
    }
  }

  /// Waits until bytes have come, and returns them. Returns nil at the end of the range, or at the
  /// end of the resource.
  func next() async throws(PieceError) -> [UInt8]? {
    while true {
      let (bytes, end, isAll) = state.withLock { state in
        let bytes = state.bytes
        state.bytes = []
        return (bytes, state.end, state.place >= wanted.upperBound)
      }
      if !bytes.isEmpty { return bytes }
      if isAll { return nil }
      switch end {
      case .complete?: return nil
      case let end?: throw PieceError(end, of: wanted)
      case nil: await wait { !$0.bytes.isEmpty || $0.end != nil }
      }
    }
  }

  func cancel() {
    let id = state.withLock { state in
      state.isCancelled = true
      return state.end == nil ? state.transfer : nil
    }
    if let id { client.cancel(id) }
  }

  // MARK: RangeSink

  func accepted(_ answer: AcceptedAnswer) {
    notify { $0.answer = answer }
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    let isAll = notify { state in
      let skipped = max(0, state.place - offset)
      let end = min(bytes.byteCount, wanted.upperBound - offset)
      guard skipped < end else { return state.place >= wanted.upperBound }
      bytes.extracting(skipped..<end).withUnsafeBytes { state.bytes.append(contentsOf: $0) }
      state.place = offset + end
      // A server without ranges sends the whole resource, so the request is cancelled after the
      // range.
      return state.place >= wanted.upperBound && state.answer?.isWhole ?? false
    }
    if isAll { cancel() }
  }

  func ended(_ end: TransferEnd) {
    notify { $0.end = end }
  }

  private func notify<Result>(_ change: (inout State) -> Result) -> Result {
    let (result, waiter) = state.withLock { state in
      defer { state.waiter = nil }
      return (change(&state), state.waiter)
    }
    waiter?.resume()
    return result
  }

  private func wait(until isReady: @escaping (State) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isNow = state.withLock { state in
          if isReady(state) { return true }
          state.waiter = continuation
          return false
        }
        if isNow { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }
}
