import Glibc
import TestSupport

/// strace(1) at a daemon that is at work: some of its calls to the system do not do what they should.
final class AttachedTracer: Sendable {
  /// Tracing processes that one did not start is root's.
  static let isThere = geteuid() == 0 && isInstalled("strace")

  private let tracer: ChildProcess

  /// Returns when it sees every thread.
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

  /// The calls do what they should again.
  func detach() {
    tracer.signal(SIGTERM)
    _ = tracer.wait(timeout: .seconds(10))
  }
}
