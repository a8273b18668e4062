import TestSupport
import Testing

extension Promises {
  /// Whatever becomes of the network: no byte is wrong, nobody hangs, and it goes on by itself.
  @Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: TestNetwork.obstacle == nil, "\(TestNetwork.obstacle ?? "")"))
  struct NetworkFaultTests {
    /// All at the same time: most wait.
    @Test(arguments: [true, false]) func aReaderGetsItsBytesOrAnError(passes: Bool) throws {
      let trials = try NetworkFault.allCases.flatMap { fault in
        try fault.moments.map { try NetworkTrial(fault, $0, passes: passes) }
      }
      for trial in trials { try trial.begin() }
      for trial in trials { try trial.goOn() }
      for trial in trials { try trial.judge() }
    }
  }
}
