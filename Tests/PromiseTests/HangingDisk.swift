import TestSupport

/// A disk that hangs at one kind of system call of a daemon. Each such call waits before it is made,
/// and its thread with it. All other threads go on.
final class HangingDisk: Sendable {
  private let tracer: AttachedTracer

  /// - Parameters:
  ///   - feed: a mounted feed with something in its cache.
  ///   - call: the name of the system call, or several names.
  ///   - ofCached: whether only calls for files that are cached now hang.
  init(under feed: MountedFeed, at call: String, ofCached: Bool) throws {
    let found = try ChildProcess.run(["find", feed.cacheDirectory, "-name", "*.data"])
    let files = found.out.split(separator: "\n").flatMap { ["-P", String($0)] }
    guard !files.isEmpty else { throw TestToolError("nothing is cached") }
    tracer = try AttachedTracer(
      to: feed,
      (ofCached ? files : []) + ["-e", "trace=\(call)", "-e", "inject=\(call):delay_enter=600s"])
  }

  /// Lets all calls go on, also those that wait.
  func goOn() {
    tracer.detach()
  }
}
