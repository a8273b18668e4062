import Locks

/// Passes the orders of other threads to the client's thread.
struct Inbox: Sendable {
  enum Order: Sendable {
    case fetch(TransferID, RangeRequest, any RangeSink)
    case get(TransferID, DocumentRequest, DocumentExchange.Reply)
    case cancel(TransferID)
    case promote(TransferID)
    /// The network has changed, so pooled connections and resolved names are perhaps useless.
    case networkChanged
    /// Opens or closes the client. `then` is called when that is done.
    case turn(isOpen: Bool, then: @Sendable () -> Void)
    /// Sets the rate limit in bytes a second; nil: no limit.
    case limit(Int?, then: @Sendable () -> Void)
    /// Counts more hosts and URLs as typed by the user.
    case typed(hosts: Set<String>, urls: [TypedAddress], then: @Sendable () -> Void)
  }

  private struct State {
    var orders: [Order] = []
    var lastID = 0
    var isClosed = false
  }

  private let state = Locked(State())

  func makeID() -> TransferID {
    state.withLock { state in
      state.lastID += 1
      return TransferID(number: state.lastID)
    }
  }

  /// Posts an order. Returns false once the inbox is closed, because no thread reads the orders
  /// then.
  func post(_ order: Order) -> Bool {
    state.withLock { state in
      if !state.isClosed { state.orders.append(order) }
      return !state.isClosed
    }
  }

  func close() {
    state.withLock { $0.isClosed = true }
  }

  /// Returns the orders since the last call, and whether the inbox is closed.
  func take() -> (orders: [Order], isClosed: Bool) {
    state.withLock { state in
      defer { state.orders = [] }
      return (state.orders, state.isClosed)
    }
  }
}
