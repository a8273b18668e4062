import Glibc

/// Runs `body` on a new detached thread with a small stack: each connection has its own thread.
///
/// Returns false if there are too many threads already.
@discardableResult
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  let work = Unmanaged.passRetained(ThreadWork(body))
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setstacksize(&attributes, 512 << 10)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var thread = pthread_t()
  let failure = pthread_create(
    &thread, &attributes,
    { argument in
      guard let argument else { return nil }
      Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().body()
      return nil
    }, work.toOpaque())
  pthread_attr_destroy(&attributes)
  if failure != 0 { work.release() }
  return failure == 0
}

private final class ThreadWork: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}
