import Glibc
import TestSupport
import Testing

/// The origin's bytes, the bytes that a reader gets, and their cost.
extension MountedFeed {
  /// SHA-256 of a file, as another program reads it.
  func digest(of path: String) throws -> String {
    let outcome = try ChildProcess.run(asUser(["sha256sum", path]), timeout: .seconds(60))
    guard outcome.status == 0 else { throw TestToolError("not read: \(outcome.err)") }
    return String(outcome.out.prefix(64))
  }

  /// SHA-256 of the origin's bytes, asked without the mount. Empties the origin's log.
  func truth(of file: PatternFile) throws -> String {
    let outcome = try ChildProcess.run(
      ["sh", "-c", "curl -sf '\(origin.url(file.path))' | sha256sum"], timeout: .seconds(60))
    try origin.wait(idle: true)
    try origin.reset()
    return String(outcome.out.prefix(64))
  }

  func names(in folder: String) throws -> [String] {
    let outcome = try ChildProcess.run(
      asUser(["ls", "-f", mountPoint + "/" + folder]), timeout: .seconds(30))
    return outcome.out.split(separator: "\n").map(String.init).filter { !$0.hasPrefix(".") }
  }

  /// The most bytes of memory that the daemon has taken so far, mapped pages included.
  func peakMemory() throws -> Int {
    let lines = contents(of: "/proc/\(try process.pid)/status").split(separator: "\n")
    let peak = lines.first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace)
    guard let peak, peak.count == 3, let count = Int(peak[1]) else {
      throw TestToolError("the kernel tells no peak memory")
    }
    return count << 10
  }

  /// Lets a program that is known to look at films open one, close it, open it again, and read it. A
  /// program is known by the name of its file.
  func openTwice(_ film: String) throws {
    let looker = folder + "/mediainfo"
    _ = try ChildProcess.run(["ln", "-s", "/bin/sh", looker])
    let script = "exec 3<\"$1\"; exec 3<&-; exec 3<\"$1\"; read -r line <&3"
    let outcome = try ChildProcess.run([looker, "-c", script, "sh", film])
    guard outcome.status == 0 else { throw TestToolError("not read: \(outcome.err)") }
  }
}

/// Whether this machine can make mounts.
let canMount = access("/dev/fuse", R_OK | W_OK) == 0

/// Whether a program is on the PATH.
func isInstalled(_ program: String) -> Bool {
  let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
  return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
}

/// Returns the time that `body` takes.
func measured(_ body: () throws -> Void) rethrows -> Duration {
  let start = ContinuousClock.now
  try body()
  return start.duration(to: .now)
}

extension Trait where Self == ConditionTrait {
  /// Skips a test where it has an obstacle, and says which. The obstacle is looked for only when the
  /// test is to run: a text in its place would be made in each process, for all tests.
  static func unless(_ obstacle: @autoclosure @escaping @Sendable () -> String?) -> Self {
    .enabled("something is missing here, as said before") {
      guard let obstacle = obstacle() else { return true }
      print("left out: \(obstacle)")
      return false
    }
  }
}
