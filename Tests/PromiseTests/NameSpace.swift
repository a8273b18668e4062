import Glibc
import TestSupport

/// A mount with host names that a test sets: its own `/etc/hosts`, in its own mount namespace.
final class NameSpace {
  static let isPossible =
    geteuid() == 0 && ["unshare", "nsenter"].allSatisfy { isInstalled($0) }

  private let feed: MountedFeed
  private let keeper: ChildProcess
  private var daemon: ChildProcess?

  init(of feed: MountedFeed) throws {
    self.feed = feed
    try feed.write("", to: "hosts", mode: 0o644)
    let script = "mount --bind \(feed.folder)/hosts /etc/hosts; echo; exec cat"
    keeper = try ChildProcess(["unshare", "-m", "sh", "-ec", script], keepsInputOpen: true)
    guard keeper.output.wait(timeout: .seconds(20), until: { $0 == "\n" }) else {
      throw TestToolError("no namespace: \(keeper.errors.text)")
    }
  }

  deinit {
    end()
    keeper.killGroup()
    _ = keeper.wait(timeout: .seconds(10))
  }

  /// Sets the names from now on.
  func name(_ addresses: [(name: String, address: String)]) throws {
    // Writes into the same file, since that one is mounted.
    let lines = addresses.map { "\($0.address) \($0.name)\n" }.joined()
    let written = try ChildProcess.run(
      ["sh", "-c", "printf %s \"$1\" >\"$2\"", "sh", lines, feed.folder + "/hosts"])
    guard written.status == 0 else { throw TestToolError("no names: \(written.err)") }
  }

  func mount(allowing block: String) throws {
    let child = try ChildProcess(
      inside([
        BuiltBinary.path("feedfs"), "mount", feed.mountPoint, "--foreground", "--feed",
        feed.origin.url("/feed"), "--allow-private", block, "--read-timeout", "15",
        "--cache-dir", feed.cacheDirectory,
      ]), environment: feed.environment)
    daemon = child
    guard child.errors.wait(timeout: .seconds(20), until: { $0.contains("] mounted") }) else {
      throw TestToolError("not mounted: \(child.errors.text)")
    }
  }

  /// Whether a film can be read to its end.
  func isRead(_ number: Int) throws -> Bool {
    let reader = try ChildProcess(inside(["cat", feed.path(number)]))
    guard let status = reader.wait(timeout: .seconds(40)) else {
      throw TestToolError("a reader hangs")
    }
    return status == 0 && !reader.output.bytes.isEmpty
  }

  /// Takes the mount down.
  func end() {
    daemon?.terminate()
    _ = daemon?.wait(timeout: .seconds(20))
    daemon = nil
  }

  private func inside(_ command: [String]) -> [String] {
    ["nsenter", "--mount=/proc/\(keeper.pid)/ns/mnt"] + command
  }
}
