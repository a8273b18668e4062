import TestSupport

/// A mount with the films of many trials, each at an origin of its own, so that none waits for what
/// was done to another; and with one that is cached.
final class MatrixMount {
  static let size = 1 << 20
  /// What a waiting read may wait, in seconds.
  static let readTimeout = 5

  let feed: MountedFeed
  /// Behind all films: what follows a file that is read is fetched, and none of theirs may be.
  private let pathOfKept: String

  /// - Parameter announced: what the feed says of each film's length, if not what is true.
  init(films announced: [String?]) throws {
    // Loopback is a whole network, and an origin is a scheme, a host and a port.
    feed = try MountedFeed(originOptions: ["--address", "0.0.0.0"])
    let kept = PatternFile(name: "kept", size: 256 << 10, seed: 1)
    pathOfKept = feed.path(announced.count + 1)
    let films = announced.enumerated().map { index, announced in
      var film = PatternFile(name: "t\(index)", size: Self.size, seed: Self.seed(of: index))
      film.announced = announced
      film.url = "http://127.1.\(index / 200).\(index % 200 + 1):\(feed.origin.port)\(film.path)"
      return film
    }
    try feed.serve(films + [kept])
    try feed.mount(options: [
      "--read-timeout", "\(Self.readTimeout)", "--allow-private", "127.0.0.0/8",
    ])
    _ = try feed.bytes(of: pathOfKept)
  }

  /// Another version of a film has the next seed.
  static func seed(of film: Int) -> UInt64 {
    10 + 10 * UInt64(film)
  }

  func path(of film: Int) -> String {
    feed.path(film + 1)
  }

  /// The films' path at the origin, as a prefix of nothing else.
  func prefix(of film: Int) -> String {
    "/pattern/t\(film)."
  }

  /// Reads it to its end; says on its last line of errors how many milliseconds that took.
  func reader(of film: Int) throws -> ChildProcess {
    let program = """
      start=$(date +%s%N); timeout -s KILL 40 cat "$0"; status=$?; end=$(date +%s%N)
      echo $(((end - start) / 1000000)) >&2; exit $status
      """
    return try ChildProcess(["sh", "-c", program, path(of: film)])
  }

  /// How long it takes to list the mount and to read what is cached.
  func timeForOthers() throws -> Duration {
    let start = ContinuousClock.now
    let outcome = try ChildProcess.run(
      ["sh", "-c", "stat \"$0\" >/dev/null && exec cat \"$0\" >/dev/null", pathOfKept],
      timeout: .seconds(30))
    guard outcome.status == 0 else { throw TestToolError("others cannot read: \(outcome.err)") }
    return .now - start
  }
}
