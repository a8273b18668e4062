import Control
import Glibc
import HTTP
import Synchronization
import TestSupport

/// A feed that the built programs serve and mount. It is removed whatever the test does.
///
/// Everything lies in one new folder below the temporary directory. The daemon runs in the
/// foreground as a child, so no process outlives the test.
final class MountedFeed: Sendable {
  let folder: String
  let origin: OriginProcess
  /// The user who mounts and reads, if not the user of the tests.
  let user: OrdinaryUser?
  /// The network in which the daemon runs, if not this host's.
  let network: TestNetwork?
  private let daemon = Mutex<ChildProcess?>(nil)

  var mountPoint: String { folder + "/mount" }
  let cacheDirectory: String
  /// The folder that the origin serves below `/files/`, and lists in `/feed.xml`.
  var media: String { folder + "/media" }

  /// Makes the folder and starts the origin; mounts nothing yet.
  ///
  /// - Parameter other: the feed whose cache this one shares; nil: a cache of its own.
  init(
    by user: OrdinaryUser? = nil, in network: TestNetwork? = nil, originOptions: [String] = [],
    sharing other: MountedFeed? = nil
  ) throws {
    self.user = user
    self.network = network
    folder = try makeTemporaryFolder()
    cacheDirectory = other?.cacheDirectory ?? folder + "/cache"
    for name in ["mount", "media", "run"] { mkdir(folder + "/" + name, 0o755) }
    origin = try OriginProcess(root: folder + "/media", options: originOptions)
    try user?.own([folder, mountPoint, folder + "/run"])
  }

  deinit {
    daemon.withLock { $0?.killGroup() }
    detach()
    origin.stop()
    _ = try? ChildProcess.run(["rm", "-rf", "--one-file-system", folder], timeout: .seconds(60))
  }

  // MARK: The mount

  /// As `Drive.mount`.
  ///
  /// - Parameter tracer: the command that runs the daemon, in the daemon's own process.
  func mount(
    _ feed: String = "/feed", options: [String] = [], by tracer: [String]
  ) throws {
    let near = network.map { "http://\($0.near):\(origin.port)\(feed)" } ?? origin.url(feed)
    let words = ["--feed", feed.hasPrefix("/") ? near : feed] + Claim.options + options
    try start(words, by: tracer)
  }

  /// Mounts the feeds of the configuration file, unless `options` name others.
  ///
  /// - Parameter program: the feedfs that mounts, if not the built one.
  func mountSubscriptions(options: [String] = [], with program: String? = nil) throws {
    try start(options, with: program)
  }

  private func start(
    _ options: [String], by tracer: [String] = [], with program: String? = nil
  ) throws {
    var command = try command(["mount", mountPoint, "--foreground"] + options)
    if let program { command[0] = program }
    command = tracer + command
    let child = try ChildProcess(command, environment: environment)
    daemon.withLock { $0 = child }
    guard child.errors.wait(timeout: .seconds(20), until: { $0.contains("] mounted") }) else {
      throw TestToolError("not mounted: \(child.errors.text)")
    }
  }

  /// The daemon that serves the mount.
  var process: ChildProcess {
    get throws {
      guard let child = daemon.withLock({ $0 }) else { throw TestToolError("nothing is mounted") }
      return child
    }
  }

  /// Takes the mount down as users do, and waits for the daemon's end.
  func unmount() throws {
    let outcome = try feedfs("unmount", mountPoint)
    guard outcome.status == 0 else {
      throw TestToolError("not unmounted: \(outcome.err)\(try process.errors.text)")
    }
    _ = try process.wait(timeout: .seconds(10))
  }

  /// Kills the daemon with SIGKILL, and removes the dead mount.
  func kill() throws {
    // The daemon's helper might take the next mount for the dead one.
    try killWithoutATrace()
    detach()
  }

  func detach() {
    _ = try? ChildProcess.run(
      asUser(["fusermount3", "-uqz", mountPoint]), timeout: .seconds(10))
  }

  // MARK: Queries

  /// The status that the mount reports.
  ///
  /// Asks the socket, as the command does: tests ask many times, and each command takes some 30 ms
  /// to begin. The command is asked where nobody answers, for its reason.
  func status() throws -> MountStatus {
    let request = ControlRequest.status
    if let answer = try? LocalClient(socket: socket).ask(
      request.method, request.target, within: .seconds(30)), answer.status == 200,
      // Another mount may have its socket in the same folder.
      let status = try? Wire.decode(MountStatus.self, from: answer.body),
      status.mountPoint == mountPoint
    {
      return status
    }
    let outcome = try feedfs("status", mountPoint, "--json")
    guard outcome.status == 0 else { throw TestToolError("no status: \(outcome.err)") }
    return try Wire.decode(MountStatus.self, from: Array(outcome.out.utf8))
  }

  /// Runs the built `feedfs` with the directories of this test.
  func feedfs(_ arguments: String...) throws -> (status: Int32, out: String, err: String) {
    try ChildProcess.run(command(arguments), environment: environment, timeout: .seconds(30))
  }

  /// `command`, run by the user who mounts.
  func asUser(_ command: [String]) -> [String] {
    user?.run(command) ?? command
  }

  var environment: [String: String?] {
    var all: [String: String?] = [
      "XDG_CACHE_HOME": folder + "/cache-home", "XDG_STATE_HOME": folder + "/state",
      "XDG_RUNTIME_DIR": folder + "/run",
      "XDG_CONFIG_HOME": folder + "/.config",
      "HOME": folder,
    ]
    for name in ["http", "https", "all", "no"] {
      for name in [name + "_proxy", name.uppercased() + "_PROXY"] { all[name] = .some(nil) }
    }
    return all
  }

  // MARK: Private

  func command(_ arguments: [String]) throws -> [String] {
    var all = [try user?.feedfs ?? BuiltBinary.path("feedfs")] + arguments
    if arguments.first == "mount" { all += ["--cache-dir", cacheDirectory] }
    return network?.inside(all) ?? asUser(all)
  }
}

/// A file of generated content at the origin.
struct PatternFile: Sendable {
  var name: String
  var size: Int
  var seed: UInt64 = 1
  /// The length that the feed claims for the file, if not the true one.
  var announced: String?
  /// The address of the file, if not at the test's own origin.
  var url: String?
  /// The kind of length that the feed claims.
  var claim = Claim.current

  /// The length attribute of the enclosure.
  var length: String {
    announced.map { "length=\"\($0)\"" } ?? claim.attribute(of: size)
  }

  /// The path at any origin. Faults and versions are set by a prefix of it.
  var path: String {
    "/pattern/\(name).mp4?size=\(size)&seed=\(seed)"
  }
}
