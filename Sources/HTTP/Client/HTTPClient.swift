import Addresses
import Glibc
import Locks

/// Fetches ranges and documents from origins, with one thread and one libcurl multi handle.
///
/// Safe from any thread. No call blocks on the network. The client handles redirects and
/// credentials, and checks addresses. It also respects the limits and pauses of each origin. The
/// sink of a range request sees no HTTP (RFC 9110), only the bytes of a representation.
package final class HTTPClient: Sendable {
  private let inbox = Inbox()
  private let multi: MultiHandle
  private let reports = Locked<[OriginName: OriginStatus]>([:])
  private let thread: Locked<pthread_t?>

  /// Starts the thread. Throws `unavailable` when libcurl or the system refuses.
  ///
  /// - Parameter slept: returns how long the computer has slept since a fixed time. The client's
  ///   thread calls it often.
  package init(
    _ configuration: HTTPConfiguration,
    slept: @escaping @Sendable () -> Duration = HTTPClient.timeAsleep
  ) throws(HTTPError) {
    multi = try MultiHandle(maxConnections: configuration.maxConnections)
    let loop = TransferLoop(configuration, multi, inbox, reports, slept: slept)
    thread = Locked(try startThread(of: loop))
  }

  deinit { shutDown() }

  /// Loads libcurl. Loading takes longer than the rest of a program's start, so a program that will
  /// need a client calls this early, on a thread that it can spare.
  package static func prepare() {
    MultiHandle.prepare()
  }

  /// Sends a range request. `sink` gets the bytes and the end of the answer, on the client's
  /// thread.
  ///
  /// A request to an unreachable origin waits until the origin answers or the request is cancelled,
  /// unless it is one that `failsFast`. After `shutDown`, the sink gets `.cancelled` before this
  /// call returns.
  package func start(_ request: RangeRequest, sink: any RangeSink) -> TransferID {
    let id = inbox.makeID()
    if inbox.post(.fetch(id, request, sink)) { multi.wake() } else { sink.ended(.cancelled) }
    return id
  }

  /// Ends a transfer. Its sink gets `.cancelled`, unless the transfer has ended already.
  package func cancel(_ id: TransferID) {
    if inbox.post(.cancel(id)) { multi.wake() }
  }

  /// Gives a transfer the priority `demand`. The transfer then starts before all transfers for
  /// whose bytes no reader waits.
  package func promote(_ id: TransferID) {
    if inbox.post(.promote(id)) { multi.wake() }
  }

  /// Opens or closes the client, and returns when that is done. A closed client ends every transfer
  /// with `.cancelled`, even a transfer that starts later.
  package func turn(isOpen: Bool) async {
    await order { .turn(isOpen: isOpen, then: $0) }
  }

  /// Limits all transfers together to a number of bytes a second; nil: no limit. The bytes of
  /// documents count, but documents never wait because of the limit. Returns when the limit is set.
  package func limit(to bytesPerSecond: Int?) async {
    await order { .limit(bytesPerSecond, then: $0) }
  }

  /// Counts more hosts and URLs as typed by the user, besides those of `HTTPConfiguration`. When
  /// this returns, they count for every later request.
  package func typed(hosts: Set<String>, urls: [TypedAddress]) async {
    await order { .typed(hosts: hosts, urls: urls, then: $0) }
  }

  /// Tells the client that the computer has new addresses, routes or name servers. The client uses
  /// no pooled connection again, and looks names up again. Running transfers continue only while
  /// they bring bytes. Each unreachable origin is asked at once.
  package func networkChanged() {
    if inbox.post(.networkChanged) { multi.wake() }
  }

  /// Returns how long the computer has slept since a fixed time. During a sleep, CLOCK_BOOTTIME
  /// goes on and CLOCK_MONOTONIC stops.
  package static let timeAsleep: @Sendable () -> Duration = {
    firstAll.duration(to: .now) - firstAwake.duration(to: .now)
  }

  private static let firstAwake = SuspendingClock.now
  private static let firstAll = ContinuousClock.now

  /// Posts the order that `make` returns, and waits until the client's thread has carried it out.
  private func order(_ make: (@escaping @Sendable () -> Void) -> Inbox.Order) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      guard inbox.post(make { done.resume() }) else { return done.resume() }
      multi.wake()
    }
  }

  /// Fetches a whole document. Fails at the first attempt when its origin is unreachable.
  ///
  /// Cancelling the task ends the transfer and throws `cancelled`.
  package func get(_ request: DocumentRequest) async throws(HTTPError) -> Document {
    let id = inbox.makeID()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (reply: DocumentExchange.Reply) in
        guard inbox.post(.get(id, request, reply)) else {
          return reply.resume(returning: .failure(.cancelled))
        }
        // The cancellation handler has perhaps run before the order was posted.
        if Task.isCancelled { cancel(id) }
        multi.wake()
      }
    } onCancel: {
      cancel(id)
    }
    return try result.get()
  }

  /// Returns the status of each origin that was asked, sorted by name.
  package func origins() -> [OriginReport] {
    let now = ContinuousClock.now
    return reports.withLock { $0 }
      .map { OriginReport($0.key, $0.value, at: now) }
      .sorted { $0.origin < $1.origin }
  }

  /// Returns how many further requests to the origin of `url` would find an open connection, as far
  /// as the client knows.
  package func spareConnections(to url: String) -> Int {
    guard let origin = (try? WebAddress(parsing: url))?.origin else { return 0 }
    let status = reports.withLock { $0[origin] }
    return status?.spareConnections(at: .now) ?? 0
  }

  /// Ends every transfer and then the client's thread, and waits until both have ended. Every later
  /// call returns at once. A call from a sink does not wait, because it runs on the thread that
  /// would have to end.
  package func shutDown() {
    inbox.close()
    multi.wake()
    let ended = thread.withLock { thread in
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
      // Other threads handle signals. A closed TLS connection must not raise SIGPIPE here.
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
