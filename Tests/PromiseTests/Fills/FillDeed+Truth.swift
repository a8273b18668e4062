import TestSupport

extension FillDeed {
  /// Checks that every file in a mount is the origin's, by its SHA-256.
  static func expectRight(in feed: MountedFeed) throws {
    let command = ["sha256sum"] + files.indices.map { feed.path($0 + 1) }
    let outcome = try ChildProcess.run(command, timeout: .seconds(60))
    let sums = outcome.out.split(separator: "\n").map { String($0.prefix(64)) }
    guard outcome.status == 0, try sums == truths.get() else {
      throw TestToolError("wrong: \(outcome.out)\(outcome.err)")
    }
  }

  /// The SHA-256 of each file, as the origin serves it.
  private static let truths = Result {
    let origin = try OriginProcess()
    return try files.map { file in
      let outcome = try ChildProcess.run(
        ["sh", "-c", "curl -sf '\(origin.url(file.path))' | sha256sum"], timeout: .seconds(60))
      return String(outcome.out.prefix(64))
    }
  }
}
