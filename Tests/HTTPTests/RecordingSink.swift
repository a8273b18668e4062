import Locks

@testable import HTTP

/// Records the events of a transfer, and notes calls in the wrong order.
final class RecordingSink: RangeSink {
  private struct State {
    var answer: AcceptedAnswer?
    var bytes: [UInt8] = []
    var ends: [TransferEnd] = []
    var isOutOfOrder = false
  }

  private let state = Locked(State())
  private let events = AsyncStream.makeStream(of: Void.self)
  private let whenReceived: @Sendable () -> Void

  /// - Parameter whenReceived: called after each piece, on the client's thread.
  init(whenReceived: @escaping @Sendable () -> Void = {}) {
    self.whenReceived = whenReceived
  }

  var answer: AcceptedAnswer? { state.withLock(\.answer) }
  var bytes: [UInt8] { state.withLock(\.bytes) }
  var ends: [TransferEnd] { state.withLock(\.ends) }
  var isOutOfOrder: Bool { state.withLock(\.isOutOfOrder) }

  /// Waits for the end of the transfer, and returns it.
  func end() async -> TransferEnd? {
    while ends.isEmpty {
      var iterator = events.stream.makeAsyncIterator()
      _ = await iterator.next()
    }
    return ends.first
  }

  func accepted(_ answer: AcceptedAnswer) {
    state.withLock { state in
      if state.answer != nil || !state.ends.isEmpty { state.isOutOfOrder = true }
      state.answer = answer
    }
  }

  func received(_ bytes: RawSpan, at offset: Int) {
    state.withLock { state in
      let expected = state.answer.map { $0.bytes.lowerBound + state.bytes.count }
      if offset != expected || !state.ends.isEmpty { state.isOutOfOrder = true }
      bytes.withUnsafeBytes { state.bytes.append(contentsOf: $0) }
    }
    whenReceived()
  }

  func ended(_ end: TransferEnd) {
    state.withLock { $0.ends.append(end) }
    events.continuation.yield()
  }
}
