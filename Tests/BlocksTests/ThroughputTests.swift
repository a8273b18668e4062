import Blocks
import Testing

struct ThroughputTests {
  /// Bytes at an even rate, from second `start` to `end`, a hundred times a second.
  private func steady(_ rate: Int, from start: Double = 0, to end: Double) -> Throughput {
    var throughput = Throughput()
    for step in 0..<Int((end - start) * 100) {
      throughput.arrived(rate / 100, at: .seconds(start) + .milliseconds(10 * step))
    }
    return throughput
  }

  @Test(arguments: [0.5, 1.0, 2.5, 4.0, 60.0]) func anEvenStreamHasItsRate(seconds: Double) {
    let rate = steady(1_000_000, to: seconds).rate(at: .seconds(seconds))

    #expect(abs(rate - 1_000_000) < 30_000, "\(rate)")
  }

  @Test func aSilentStreamSlowsDownAndStops() {
    let throughput = steady(1_000_000, to: 10)

    let rates = [10, 11, 12, 13, 14].map { throughput.rate(at: .seconds($0)) }
    #expect(rates == rates.sorted(by: >) && rates[4] == 0, "\(rates)")
    #expect(abs((throughput.latest ?? 0) - 1_000_000) < 30_000)
  }

  @Test func aStreamThatComesAgainIsNotMeasuredByItsPause() {
    var throughput = steady(1_000_000, to: 10)
    for step in 0..<100 { throughput.arrived(5_000, at: .seconds(100) + .milliseconds(10 * step)) }

    #expect(abs(throughput.rate(at: .seconds(101)) - 500_000) < 20_000)
  }

  @Test func aFirstPieceIsNoRate() {
    var throughput = Throughput()
    throughput.arrived(16_384, at: .seconds(5))

    #expect(throughput.latest == nil)
    #expect(throughput.rate(at: .seconds(5)) == 65_536)
  }
}
