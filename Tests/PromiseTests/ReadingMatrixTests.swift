import Glibc
import TestSupport
import Testing

extension Promises {
  /// A copy is whole or fails. It is never short and never padded, whatever lengths the feed
  /// claims.
  @Suite(.timeLimit(.minutes(10))) struct ReadingMatrixTests {
    /// 36 mounts with up to 90 copies each; without full counts 12 of them, with a third of the
    /// copies.
    @Test(arguments: Scale.trials(12, of: 36)) func everyCopyIsWhole(trial: Int) throws {
      let matrix = try ReadingMatrix(trial)
      try matrix.prepare()
      let outcomes = try matrix.copyAll()
      #expect(outcomes.count == matrix.cells.count)
      let others = outcomes.filter { !$0.hasSuffix(" whole") }
      #expect(others == [], "\(matrix.claim), \(matrix.past)")
      print("copies, \(matrix.claim), \(matrix.past): \(outcomes.count)")
    }

    /// The lengths of preloaded files are proved while the files are not open.
    @Test(arguments: [
      "cp -r \"$1\" \"$2\"", "rsync -rt \"$1/\" \"$2/\" >&2", "cp \"$1\"/0* \"$2\"",
    ])
    func aWholeMountIsCopiedRightAfterItWasMade(command: String) throws {
      guard !command.hasPrefix("rsync") || isInstalled("rsync") else { return }
      let feed = try MountedFeed()
      let files = (0..<5).map { PatternFile(name: "a\($0)", size: 300_000 + $0, claim: Claim.none) }
      try feed.serve(files)
      let truths = try files.map { try feed.truth(of: $0) }
      try feed.mount()
      let copy = feed.folder + "/copy"
      let script = "set -e; mkdir \"$2\"; \(command); cd \"$2\"; find . -name '0*.mp4' | sort | "
      let outcome = try ChildProcess.run(
        ["sh", "-c", script + "xargs sha256sum", "sh", feed.mountPoint, copy],
        timeout: .seconds(60))
      #expect(outcome.status == 0, "\(outcome.err)")
      let sums = outcome.out.split(separator: "\n").map { String($0.prefix(64)) }
      #expect(sums == truths)
    }
  }
}
