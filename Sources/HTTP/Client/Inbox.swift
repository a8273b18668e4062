import NIOConcurrencyHelpers

/// The orders of other threads to the client's thread.
struct Inbox: Sendable {
  enum Order: Sendable {
    case fetch(TransferID, RangeRequest, any RangeSink)
    case get(TransferID, DocumentRequest, DocumentExchange.Reply)
    case cancel(TransferID)
    case promote(TransferID)
    /// The network is another one: pooled connections and resolved names may be useless.
    case networkChanged
    /// The client opens or closes; `then` is called when that holds.
    case turn(isOpen: Bool, then: @Sendable () -> Void)
    /// Bytes a second; nil: no limit.
    case limit(Int?, then: @Sendable () -> Void)
  }

  private struct State {
    var orders: [Order] = []
    var lastID = 0
    var isClosed = false
  }

  private let state = NIOLockedValueBox(State())

  func makeID() -> TransferID {
    state.withLockedValue { state in
      state.lastID += 1
      return TransferID(number: state.lastID)
    }
  }

  /// Posts an order; false once the inbox is closed, when no thread would read it.
  func post(_ order: Order) -> Bool {
    state.withLockedValue { state in
      if !state.isClosed { state.orders.append(order) }
      return !state.isClosed
    }
  }

  func close() {
    state.withLockedValue { $0.isClosed = true }
  }

  /// Returns the orders since the last call, and whether these are the last ones.
  func take() -> (orders: [Order], isClosed: Bool) {
    state.withLockedValue { state in
      defer { state.orders = [] }
      return (state.orders, state.isClosed)
    }
  }
}
