import Testing

@testable import Filling

/// The number of concurrent fetches of one file.
@Suite(.timeLimit(.minutes(1)))
struct LanesTests {
  /// A network link: each connection brings `rate` bytes a second, all together at most `total`.
  struct Line: Sendable {
    let rate: Double
    let total: Double
    /// A time in which nothing comes. If `isCaughtUp`, its bytes come with the next ones, as when
    /// the machine is busy. Otherwise they come later, as when the line is silent.
    var silence: (from: Duration, to: Duration, isCaughtUp: Bool)?

    /// Lets `lanes` bring bytes for `duration` to a reader that always waits.
    func carry(
      _ lanes: inout Lanes, for duration: Duration, from start: Duration = .zero,
      watch: (Duration, Int) -> Void = { _, _ in }
    ) {
      let step = Duration.milliseconds(5)
      var now = start
      var late = 0.0
      while now < start + duration {
        now += step
        let bytes = min(rate * Double(lanes.count), total) * 0.005
        if let silence, silence.from < now, now <= silence.to {
          late += silence.isCaughtUp ? bytes : 0
          continue
        }
        _ = lanes.arrived(Int(bytes + late), streaming: lanes.count, at: now)
        late = 0
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

  /// The trial begins 45 ms after the first bytes.
  @Test(arguments: [0, 30, 50, 100, 200, 400], [20, 80, 150, 300, 600])
  func aNoisyMomentFoolsNobody(from: Int, length: Int) {
    for isCaughtUp in [false, true] {
      let silence = (
        from: Duration.milliseconds(from), to: Duration.milliseconds(from + length),
        isCaughtUp: isCaughtUp
      )
      var capped = Lanes()
      Line(rate: 20e6, total: .infinity, silence: silence).carry(&capped, for: .seconds(2))
      #expect(capped.count == 4, "caught up: \(isCaughtUp)")

      var shared = Lanes()
      Line(rate: .infinity, total: 8e6, silence: silence).carry(&shared, for: .seconds(2))
      #expect(shared.count == 1, "caught up: \(isCaughtUp)")
    }
  }

  @Test(arguments: [4, 3, 2])
  func whatStillRunsAfterAResetIsNotTheRateOfOne(running: Int) {
    var lanes = Lanes()
    Line(rate: 20e6, total: .infinity).carry(&lanes, for: .seconds(1))
    lanes.reset()
    for millisecond in 0..<300 {
      _ = lanes.arrived(
        20_000 * running, streaming: running, at: .milliseconds(1_000 + millisecond))
    }
    Line(rate: 20e6, total: .infinity).carry(&lanes, for: .seconds(2), from: .seconds(2))

    #expect(lanes.count == 4)
  }

  @Test func aVerdictThatOneLaneDoesNotConfirmIsTakenBack() {
    var lanes = Lanes()
    lanes.began(after: .milliseconds(50), at: .zero)
    // Bytes that had piled up seem to come at 80 MB/s.
    lanes.ended(1_000_000, in: .microseconds(12_500), streaming: 0)
    lanes.readerWaits(most: 4, at: .zero)
    #expect(lanes.count == 4)
    var isOne = false
    Line(rate: 20e6, total: .infinity).carry(&lanes, for: .seconds(2)) { _, count in
      isOne = isOne || count == 1
    }

    #expect(isOne)
    #expect(lanes.count == 4)
  }

  /// When all but one are cancelled, what they have under way still fills the line for a while.
  @Test func whatCancelledLanesHaveUnderWayTakesNoVerdictBack() {
    var lanes = Lanes()
    var (trials, cancelled) = (0, Duration.seconds(-9))
    for now in stride(from: 5, to: 9_000, by: 5).map(Duration.milliseconds) {
      let before = lanes.count
      let bytes = now - cancelled < .milliseconds(600) ? 20_000 : 40_000
      if lanes.arrived(bytes, streaming: lanes.count, at: now) { cancelled = now }
      lanes.readerWaits(most: 4, at: now)
      if before == 1, lanes.count > 1 { trials += 1 }
    }

    #expect(trials == 1)
  }

  @Test(arguments: [1, 2, 3])
  func thereAreAsManyAsTheOriginServesAndThenTheyAskForOnePieceAtATime(served: Int) {
    var lanes = Lanes()
    Line(rate: 20e6, total: .infinity).carry(&lanes, for: .seconds(1))
    for _ in 0..<3 {
      lanes.turnedAway(askedAt: .milliseconds(900), serving: served, at: .seconds(1))
    }
    #expect(lanes.count == served)
    #expect(lanes.mayOverlap)
    Line(rate: 20e6, total: .infinity).carry(&lanes, for: .seconds(9), from: .seconds(1))
    #expect(lanes.count == served)

    lanes.turnedAway(askedAt: .seconds(2), serving: served, at: .seconds(3))
    #expect(lanes.count == served)
    #expect(!lanes.mayOverlap)
  }

  @Test(arguments: [
    // Two round trips of 50 and of 300 ms; a tenth of a second; a mebibyte.
    (milliseconds: 50, rate: 20e6, bytes: 2_000_000), (300, 20e6, 12_000_000),
    (5, 20e6, 2_000_000), (50, 1e6, 1 << 20),
  ])
  func aPieceOfManyTakesTwoRoundTrips(milliseconds: Int, rate: Double, bytes: Int) {
    var lanes = Lanes(
      line: KnownLine(latency: .milliseconds(milliseconds), rate: Int(rate)))
    // Alone on a slow line, a lane is asked for what it brings in four seconds.
    #expect(lanes.piece == (rate < 2e6 ? Int(4 * rate) : .max))
    Line(rate: rate, total: .infinity).carry(&lanes, for: .seconds(2))

    #expect(lanes.count == 4)
    #expect(abs(lanes.piece - bytes) < bytes / 20, "\(lanes.piece)")
  }

  @Test func aLineIsKnownWhenEnoughCame() {
    var lanes = Lanes()
    lanes.began(after: .milliseconds(100), at: .zero)
    lanes.began(after: .milliseconds(50), at: .zero)
    _ = lanes.arrived(512 << 10, streaming: 1, at: .seconds(1))
    lanes.ended(512 << 10, in: .milliseconds(26), streaming: 0)
    #expect(lanes.line == nil)
    Line(rate: 20e6, total: .infinity).carry(&lanes, for: .seconds(1))

    #expect(lanes.line?.latency == .milliseconds(50))
    #expect(abs((lanes.line?.rate ?? 0) - 20_000_000) < 1_000_000)
  }

  /// A connection that starts with ten packets and doubles in each round trip of 100 ms, up to
  /// `rate`. `change` is a factor for a period of 0.1 s.
  private func slowlyStarted(
    _ lanes: inout Lanes, rate: Double, for duration: Duration,
    change: (Int) -> Double = { _ in 1 }, watch: (Duration, Int) -> Void = { _, _ in }
  ) {
    let step = Duration.milliseconds(5)
    lanes.began(after: .milliseconds(100), at: .zero)
    var now = Duration.zero
    while now < duration {
      now += step
      let trip = Int(now / .milliseconds(100))
      let window = Double(14_600 << min(trip, 20)) * 10
      let bytes = min(window, rate * change(trip)) * Double(lanes.count) * 0.005
      _ = lanes.arrived(Int(bytes), streaming: lanes.count, at: now)
      lanes.readerWaits(most: 4, at: now)
      watch(now, lanes.count)
    }
  }

  @Test func whereConnectionsStartSlowlyMoreWaitUntilTheRateHasSettled() {
    var lanes = Lanes()
    var trials: [(at: Duration, count: Int)] = []
    slowlyStarted(
      &lanes, rate: 12e6, for: .seconds(5),
      watch: { now, count in
        if trials.last?.count ?? 1 != count { trials.append((now, count)) }
      })

    // 12 MB/s are reached after the seventh round trip, and then run for a second.
    #expect(lanes.startsSlowly)
    #expect(trials.map(\.count) == [2, 4])
    #expect(
      trials.first.map { $0.at > .milliseconds(1700) && $0.at < .milliseconds(2200) } ?? false)
  }

  @Test func whatFillsASlowLineSteadilyIsAloneForTenSeconds() {
    var steady = Lanes()
    slowlyStarted(&steady, rate: 1e6, for: .seconds(10))
    #expect(steady.startsSlowly && steady.count == 1)
    var longer = Lanes()
    slowlyStarted(&longer, rate: 1e6, for: .seconds(20))
    #expect(longer.count == 4)

    var unsteady = Lanes()
    slowlyStarted(&unsteady, rate: 1e6, for: .seconds(6), change: { $0 / 4 % 2 == 0 ? 1 : 0.6 })
    #expect(unsteady.count == 4)
  }

  @Test func onALineThatIsKnownToBeNarrowThereIsOneForLong() {
    let known = KnownLine(latency: .milliseconds(100), rate: 1_000_000, isNarrow: true)
    var lanes = Lanes(line: known)
    #expect(lanes.isOneConnection)
    Line(rate: 1e6, total: .infinity).carry(&lanes, for: .seconds(79))
    #expect(lanes.count == 1)
    #expect(lanes.line?.isNarrow == true)
    Line(rate: 1e6, total: .infinity).carry(&lanes, for: .seconds(10), from: .seconds(79))

    #expect(lanes.count == 4)
    #expect(lanes.line?.isNarrow == false)
  }

  @Test func aLineWhereMoreDidNotHelpIsNarrow() {
    var lanes = Lanes()
    lanes.began(after: .milliseconds(50), at: .zero)
    Line(rate: .infinity, total: 4e6).carry(&lanes, for: .seconds(3))
    #expect(lanes.line?.isNarrow == true)

    var fast = Lanes()
    fast.began(after: .milliseconds(50), at: .zero)
    Line(rate: .infinity, total: 20e6).carry(&fast, for: .seconds(3))
    #expect(fast.line?.isNarrow == false)
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
    lanes.began(after: .milliseconds(50), at: .zero)
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
    #expect(lanes.speed.overlap == nil)
    lanes.began(after: .milliseconds(50), at: .zero)
    lanes.ended(8_000_000, in: .milliseconds(400), streaming: 0)

    #expect(abs(try #require(lanes.speed.overlap) - 1_000_000) < 1_000)
  }
}
