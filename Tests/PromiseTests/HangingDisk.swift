import TestSupport

/// A disk that no longer answers who reads what a feed has cached, while it takes what is written: each
/// such call of the daemon waits before it is made, and its thread with it. All others go on.
final class HangingDisk: Sendable {
  private let tracer: AttachedTracer

  /// - Parameter feed: mounted, with something in its cache.
  init(under feed: MountedFeed) throws {
    let found = try ChildProcess.run(["find", feed.cacheDirectory, "-name", "*.data"])
    let files = found.out.split(separator: "\n").flatMap { ["-P", String($0)] }
    guard !files.isEmpty else { throw TestToolError("nothing is cached") }
    tracer = try AttachedTracer(
      to: feed, files + ["-e", "trace=pread64", "-e", "inject=pread64:delay_enter=600s"])
  }

  /// It answers again, also those who have waited.
  func goOn() {
    tracer.detach()
  }
}
