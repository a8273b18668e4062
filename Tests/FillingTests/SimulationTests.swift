import Testing

@Suite(.timeLimit(.minutes(3)))
struct SimulationTests {
  /// 2,000 lives of 250 steps each; `Simulation(seed:)` repeats one of them.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func everythingHoldsWhateverHappens(batch: UInt64) {
    for seed in batch * 100..<(batch + 1) * 100 {
      let complaint = Simulation(seed: seed).run(steps: 250)

      #expect(complaint == nil)
    }
  }
}
