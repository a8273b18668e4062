import Glibc
import TestSupport

/// What the origin has, what a reader gets, and what that cost.
extension MountedFeed {
  /// SHA-256 of a file, as another program reads it.
  func digest(of path: String) throws -> String {
    let outcome = try ChildProcess.run(asUser(["sha256sum", path]), timeout: .seconds(60))
    guard outcome.status == 0 else { throw TestToolError("not read: \(outcome.err)") }
    return String(outcome.out.prefix(64))
  }

  /// SHA-256 of what the origin has, asked without the mount; its log is empty afterwards.
  func truth(of file: PatternFile) throws -> String {
    let outcome = try ChildProcess.run(
      ["sh", "-c", "curl -sf '\(origin.url(file.path))' | sha256sum"], timeout: .seconds(60))
    try origin.wait(idle: true)
    try origin.reset()
    return String(outcome.out.prefix(64))
  }

  /// Bytes of entries that the origin has sent.
  func mediaBytes() throws -> Int {
    try mediaRequests().reduce(0) { $0 + $1.bytesSent }
  }

  /// Waits until every request for bytes of entries has ended.
  func settle() throws {
    for path in ["/pattern/", "/files/"] { try origin.wait(idle: true, below: path) }
  }

  /// The names of the mount's root, as the kernel gives them.
  func names() throws -> [String] {
    let outcome = try ChildProcess.run(asUser(["ls", "-f", mountPoint]), timeout: .seconds(30))
    return outcome.out.split(separator: "\n").map(String.init).filter { !$0.hasPrefix(".") }
  }
}

/// Whether mounts can be made here.
let canMount = access("/dev/fuse", R_OK | W_OK) == 0

/// Whether a program is there to be tested with.
func isInstalled(_ program: String) -> Bool {
  let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
  return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
}

/// How long something takes.
func measured(_ body: () throws -> Void) rethrows -> Duration {
  let start = ContinuousClock.now
  try body()
  return start.duration(to: .now)
}
