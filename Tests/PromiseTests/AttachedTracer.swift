import Glibc
import TestSupport

/// An strace(1) attached to a running daemon. It makes some of the daemon's system calls misbehave.
final class AttachedTracer: Sendable {
  /// Whether strace can attach: only root may trace processes that it did not start.
  static let isThere = geteuid() == 0 && isInstalled("strace")

  private let tracer: ChildProcess

  /// Attaches, and returns when strace sees every thread.
  init(to feed: MountedFeed, _ options: [String]) throws {
    tracer = try ChildProcess(
      ["strace", "-f", "-o", "/dev/null", "-p", "\(feed.process.pid)"] + options)
    guard tracer.errors.wait(timeout: .seconds(20), until: { $0.contains(" attached") }) else {
      throw TestToolError("strace does nothing: \(tracer.errors.text)")
    }
  }

  deinit {
    detach()
  }

  /// Lets the system calls behave again.
  func detach() {
    tracer.signal(SIGTERM)
    _ = tracer.wait(timeout: .seconds(10))
  }
}
