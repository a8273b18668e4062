import Glibc
import NIOConcurrencyHelpers

/// Asks origins for ranges and documents, with one thread and one libcurl multi handle for all.
///
/// Safe from any thread; no call waits for the network. Redirects, credentials, the check of
/// addresses, limits and pauses of each origin are taken care of in here: RFC 9110 in,
/// representations' bytes out.
package final class HTTPClient: Sendable {
  private let inbox = Inbox()
  private let multi: MultiHandle
  private let reports = NIOLockedValueBox<[OriginName: OriginStatus]>([:])
  private let thread: NIOLockedValueBox<pthread_t?>

  /// Starts the thread. Throws `unavailable` when libcurl or the system refuses.
  ///
  /// - Parameter slept: for how long the computer has slept since a fixed time; called on the client's
  ///   thread, often.
  package init(
    _ configuration: HTTPConfiguration,
    slept: @escaping @Sendable () -> Duration = HTTPClient.timeAsleep
  ) throws(HTTPError) {
    multi = try MultiHandle(mostConnections: configuration.mostConnections)
    let loop = TransferLoop(configuration, multi, inbox, reports, slept: slept)
    thread = NIOLockedValueBox(try startThread(of: loop))
  }

  deinit { shutDown() }

  /// Sends a range request; its bytes and its end come to `sink`, on the client's thread.
  ///
  /// A request to an origin that is out of reach waits until it answers, or is cancelled. After
  /// `shutDown` the sink ends as cancelled before this returns.
  package func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID {
    let id = inbox.makeID()
    if inbox.post(.fetch(id, request, sink)) { multi.wake() } else { sink.ended(.cancelled) }
    return id
  }

  /// Ends a transfer; its sink gets `.cancelled`, unless it had ended already.
  package func cancel(_ id: TransferID) {
    if inbox.post(.cancel(id)) { multi.wake() }
  }

  /// A transfer that still waits for its place goes before all that nobody waits for.
  package func hasten(_ id: TransferID) {
    if inbox.post(.hasten(id)) { multi.wake() }
  }

  /// Ends every transfer, and each that is started later, as cancelled, until it is open again. Returns
  /// when that holds.
  package func turn(isOpen: Bool) async {
    await order { .turn(isOpen: isOpen, then: $0) }
  }

  /// All transfers together take so many bytes a second; nil: as many as come. Documents are counted,
  /// but not held up. Returns when that holds.
  package func limit(to bytesPerSecond: Int?) async {
    await order { .limit(bytesPerSecond, then: $0) }
  }

  /// The computer has other addresses, routes or name servers: no connection that is kept is used again, what
  /// is under way goes on only while it brings bytes, names are looked up anew, and each origin that was out
  /// of reach is asked at once.
  package func networkChanged() {
    if inbox.post(.networkChanged) { multi.wake() }
  }

  /// For how long the computer has slept (CLOCK_BOOTTIME goes on meanwhile, CLOCK_MONOTONIC does not).
  package static let timeAsleep: @Sendable () -> Duration = {
    firstAll.duration(to: .now) - firstAwake.duration(to: .now)
  }

  private static let firstAwake = SuspendingClock.now
  private static let firstAll = ContinuousClock.now

  private func order(_ make: (@escaping @Sendable () -> Void) -> Inbox.Order) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      guard inbox.post(make { done.resume() }) else { return done.resume() }
      multi.wake()
    }
  }

  /// Fetches a whole document. When its origin is out of reach it fails at the first attempt.
  ///
  /// Cancelling the task ends the transfer and throws `cancelled`.
  package func get(_ request: DocumentRequest) async throws(HTTPError) -> Document {
    let id = inbox.makeID()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (reply: DocumentExchange.Reply) in
        guard inbox.post(.get(id, request, reply)) else {
          return reply.resume(returning: .failure(.cancelled))
        }
        // The handler may have run before there was anything to cancel.
        if Task.isCancelled { cancel(id) }
        multi.wake()
      }
    } onCancel: {
      cancel(id)
    }
    return try result.get()
  }

  /// What is known of each origin that was asked, by name.
  package func origins() -> [OriginReport] {
    let now = ContinuousClock.now
    return reports.withLockedValue { $0 }
      .map { OriginReport($0.key, $0.value, at: now) }
      .sorted { $0.origin < $1.origin }
  }

  /// Ends every transfer and then the thread, and waits for that; every call but the first returns
  /// at once. From a sink it does not wait, since the sink is called by that very thread.
  package func shutDown() {
    inbox.close()
    multi.wake()
    let ended = thread.withLockedValue { thread in
      defer { thread = nil }
      return thread
    }
    guard let ended else { return }
    if pthread_equal(ended, pthread_self()) != 0 {
      pthread_detach(ended)
    } else {
      pthread_join(ended, nil)
    }
  }
}

private func startThread(of loop: TransferLoop) throws(HTTPError) -> pthread_t {
  var thread = pthread_t()
  let context = Unmanaged.passRetained(loop)
  let error = pthread_create(
    &thread, nil,
    { context in
      // Signals are for others; a TLS connection that is gone must not raise SIGPIPE.
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, nil)
      if let context { Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }, context.toOpaque())
  guard error == 0 else {
    context.release()
    throw .unavailable(reason: "no thread could be started")
  }
  return thread
}
