import Glibc
import TestSupport

/// The control socket of the mount.
extension MountedFeed {
  var socket: String {
    get throws {
      let names = try ChildProcess.run(["ls", folder + "/run/feedfs"]).out.split(separator: "\n")
      return folder + "/run/feedfs/" + (names.first.map(String.init) ?? "none")
    }
  }

  /// Returns the answer of the socket, asked as any program may ask.
  func ask(_ method: String, _ target: String) throws -> String {
    try ChildProcess.run([
      "curl", "-s", "-m", "10", "-X", method, "--unix-socket", socket, "http://localhost" + target,
    ]).out
  }

  /// Kills the daemon with SIGKILL, and the helper that would take down the dead mount.
  func killWithoutATrace() throws {
    for helper in try helpers() { Glibc.kill(helper, SIGKILL) }
    try process.signal(SIGKILL)
    _ = try process.wait(timeout: .seconds(10))
  }

  /// The children of the daemon. One of them takes down the mount of a dead daemon.
  func helpers() throws -> [pid_t] {
    let helpers = try ChildProcess.run(["pgrep", "-P", "\(try process.pid)"]).out
    return helpers.split(separator: "\n").compactMap { pid_t($0) }
  }

  /// Kills the daemon at once, without a search for its `helpers`, and removes the dead mount.
  func kill(with helpers: [pid_t]) throws {
    try process.signal(SIGKILL)
    for helper in helpers { Glibc.kill(helper, SIGKILL) }
    _ = try process.wait(timeout: .seconds(10))
    detach()
  }
}
