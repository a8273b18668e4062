import TestSupport

/// A disk that hangs when a feed's cached bytes are read, but takes writes. Each such read of the
/// daemon waits before it is made, and its thread with it. All other threads go on.
final class HangingDisk: Sendable {
  private let tracer: AttachedTracer

  /// - Parameter feed: a mounted feed with something in its cache.
  init(under feed: MountedFeed) throws {
    let found = try ChildProcess.run(["find", feed.cacheDirectory, "-name", "*.data"])
    let files = found.out.split(separator: "\n").flatMap { ["-P", String($0)] }
    guard !files.isEmpty else { throw TestToolError("nothing is cached") }
    tracer = try AttachedTracer(
      to: feed, files + ["-e", "trace=pread64", "-e", "inject=pread64:delay_enter=600s"])
  }

  /// Lets all reads go on, also those that wait.
  func goOn() {
    tracer.detach()
  }
}
