import Testing

/// The planner on lines whose connections start slowly: long ones, and thin ones.
@Suite(.timeLimit(.minutes(1)))
struct SlowLineTests {
  /// Sizes are for about ten seconds.
  @Test(arguments: [
    (milliseconds: 5, rate: 1e6, size: 10), (5, 5e6, 50), (50, 1e6, 10), (50, 5e6, 50),
    (150, 1e6, 10), (150, 5e6, 50), (300, 1e6, 10), (300, 5e6, 40),
  ])
  func aThinLineThatStartsSlowlyIsAsFastAsOneConnection(
    milliseconds: Int, rate: Double, size: Int
  ) {
    let line = PlannerRun.Line(
      latency: .milliseconds(milliseconds), rate: .infinity, total: rate, startsSlowly: true)
    var run = PlannerRun(length: size * 1_000_000, line: line, seed: 1)
    run.packet = 4 << 10
    let start = run.now
    run.opens(.copying, reads: size * 1_000_000)
    run.run()

    let share = SimulatedConnection.time(for: size * 1_000_000, over: line) / (run.now - start)
    #expect(run.complaint == nil)
    #expect(share >= 0.97, "\(share), \(run.requests) requests, \(run.maxAtOnce) at once")
  }

  /// An origin that limits each connection, at the end of a wide line.
  @Test(
    arguments: [(milliseconds: 5, rate: 0.5e6), (50, 0.5e6), (150, 0.5e6), (150, 2e6), (150, 5e6)])
  func aCopyGetsMoreLanesAlsoWhereConnectionsStartSlowly(
    milliseconds: Int, rate: Double
  ) {
    let line = PlannerRun.Line(
      latency: .milliseconds(milliseconds), rate: rate, total: 1e12,
      startsSlowly: milliseconds > 5)
    let length = Int(60 * rate)
    var run = PlannerRun(length: length, line: line, seed: 1)
    run.packet = 4 << 10
    let start = run.now
    run.opens(.copying, reads: length)
    run.run()

    let reached = Double(length) / ((run.now - start) / .seconds(1)) / rate
    #expect(run.complaint == nil)
    #expect(reached >= 2, "\(reached) of a lane, \(run.maxAtOnce) at once")
  }

  /// nginx with `limit_rate 150k`, and a film of 332 KB/s: one connection is too slow for it.
  @Test(arguments: [1, 50]) func aFilmThatOneConnectionIsTooSlowForPlaysOn(milliseconds: Int) {
    let line = PlannerRun.Line(
      latency: .milliseconds(milliseconds), rate: 150 * 1024, total: 1e12)
    var run = PlannerRun(length: 96 << 20, line: line, seed: 1)
    run.packet = 4 << 10
    // The player fills its buffer of ten seconds before it begins.
    run.opens(.copying, reads: 3_320_000)
    run.run()
    run.opens(.playing, rate: 332e3, at: 3_320_000, reads: 60 << 20)
    var waited = Duration.zero
    run.runWatching { waited = max(waited, $0.readers.first?.waited ?? .zero) }
    #expect(run.complaint == nil)
    #expect(waited <= .seconds(10), "\(waited)")
    print("a slow film: waited \(waited), \(run.requests) requests, \(run.maxAtOnce) at once")
  }

  /// A film of 5 Mbit/s on a line of 6. The shortest line is full after the first ten packets,
  /// so nothing shows that a trial of more lanes should wait.
  @Test(arguments: [5, 50, 150, 300])
  func aFilmOnAThinLineThatStartsSlowlyBeginsAsSoonAsOverOneConnection(milliseconds: Int) {
    let line = PlannerRun.Line(
      latency: .milliseconds(milliseconds), rate: .infinity, total: 750e3, startsSlowly: true)
    var run = PlannerRun(length: 64 << 20, line: line, seed: 1)
    run.packet = 4 << 10
    let begin = SimulatedConnection.time(for: 1_250_000, over: line)
    // The player has two seconds ahead when it begins, and then reads at the film's own rate.
    run.opens(.copying, reads: 1_250_000)
    let start = run.now
    run.run()
    let begun = run.now - start
    let trial = Duration.milliseconds(milliseconds < 50 ? 300 : 200)
    #expect(begun <= begin + line.latency + trial, "\(begun), \(begin)")
    run.opens(.playing, rate: 625e3, at: 1_250_000, reads: 16 << 20)
    var waited = Duration.zero
    run.runWatching { waited = max(waited, $0.readers.first?.waited ?? .zero) }
    #expect(waited <= .seconds(2), "\(waited)")
  }
}
