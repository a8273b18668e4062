import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct SecondAsksTests {
  private let begin = ContinuousClock.now

  private func at(_ seconds: Double) -> SecondAsks.Instant { begin + .seconds(seconds) }
  private func id(_ number: Int) -> TransferID { TransferID(number: number) }

  @Test(
    arguments: [
      (nil, 1.0), (0.01, 1.0), (0.25, 1.0), (0.5, 2.0), (1.0, 4.0), (1.5, 4.5), (3.0, 6.0),
    ] as [(Double?, Double)])
  func aHeadIsWaitedForFourTimesAsLongAsUsual(latency: Double?, timeout: Double) {
    var asks = SecondAsks()
    let usual = latency.map { Duration.seconds($0) }
    let limits = (
      (usual ?? .zero) * Figure.secondAskFactor.count, (usual ?? .zero) + Figure.secondAskMost.time
    )
    #expect(.seconds(timeout) == max(Figure.secondAskLeast.time, min(limits.0, limits.1)))
    asks.sent(id(1), at: at(0))

    #expect(asks.next(usually: usual, after: at(0)) == at(timeout))
    #expect(asks.due(usually: usual, at: at(timeout - 0.001)).isEmpty)
    #expect(asks.due(usually: usual, at: at(timeout)) == [id(1)])
    #expect(asks.due(usually: usual, at: at(timeout + 60)).isEmpty)
  }

  @Test func whatWasAnsweredIsNotAskedAgain() {
    var asks = SecondAsks()
    asks.sent(id(1), at: at(0))
    asks.settled(id(1))
    #expect(asks.next(usually: nil, after: at(0)) == nil)
    #expect(asks.due(usually: nil, at: at(60)).isEmpty)
  }

  @Test func nobodyIsLateWhileNobodyListens() {
    var asks = SecondAsks()
    asks.sent(id(1), at: at(0))
    asks.heldUp(at: at(5))
    #expect(asks.next(usually: nil, after: at(5)) == at(6))
  }

  /// At most 1 + n/10 of `n` requests are asked twice, whatever the origin does.
  @Test(arguments: 1...5) func oneInTenIsAskedASecondTime(seed: Int) {
    let share = Figure.secondAskShare.count
    var asks = SecondAsks()
    var random = Linear(seed: seed)
    var (requests, twice, worst, now) = (0, 0, 0, 0.0)
    for number in 0..<2000 {
      asks.started()
      requests += 1
      if random.next() % 3 > 0 { asks.sent(id(number), at: at(now)) }
      now += Double(random.next() % 1500) / 1000
      twice += asks.due(usually: nil, at: at(now)).count
      asks.settled(id(number - 4))
      worst = max(worst, twice * share - requests)
    }
    #expect(worst <= share)
    #expect(twice > requests / (2 * share))
  }

  @Test func whatWasNotUsedForLongMakesNoBurst() {
    var asks = SecondAsks()
    for number in 0..<1000 {
      asks.started()
      asks.sent(id(number), at: at(0))
    }
    #expect(asks.due(usually: nil, at: at(5)).count == 4)
  }

  @Test func afterAnHourItMayBeAskedTwiceAgain() {
    var asks = SecondAsks()
    asks.wasTooMuch(at: at(0))
    asks.sent(id(1), at: at(0))
    let end = at(0) + Figure.secondAskBan.time
    #expect(asks.due(usually: nil, at: end - .seconds(1)).isEmpty)
    #expect(asks.due(usually: nil, at: end) == [id(1)])
  }

  private struct Linear {
    private var state: UInt64
    init(seed: Int) { state = UInt64(seed) }
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
