import Locks
package import SystemPackage

/// A request that comes from this process and not from the kernel. It needs no mount.
///
/// Safe from any thread. It has one lock, and takes no other lock while it holds that one. It gets
/// exactly one answer, from any thread.
package final class DirectRequest<Answer: Sendable>: Sendable {
  private struct State {
    var cancel: (@Sendable () -> Void)?
    var isCancelled = false
  }

  /// The name of the asking program, and its thread.
  let program: String
  let thread: Int32
  private let state = Locked(State())
  private let take: @Sendable (Result<Answer, Errno>) -> Void

  /// - Parameters:
  ///   - program: the name of the asking program.
  ///   - thread: the asking thread; 0 if it is unknown.
  ///   - take: receives the answer, on the thread that gives it.
  package init(
    by program: String = "", on thread: Int32 = 0,
    take: @escaping @Sendable (Result<Answer, Errno>) -> Void
  ) {
    self.program = program
    self.thread = thread
    self.take = take
  }

  /// Ends the waiting for the answer, as a signal does that ends the asking program. The request
  /// still gets an answer.
  package func cancel() {
    let cancel = state.withLock { state in
      state.isCancelled = true
      return state.cancel
    }
    cancel?()
  }

  /// Announces that the answer comes later. `cancel` is called if the request is cancelled.
  func park(cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancel = cancel
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  func answer(_ answer: Result<Answer, Errno>) {
    state.withLock { $0.cancel = nil }
    take(answer)
  }
}

/// The place from which a request came: the kernel, or this process.
///
/// This is an enum and not a protocol, for speed: each cached read of the kernel creates a value
/// and copies it.
enum RequestSource<Answer: Sendable>: Sendable {
  /// The kernel. `number` identifies the request in `ParkedRequests`, and `handle` identifies the
  /// open file.
  case kernel(Request, number: UInt, handle: UInt64)
  case direct(DirectRequest<Answer>)

  init(_ request: Request, of handle: UInt64 = 0) {
    self = .kernel(request, number: request.context.newNumber(), handle: handle)
  }

  var program: String {
    switch self {
    case .kernel(let request, _, _): request.context.names.program(of: request.caller.thread)
    case .direct(let request): request.program
    }
  }

  /// The arguments of the asking program.
  var arguments: [String] {
    switch self {
    case .kernel(let request, _, _): request.caller.arguments
    case .direct: []
    }
  }

  /// The names of the asking process and of its parent process.
  var processes: [String] {
    switch self {
    case .kernel(let request, _, _): request.caller.processes
    case .direct(let request): [request.program]
    }
  }

  /// True if the asking thread is in the middle of listing a folder.
  var isListing: Bool {
    switch self {
    case .kernel(let request, _, _): request.context.listing.contains(request.caller.thread)
    case .direct: false
    }
  }

  var thread: Int32 {
    switch self {
    case .kernel(let request, _, _): request.caller.thread
    case .direct(let request): request.thread
    }
  }

  /// Announces that the answer comes later, as `ReadReply.willWait` does.
  func willWait(
    for cause: String, story: @escaping @Sendable () -> String,
    silence: @escaping @Sendable () -> Duration?, cancel: @escaping @Sendable () -> Void
  ) -> Bool {
    switch self {
    case .kernel(let request, let number, let handle):
      return request.park(
        as: number, of: handle, for: cause, story: story, silence: silence, cancel: cancel)
    case .direct(let request):
      request.park(cancel: cancel)
      return true
    }
  }

  func fail(_ error: Errno) {
    switch self {
    case .kernel(let request, let number, _):
      request.context.parked.answered(number)
      request.fail(error)
    case .direct(let request): request.answer(.failure(error))
    }
  }
}
