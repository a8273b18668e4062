import Glibc
import TestSupport

/// A line between two network namespaces, with real TCP, a round trip, a rate and a loss of its
/// own: `Benchmarks/line.c`.
///
/// The origin is at the far end, the daemon and other readers of the origin at the near one. The
/// namespaces end with the line.
final class Line: Sendable {
  /// The state of a line.
  struct Kind: Sendable, CustomStringConvertible {
    /// The round trip in milliseconds.
    let rtt: Int
    /// Bytes a second in each direction, headers included.
    let rate: Int
    /// The share of packets that are lost.
    var loss = 0.0
    /// The congestion control of both ends.
    var congestion = "cubic"

    var description: String { "\(rtt) ms, \(rate / 1000) kB/s, \(loss * 100) %, \(congestion)" }
  }

  /// The address of the far end.
  static let address = "10.215.0.1"
  static let programs: String = {
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/\(folder)/Benchmarks/"
  }()

  /// The reason why there can be no line; nil if there can.
  static let obstacle: String? = {
    guard geteuid() == 0 else { return "namespaces need root" }
    guard access("/dev/net/tun", R_OK | W_OK) == 0 else { return "there is no /dev/net/tun" }
    let missing = ["gcc", "nsenter", "curl", "python3"].filter { !isInstalled($0) }
    guard missing.isEmpty else { return "\(missing) are not installed" }
    do {
      _ = try Line(Kind(rtt: 5, rate: 1_000_000))
      return nil
    } catch {
      return "no line: \(error)"
    }
  }()

  private let folder: String
  private let keeper: ChildProcess
  private let far: String
  private let near: String

  init(_ kind: Kind) throws {
    folder = try makeTemporaryFolder()
    let program = folder + "/line"
    let built = try ChildProcess.run(
      ["gcc", "-O2", "-pthread", "-o", program, Self.programs + "line.c"], timeout: .seconds(60))
    guard built.status == 0 else { throw TestToolError("no line: \(built.err)") }
    // It ends after 120 s even if this process is stopped.
    keeper = try ChildProcess(
      [program, "\(kind.rtt)", "\(kind.rate)", "\(kind.loss)", "1", kind.congestion, "120"],
      keepsInputOpen: true)
    let isReady = keeper.output.wait(timeout: .seconds(20)) { $0.contains("\n") }
    let words = keeper.output.text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard isReady, words.count == 3 else { throw TestToolError("no line: \(keeper.errors.text)") }
    (far, near) = (words[1], words[2])
  }

  deinit {
    keeper.killGroup()
    _ = keeper.wait(timeout: .seconds(10))
    _ = try? ChildProcess.run(["rm", "-rf", folder])
  }

  /// The words before a command that put it at the near end.
  var atTheNearEnd: [String] { ["nsenter", "--net=\(near)"] }

  /// Makes a feed whose origin is at the far end. Its control requests need no line.
  func makeFeed() throws -> MountedFeed {
    let here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    guard here >= 0 else { throw TestToolError("no namespace of this thread") }
    defer { close(here) }
    let there = open(far, O_RDONLY | O_CLOEXEC)
    guard there >= 0 else { throw TestToolError("no far end") }
    defer { close(there) }
    // This thread's namespace is that of its children and of its sockets.
    try Self.enter(there)
    defer { try? Self.enter(here) }
    return try MountedFeed(originOptions: ["--address", "0.0.0.0"])
  }

  /// The address of a path of that feed, as the near end asks for it.
  func url(_ path: String, of feed: MountedFeed) -> String {
    "http://\(Self.address):\(feed.origin.port)\(path)"
  }

  private static func enter(_ namespace: Int32) throws {
    // setns(2), which glibc hides from Swift; 0: any kind of namespace.
    guard let setns = dlsym(nil, "setns"),
      unsafeBitCast(setns, to: (@convention(c) (Int32, Int32) -> Int32).self)(namespace, 0) == 0
    else { throw TestToolError("setns: \(String(cString: strerror(errno)))") }
  }
}
