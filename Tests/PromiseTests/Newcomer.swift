import Glibc
import TestSupport

/// An ordinary user with an empty home, the built feedfs on the PATH, and an mpv without screen and
/// sound.
struct Newcomer {
  let feed: MountedFeed
  let user: OrdinaryUser
  /// The folder of this checkout.
  static let source = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  init() throws {
    user = try OrdinaryUser()
    feed = try MountedFeed(by: user)
    let folder = feed.folder + "/.config/mpv"
    _ = try ChildProcess.run(["mkdir", "-p", folder])
    let settings = "vo=null\\nao=null\\nuntimed=yes\\nmsg-level=all=error\\n"
    _ = try ChildProcess.run(["sh", "-c", "printf '\(settings)' > \(folder)/mpv.conf"])
    chmod(feed.folder, 0o755)
    try user.own([feed.folder + "/.config", folder])
  }

  /// Runs a line in a shell, as the user types it.
  func type(_ line: String) throws -> (status: Int32, out: String, err: String) {
    try ChildProcess.run(shell(line), environment: environment, timeout: .seconds(40))
  }

  func shell(_ line: String) -> [String] {
    user.run(["sh", "-c", line])
  }

  var environment: [String: String?] {
    let programs = user.feedfs.split(separator: "/").dropLast().joined(separator: "/")
    var environment: [String: String?] = [
      "HOME": feed.folder, "PATH": "/\(programs):/usr/bin:/bin", "LANG": "C.UTF-8",
    ]
    for name in ["RUNTIME_DIR", "CACHE_HOME", "STATE_HOME", "CONFIG_HOME"] {
      environment["XDG_" + name] = .some(nil)
    }
    return environment
  }
}
