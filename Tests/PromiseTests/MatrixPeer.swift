import Glibc
import TestSupport

/// Another program that shows remote files as local ones, under the same faults.
enum MatrixPeer: String, CaseIterable, Sendable {
  case rclone, httpdirfs

  /// The command that mounts the listing at `url`, and stays in the foreground.
  func command(_ url: String, at mountPoint: String, cache: String) -> [String] {
    switch self {
    case .rclone:
      [
        "rclone", "mount", "--config", "", "--http-url", url, "--read-only", "--vfs-cache-mode",
        "full", "--cache-dir", cache, ":http:", mountPoint,
      ]
    case .httpdirfs:
      ["httpdirfs", "-f", "--cache", "--cache-location", cache, url, mountPoint]
    }
  }
}

/// A peer's mount with one film, whose answers have one fault.
final class PeerTrial {
  enum Verdict: String, CaseIterable {
    case right, error, wrong, hung, lost
  }

  /// The longest time that a reader may wait, in seconds; the peers have no such limit.
  private static let timeout = 60

  private let folder: String
  private let daemon: ChildProcess
  private let reader: ChildProcess

  /// - Parameter number: unique among the trials at this origin.
  init(
    _ peer: MatrixPeer, _ fault: MatrixFault, _ stay: MatrixStay, number: Int, origin: OriginProcess
  ) throws {
    folder = try makeTemporaryFolder("peer")
    for name in ["mount", "cache"] { mkdir(folder + "/" + name, 0o755) }
    let path = "/pattern/\(peer)\(number)/"
    // One peer asks for the folder with its slash, the other without.
    for place in [path, String(path.dropLast())] {
      try origin.put(
        "<html><body><a href=\"film.mp4\">film.mp4</a></body></html>", at: place, type: "text/html")
    }
    let (mountPoint, cache) = (folder + "/mount", folder + "/cache")
    daemon = try ChildProcess(
      peer.command(origin.url(path), at: mountPoint, cache: cache), environment: ["HOME": folder])
    let film = mountPoint + "/film.mp4"
    guard
      try eventually(
        within: .seconds(30),
        {
          try ChildProcess.run(["timeout", "10", "stat", film], timeout: .seconds(30)).status == 0
        }
      )
    else { throw TestToolError("\(peer) is not there: \(daemon.errors.text)") }

    var parameters = fault.parameters
    let there = "/pattern/there.mp4?size=\(MatrixMount.size)&seed=0"
    parameters["to"] = parameters["to"].map { $0 == "{there}" ? there : $0 }
    try origin.fault(
      fault.kind, below: path + "film", times: stay.rawValue, after: fault.isInBody ? 0 : nil,
      offset: MatrixPlace.block.rawValue, parameters)
    reader = try ChildProcess(["timeout", "-s", "KILL", "\(Self.timeout)", "cat", film])
  }

  deinit {
    daemon.killGroup()
    _ = daemon.wait(timeout: .seconds(10))
    _ = try? ChildProcess.run(["fusermount3", "-uqz", folder + "/mount"])
    _ = try? ChildProcess.run(["rm", "-rf", "--one-file-system", folder])
  }

  func verdict(_ fault: MatrixFault) throws -> Verdict {
    let status = reader.wait(timeout: .seconds(Self.timeout + 5))
    let bytes = reader.output.bytes
    let truths = (0..<(fault.truth == .first ? 1 : 2)).map {
      Pattern.bytes(0..<min(bytes.count, MatrixMount.size), seed: $0)
    }
    let isTrue = fault.truth == .mixed || truths.contains(bytes)
    let list = try ChildProcess(["timeout", "-s", "KILL", "10", "ls", folder + "/mount"])
    let isThere = list.wait(timeout: .seconds(15)) == 0
    if !isTrue { return .wrong }
    if status == 0, bytes.count != MatrixMount.size { return .wrong }
    if !isThere { return .lost }
    guard let status, status != 137 else { return .hung }
    return status == 0 ? .right : .error
  }
}
