import TestSupport
import Testing

extension Promises {
  /// The first read of a new mount.
  @Suite(.timeLimit(.minutes(10))) struct FreshMountTests {
    /// 60 trials of each with full counts, else 6.
    @Test(arguments: Scale.trials(6, of: 60), [false, true])
    func theHeadOfAFileIsThereAtOnce(trial: Int, isBusy: Bool) throws {
      let feed = try MountedFeed()
      let claim = [Claim.none, .zero, .one][trial % 3]
      let size = [300_001, 400_000, 512 << 10][trial / 3 % 3]
      try feed.serve([PatternFile(name: "a", size: size, claim: claim)])
      // Keeps both cores busy.
      let others = try (0..<(isBusy ? 2 : 0)).map { _ in
        try ChildProcess(["sh", "-c", "while :; do :; done"])
      }
      try feed.mount()
      let outcome = try ChildProcess.run(
        ["sh", "-c", "head -c 300000 \"$1\" | wc -c", "sh", feed.path(1)])
      #expect(outcome.out == "300000\n", "\(outcome.err)")
      for other in others { other.killGroup() }
      print("fresh mounts, busy \(isBusy): 1")
    }
  }
}
