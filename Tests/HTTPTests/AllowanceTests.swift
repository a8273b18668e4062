import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct AllowanceTests {
  private let start = ContinuousClock.now

  @Test func withoutALimitEverythingMayBeTaken() {
    var allowance = Allowance(at: start)
    allowance.took(1 << 40)

    #expect(!allowance.isUsedUp && allowance.next == nil)
  }

  /// The bytes of a fifth of a second may wait in the system's buffers, and 64 KiB at least.
  @Test(arguments: [
    (nil, 1 << 30), (1, 64 << 10), (100_000, 64 << 10), (5_000_000, 1_000_000), (1 << 40, 1 << 30),
  ])
  func anOriginMaySendLittleAheadOfTheLimit(rate: Int?, window: Int) {
    var allowance = Allowance(at: start)
    allowance.limit(to: rate, at: start)

    #expect(allowance.window == window)
  }

  @Test(arguments: [1_000, 100_000, 5_000_000, 1_000_000_000])
  func inALongRunSoMuchIsTakenAsMayBe(rate: Int) {
    var allowance = Allowance(at: start)
    allowance.limit(to: rate, at: start)
    var taken = 0
    var now = start
    // Pieces of libcurl's size, for at least a minute.
    while now < start + .seconds(60) {
      allowance.pass(to: now)
      while !allowance.isUsedUp {
        allowance.took(16_384)
        taken += 16_384
      }
      now = allowance.next ?? now
    }
    let seconds = (now - start) / .seconds(1)

    #expect(abs(Double(taken) - Double(rate) * seconds) <= Double(rate) * 0.2 + 32_768)
  }

  @Test func whatWasNotTakenForLongIsNotMadeUpFor() {
    var allowance = Allowance(at: start)
    allowance.limit(to: 1_000_000, at: start)
    allowance.pass(to: start + .seconds(3600))
    allowance.took(100_000)

    #expect(allowance.isUsedUp)
  }

  @Test func aNewLimitHoldsAtOnce() {
    var allowance = Allowance(at: start)
    allowance.limit(to: 10, at: start)
    allowance.took(1_000_000)
    allowance.limit(to: 1_000_000, at: start)
    allowance.pass(to: start + .milliseconds(20))
    #expect(!allowance.isUsedUp)

    allowance.limit(to: nil, at: start)
    #expect(!allowance.isUsedUp && allowance.wasLimited)
  }
}
