import TestSupport

/// A mount with the films of many trials, and with one cached film. Each film has its own origin:
/// no trial waits for another's faults.
final class MatrixMount {
  static let size = 1 << 20
  /// The read timeout: three answers and the pauses behind them have room in it.
  static let readTimeout = Duration.seconds(5).option

  let feed: MountedFeed
  /// The cached file comes after all films: reading it preloads the files behind it, and the films
  /// must not be preloaded.
  private let pathOfKept: String

  /// - Parameter announced: the length that the feed claims for each film, if not the true one.
  init(films announced: [String?]) throws {
    // All of 127.0.0.0/8 is loopback, and an origin is a scheme, a host and a port.
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
      "--read-timeout", Self.readTimeout, "--allow-private", "127.0.0.0/8", "--sizes", "open",
    ])
    _ = try feed.bytes(of: pathOfKept)
  }

  /// The seed of a film's bytes. Another version of the film has the next seed.
  static func seed(of film: Int) -> UInt64 {
    10 + 10 * UInt64(film)
  }

  func path(of film: Int) -> String {
    feed.path(film + 1)
  }

  /// The path of a film at the origin, as a prefix of no other path.
  func prefix(of film: Int) -> String {
    "/pattern/t\(film)."
  }

  /// Reads the film to its end. The last line on stderr is the time taken, in milliseconds.
  func reader(of film: Int) throws -> ChildProcess {
    let program = """
      start=$(date +%s%N); timeout -s KILL 40 cat "$0"; status=$?; end=$(date +%s%N)
      echo $(((end - start) / 1000000)) >&2; exit $status
      """
    return try ChildProcess(["sh", "-c", program, path(of: film)])
  }

  /// The time to stat and read the cached file.
  func timeForOthers() throws -> Duration {
    let start = ContinuousClock.now
    let outcome = try ChildProcess.run(
      ["sh", "-c", "stat \"$0\" >/dev/null && exec cat \"$0\" >/dev/null", pathOfKept],
      timeout: .seconds(30))
    guard outcome.status == 0 else { throw TestToolError("others cannot read: \(outcome.err)") }
    return .now - start
  }
}
