import TestSupport
import Testing

extension Promises {
  /// A daemon that is killed at any time, whatever it does: no wrong byte, no changed name, and no
  /// second fetch of bytes that a reader had.
  @Suite(.timeLimit(.minutes(10))) struct RandomKillTests {
    /// A thousand kills with full counts.
    @Test(arguments: Scale.trials(12, of: 200)) func fiveKillsInARowCostNothing(seed: Int) throws {
      var life = try KilledLife(seed: seed)
      for kill in 1...5 {
        do {
          try life.live()
        } catch {
          throw TestToolError("seed \(seed), before kill \(kill): \(error)")
        }
      }
      try life.end()
      print("kills, seed \(seed): 5")
    }
  }
}
