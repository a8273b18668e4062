import TestSupport
import Testing

extension Promises {
  /// Whatever happens to the network: no byte is wrong, no reader hangs, and reading goes on by
  /// itself.
  @Suite(
    .timeLimit(.minutes(5)),
    .unless(TestNetwork.obstacle))
  struct NetworkFaultTests {
    /// All trials run at the same time, since most of them wait.
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
