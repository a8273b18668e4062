import Control
import Glibc
import Synchronization
import TestSupport

/// A feed that is served and mounted by the built programs, and taken away whatever the test does.
///
/// Everything lies in one new folder below the temporary directory; the daemon runs in the foreground
/// as a child, so that nothing outlives the test.
final class MountedFeed: Sendable {
  let folder: String
  let origin: OriginProcess
  /// Who mounts and reads, if not the user who runs the tests.
  let user: OrdinaryUser?
  /// Where the daemon runs, if not on this host.
  let network: TestNetwork?
  private let daemon = Mutex<ChildProcess?>(nil)

  var mountPoint: String { folder + "/mount" }
  let cacheDirectory: String
  /// What the origin has below `/files/`, and lists in `/feed.xml`.
  var media: String { folder + "/media" }

  /// The folder and the origin; nothing is mounted yet.
  ///
  /// - Parameter sharing: whose cache it has, for a feed of its own; nil: one of its own.
  init(
    by user: OrdinaryUser? = nil, in network: TestNetwork? = nil, originOptions: [String] = [],
    sharing other: MountedFeed? = nil
  ) throws {
    self.user = user
    self.network = network
    folder = try Self.makeFolder()
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

  // MARK: The feed

  /// What `files` of `Pattern` the feed is to have, as RSS at `/feed`; the first is `0001.mp4`.
  func serve(_ files: [PatternFile]) throws {
    let items = files.map { file in
      """
      <item><title>\(file.name)</title><guid isPermaLink="false">\(file.name)</guid>
      <pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate>
      <enclosure url="\(escaped(file.url ?? origin.url(file.path)))" \(file.length) type="video/mp4"/>
      </item>
      """
    }
    let feed = """
      <?xml version="1.0"?><rss version="2.0"><channel><title>test</title>
      \(items.joined())</channel></rss>
      """
    try origin.put(feed, at: "/feed", type: "application/rss+xml")
  }

  // MARK: The mount

  /// Mounts `feed` of the origin, or of any with a whole address; returns when the mount can be read.
  ///
  /// - Parameter tracer: what the daemon is run by, in its own process.
  func mount(
    _ feed: String = "/feed", options: [String] = [], by tracer: [String] = []
  ) throws {
    let near = network.map { "http://\($0.near):\(origin.port)\(feed)" } ?? origin.url(feed)
    try start(["--feed", feed.hasPrefix("/") ? near : feed] + options, by: tracer)
  }

  /// Mounts what the configuration file names.
  func mountSubscriptions() throws {
    try start([])
  }

  private func start(_ options: [String], by tracer: [String] = []) throws {
    let command = try tracer + command(["mount", mountPoint, "--foreground"] + options)
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

  /// `kill -9`, and the dead mount out of the way.
  func kill() throws {
    // Its helper might take the next mount for the dead one.
    try killWithoutATrace()
    detach()
  }

  private func detach() {
    _ = try? ChildProcess.run(
      asUser(["fusermount3", "-uqz", mountPoint]), timeout: .seconds(10))
  }

  // MARK: Looking

  func path(_ number: Int) -> String {
    let digits = String(number)
    return mountPoint + "/" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      + ".mp4"
  }

  /// What the mount says of itself.
  func status() throws -> MountStatus {
    let outcome = try feedfs("status", mountPoint, "--json")
    guard outcome.status == 0 else { throw TestToolError("no status: \(outcome.err)") }
    return try Wire.decode(MountStatus.self, from: Array(outcome.out.utf8))
  }

  /// Requests for the bytes of entries.
  func mediaRequests() throws -> [LoggedRequest] {
    try origin.log().filter { $0.path.hasPrefix("/pattern/") || $0.path.hasPrefix("/files/") }
  }

  /// Runs the built `feedfs` with the directories of this test.
  func feedfs(_ arguments: String...) throws -> (status: Int32, out: String, err: String) {
    try ChildProcess.run(command(arguments), environment: environment, timeout: .seconds(30))
  }

  /// `command`, run by who mounts.
  func asUser(_ command: [String]) -> [String] {
    user?.run(command) ?? command
  }

  var environment: [String: String?] {
    [
      "XDG_CACHE_HOME": folder + "/cache-home", "XDG_STATE_HOME": folder + "/state",
      "XDG_RUNTIME_DIR": folder + "/run",
      "XDG_CONFIG_HOME": folder + "/.config",
      "HOME": folder,
    ]
  }

  // MARK: Private

  private func escaped(_ url: String) -> String {
    url.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
  }

  func command(_ arguments: [String]) throws -> [String] {
    var all = [try user?.feedfs ?? BuiltBinary.path("feedfs")] + arguments
    if arguments.first == "mount" { all += ["--cache-dir", cacheDirectory] }
    return network?.inside(all) ?? asUser(all)
  }

  private static func makeFolder() throws -> String {
    var template = Array("/tmp/feedfs-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestToolError("no temporary folder") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A file of generated content at the origin.
struct PatternFile: Sendable {
  var name: String
  var size: Int
  var seed: UInt64 = 1
  /// What the feed says of its length, if not what is true.
  var announced: String?
  /// Where it is served, if not by the test's own origin.
  var url: String?
  /// How far what the feed says of its length is true.
  var claim = Claim.current

  /// The attribute of its enclosure.
  var length: String {
    announced.map { "length=\"\($0)\"" } ?? claim.attribute(of: size)
  }

  /// At any origin, below which faults and versions are set by prefix.
  var path: String {
    "/pattern/\(name).mp4?size=\(size)&seed=\(seed)"
  }
}
