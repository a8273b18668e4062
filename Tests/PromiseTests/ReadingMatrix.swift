import TestSupport

/// Copies of many files of one mount, by many programs.
struct ReadingMatrix {
  /// The past of the mount before it is read.
  enum Past: CaseIterable {
    case nothing, opened, listed, killed, stateLost, cleared
  }

  static let sizes = [1, 64 << 10, 400_000, 512 << 10, 512 << 10 + 1, 5_000_000]

  let claim: Claim
  let past: Past
  let cells: [(program: CopyingProgram, size: Int)]
  private let feed: MountedFeed

  /// - Parameter trial: 0 to 35: each past with each claim. The trials divisible by three alone
  ///   cover each past and each claim twice.
  init(_ trial: Int) throws {
    let (round, part) = (trial / 3, trial % 3)
    past = Past.allCases[round % 6]
    claim = Claim.allCases[(round % 6 + round / 6 * 3 + part) % 6]
    cells = CopyingProgram.allCases.filter(\.isInstalled).enumerated().flatMap { row, program in
      Self.sizes.enumerated().compactMap { column, size in
        Scale.isFull || (row + column + round) % 3 == 0 ? (program, size) : nil
      }
    }
    feed = try MountedFeed()
    try feed.serve(
      cells.enumerated().map { [claim] index, cell in
        PatternFile(name: "a\(index)", size: cell.size, seed: UInt64(cell.size), claim: claim)
      })
    for size in Set(cells.map(\.size)) {
      let file = PatternFile(name: "truth", size: size, seed: UInt64(size))
      let outcome = try ChildProcess.run(
        ["curl", "-sf", "-o", "\(feed.folder)/truth-\(size)", feed.origin.url(file.path)])
      guard outcome.status == 0 else { throw TestToolError("no truth: \(outcome.err)") }
    }
    try feed.mount()
  }

  /// Gives the mount its past.
  func prepare() throws {
    switch past {
    case .nothing: break
    case .opened: try readHeads()
    case .listed: try list()
    case .killed:
      // The first file was read about a second before the kill, the last one an instant before.
      try readHeads()
      try feed.kill()
      try feed.mount()
    case .stateLost:
      try readHeads()
      try feed.unmount()
      _ = try ChildProcess.run(["rm", "-rf", feed.folder + "/state"])
      try feed.mount()
      try list()
    case .cleared:
      try readHeads()
      let outcome = try feed.cache(["clear"] + cells.indices.map { feed.path($0 + 1) })
      guard outcome.status == 0 else { throw TestToolError("not cleared: \(outcome.err)") }
    }
  }

  /// Returns a line for each copy: its program, its size, and whether it is whole.
  func copyAll() throws -> [String] {
    let script = cells.enumerated().map { index, cell in
      """
      set -- "\(feed.path(index + 1))" "\(feed.folder)/copy"
      \(cell.program.command)
      if [ $? != 0 ]; then verdict=error
      elif cmp -s "$2" "\(feed.folder)/truth-\(cell.size)"; then verdict=whole
      else verdict="wrong, $(stat -c %s "$2") bytes"; fi
      echo "\(cell.program) \(cell.size) $verdict"; rm -f "$2"
      """
    }.joined(separator: "\n")
    let outcome = try ChildProcess.run(["sh", "-c", script], timeout: .seconds(300))
    return outcome.out.split(separator: "\n").map(String.init)
  }

  private func readHeads() throws {
    let outcome = try ChildProcess.run(
      ["sh", "-c", "for f; do head -c 300000 \"$f\" >/dev/null || exit; done", "sh"]
        + cells.indices.map { feed.path($0 + 1) }, timeout: .seconds(60))
    guard outcome.status == 0 else { throw TestToolError("no heads: \(outcome.err)") }
  }

  private func list() throws {
    _ = try ChildProcess.run(["ls", "-l", feed.mountPoint])
  }
}
