import Blocks
import Testing

@testable import Streaming

/// The number of concurrent fetches of one file.
@Suite(.timeLimit(.minutes(1)))
struct LanesTests {
  /// A network link: each connection brings `rate` bytes a second, all together at most `total`.
  struct Line: Sendable {
    let rate: Double
    let total: Double

    /// Lets `lanes` bring bytes for `duration` to a reader that always waits.
    func carry(
      _ lanes: inout Lanes, for duration: Duration, from start: Duration = .zero,
      watch: (Duration, Int) -> Void = { _, _ in }
    ) {
      let step = Duration.milliseconds(5)
      var now = start
      while now < start + duration {
        now += step
        let bytes = min(rate * Double(lanes.count), total) * 0.005
        _ = lanes.arrived(Int(bytes), streaming: lanes.count, at: now)
        lanes.readerWaits(most: 4, at: now)
        watch(now, lanes.count)
      }
    }
  }

  @Test func aReaderWhoIsFasterThanItsConnectionsGetsFour() {
    var lanes = Lanes()
    Line(rate: 20e6, total: .infinity).carry(&lanes, for: .milliseconds(200))

    #expect(lanes.count == 4)
  }

  @Test func oneIsEnoughWhereNobodyWaits() {
    var lanes = Lanes()
    for millisecond in 0..<1_000 {
      _ = lanes.arrived(20_000, streaming: 1, at: .milliseconds(millisecond))
    }

    #expect(lanes.count == 1)
  }

  @Test func whatSharesASlowLineIsOneAgain() {
    var lanes = Lanes()
    Line(rate: .infinity, total: 2e6).carry(&lanes, for: .seconds(9))

    #expect(lanes.count == 1)
  }

  @Test func aFastLineIsNoFasterWithMore() {
    var lanes = Lanes()
    Line(rate: 400e6, total: .infinity).carry(&lanes, for: .seconds(1))

    #expect(lanes.count == 1)
  }

  @Test func itIsTriedAgainWhetherMoreHelp() {
    var lanes = Lanes()
    Line(rate: .infinity, total: 2e6).carry(&lanes, for: .seconds(2))
    Line(rate: 2e6, total: .infinity).carry(&lanes, for: .seconds(15), from: .seconds(2))

    #expect(lanes.count == 4)
  }

  @Test func aTrialThatFailedIsRepeatedLessAndLess() {
    var lanes = Lanes()
    var trials: [Duration] = []
    let line = Line(rate: .infinity, total: 8e6)
    for second in 0..<150 {
      line.carry(&lanes, for: .milliseconds(990), from: .seconds(second)) { now, count in
        if count > 1, now - (trials.last ?? .seconds(-9)) > .seconds(5) { trials.append(now) }
      }
    }

    let pauses = zip(trials, trials.dropFirst()).map { Int((($1 - $0) / .seconds(1)).rounded()) }
    #expect(pauses == [10, 20, 40, 80] || pauses == [10, 20, 40], "\(pauses)")
  }

  @Test func aLineThatIsKnownToBeCappedIsHelpedAtOnce() {
    var lanes = Lanes()
    lanes.began(after: .milliseconds(50))
    lanes.ended(512 << 10, in: .milliseconds(26), streaming: 0)
    lanes.readerWaits(most: 4, at: .milliseconds(80))

    #expect(lanes.count == 4)
  }

  @Test(arguments: [1e6, 200e6]) func aSlowLineAndAFastOneAreNot(rate: Double) {
    var lanes = Lanes()
    lanes.ended(512 << 10, in: .seconds(Double(512 << 10) / rate), streaming: 0)
    lanes.readerWaits(most: 4, at: .seconds(1))

    #expect(lanes.count == 1)
  }

  @Test func afterASeekThereIsOne() {
    var lanes = Lanes()
    Line(rate: 20e6, total: .infinity).carry(&lanes, for: .milliseconds(200))
    lanes.reset()

    #expect(lanes.count == 1)
  }

  @Test func theNextIsDueWhenAsMuchIsLeftAsComesInARoundTrip() throws {
    var lanes = Lanes()
    #expect(lanes.overlap == nil)
    lanes.began(after: .milliseconds(50))
    lanes.ended(8_000_000, in: .milliseconds(400), streaming: 0)

    #expect(abs(try #require(lanes.overlap) - 1_000_000) < 1_000)
  }
}
