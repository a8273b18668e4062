import Glibc

/// Starts a thread for calls that block, which tasks must not do.
package func startThread(_ body: @escaping @Sendable () -> Void) throws {
  let work = Unmanaged.passRetained(ThreadWork(body))
  var thread = pthread_t()
  let failure = pthread_create(
    &thread, nil,
    { argument in
      guard let argument else { return nil }
      Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().body()
      return nil
    }, work.toOpaque())
  guard failure == 0 else {
    work.release()
    throw TestToolError("pthread_create: \(String(cString: strerror(failure)))")
  }
  pthread_detach(thread)
}

private final class ThreadWork: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}
