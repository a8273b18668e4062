import Blocks
import TestSupport
import Testing

@testable import Streaming

/// The planner's cost and throughput, on all kinds of network links and readers.
@Suite(.timeLimit(.minutes(3)))
struct PlannerTests {
  /// 10,000 runs: all kinds of readers, alone or together, on links of 1 to 300 ms and 0.2 to 100
  /// MB/s that stall and change.
  @Test(arguments: 0..<UInt64(Figure.plans.count / 500))
  func whateverHappensItCostsNoMoreThanItMay(batch: UInt64) {
    for seed in batch * 500..<(batch + 1) * 500 {
      var run = Self.anyRun(seed: seed)
      run.run()

      #expect(run.complaint == nil, "seed \(seed)")
      #expect(run.fetched <= run.bound, "seed \(seed): \(run.fetched) of \(run.bound)")
      let requests = 2 * run.runs + run.fetched / (256 << 10) + 4
      #expect(run.requests <= requests, "seed \(seed): \(run.requests) of \(requests)")
      let perReader = FillRules().maxLanes + 1
      #expect(run.maxAtOnce <= perReader * 3, "seed \(seed): \(run.maxAtOnce) at once")
    }
  }

  @Test func theCostIsThePromisedOne() {
    let rules = FillRules()
    #expect(rules.maxLanes == Figure.lanes.count)
    #expect(1 + 2 * rules.maxLanes == Figure.readAheadCost.count)
    #expect(rules.maxAhead == Figure.maxAhead.bytes)
  }

  /// `share` is the least part of the rate of one connection, or of four where one is too slow.
  @Test(arguments: [
    (milliseconds: 5, rate: 20e6, total: 1e12, share: 0.9), (50, 20e6, 1e12, 0.85),
    (300, 20e6, 1e12, 0.5), (50, 2e6, 1e12, 0.85), (300, 2e6, 1e12, 0.8), (50, 2e6, 2e6, 0.9),
    (300, 1e6, 1e6, 0.85), (20, 50e6, 100e6, 0.85), (1, 1e9, 1e9, 0.9),
  ])
  func aCopyIsNearlyAsFastAsItsLine(
    milliseconds: Int, rate: Double, total: Double, share: Double
  ) {
    let length = 512 << 20
    let line = PlannerRun.Line(
      latency: .milliseconds(milliseconds), rate: rate, total: total)
    var run = PlannerRun(length: length, line: line, seed: 1)
    let start = run.now
    run.opens(.copying, reads: length)
    run.run()

    let most = rate > 100e6 ? rate : min(4 * rate, total)
    let reached = Double(length) / ((run.now - start) / .seconds(1)) / most
    #expect(run.complaint == nil)
    #expect(reached >= share, "\(reached)")
    // A fetch that continues a cancelled answer compares its last bytes, which come twice.
    #expect((length...length + 4096 * run.requests).contains(run.fetched))
    #expect(run.requests <= 100, "\(run.requests)")
    #expect(run.maxAtOnce <= Figure.lanes.count)
  }

  @Test(arguments: [5, 50, 300], [250e3, 1e6, 2.5e6])
  func aPlayerOnALineThatIsFastEnoughNeverStops(milliseconds: Int, rate: Double) {
    let line = PlannerRun.Line(
      latency: .milliseconds(milliseconds), rate: 1.5 * rate, total: 1.5 * rate)
    var run = PlannerRun(length: 256 << 20, line: line, seed: 1)
    run.opens(.playing, rate: rate, reads: 64 << 20)
    var waited = Duration.zero
    run.runWatching { waited = max(waited, $0.readers.first?.waited ?? .zero) }

    // The player waits for its first bytes until it is far enough ahead; its own buffer holds two
    // seconds.
    #expect(waited <= .seconds(2), "\(waited)")
  }

  @Test func aStallThatIsShorterThanTheWindowIsNotSeen() {
    let line = PlannerRun.Line(latency: .milliseconds(50), rate: 4e6, total: 4e6)
    var run = PlannerRun(length: 512 << 20, line: line, seed: 1)
    run.opens(.playing, rate: 1e6, reads: 128 << 20)
    run.stalls = [(at: run.now + .seconds(60), duration: .seconds(25))]
    var before = Duration.zero
    var after = Duration.zero
    let end = run.now + .seconds(59)
    run.runWatching { run in
      guard let waited = run.readers.first?.waited else { return }
      if run.now < end { before = waited }
      after = waited
    }

    #expect(after == before)
  }

  @Test func eightWhoLookAtTheHeadCostOneRequest() {
    let line = PlannerRun.Line(latency: .milliseconds(50), rate: 20e6, total: 80e6)
    var run = PlannerRun(length: 512 << 20, line: line, seed: 1)
    for _ in 0..<8 { run.opens(.looking, reads: 256 << 10) }
    run.run()

    #expect(run.requests == 1)
    #expect(run.fetched <= 512 << 10)
  }

  @Test func aSlowLineThatIsSharedIsNotCutUp() {
    let line = PlannerRun.Line(latency: .milliseconds(30), rate: 1e6, total: 1e6)
    var run = PlannerRun(length: 64 << 20, line: line, seed: 1)
    run.opens(.playing, rate: 0.9e6, reads: 32 << 20)
    var waited = Duration.zero
    run.runWatching { waited = max(waited, $0.readers.first?.waited ?? .zero) }

    #expect(waited <= .seconds(2), "\(waited)")
  }

  private static func anyRun(seed: UInt64) -> PlannerRun {
    var random = SeededRandom(seed: seed)
    var run = PlannerRun(
      length: (1 + random.below(128)) << 18, line: anyLine(&random), seed: seed)
    for _ in 0..<(random.chance(70) ? 1 : 2 + random.below(2)) {
      let style = PlannerRun.Style.allCases[random.below(4)]
      let reads =
        style == .looking
        ? 1 + random.below(256 << 10) : random.below(random.chance(10) ? 16 << 20 : 3 << 20)
      run.opens(
        style, rate: Double(100 + random.below(5_000)) * 1e3,
        at: random.chance(70) ? 0 : random.below(256) << 10, reads: reads)
    }
    if random.chance(30) {
      run.stalls = [
        (run.now + .milliseconds(random.below(3_000)), .milliseconds(random.below(9_000)))
      ]
    }
    if random.chance(30) {
      run.change = (run.now + .milliseconds(random.below(2_000)), anyLine(&random))
    }
    return run
  }

  private static func anyLine(_ random: inout SeededRandom) -> PlannerRun.Line {
    let rate = Double(200 << random.below(10)) * 1e3
    return PlannerRun.Line(
      latency: .milliseconds(1 + random.below(300)), rate: rate,
      total: rate * Double(1 + random.below(8)))
  }
}
