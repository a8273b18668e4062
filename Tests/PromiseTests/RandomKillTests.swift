import TestSupport
import Testing

extension Promises {
  /// A daemon that is killed at any time, whatever it is at: no wrong byte, no name that changes, and
  /// nothing fetched again that a reader had.
  @Suite(.timeLimit(.minutes(10))) struct RandomKillTests {
    /// With all of it a thousand kills.
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
