import Blocks
import TestSupport
import Testing

@testable import HTTP

/// A simulated schedule: the test sets every instant, no clock runs.
@Suite(.timeLimit(.minutes(1)))
struct OriginQueueTests {
  private let begin = ContinuousClock.now

  private func at(_ seconds: Double) -> OriginQueue.Instant { begin + .seconds(seconds) }
  private func id(_ number: Int) -> TransferID { TransferID(number: number) }

  private func queue(_ ids: Range<Int>, _ priority: RangeRequest.Priority = .demand) -> OriginQueue
  {
    var queue = OriginQueue(jitter: 0)
    for number in ids { queue.add(id(number), priority) }
    return queue
  }

  /// A queue whose transfers 1 and 2 were refused at second 0.
  private func deadQueue() -> OriginQueue {
    var queue = queue(1..<3)
    _ = queue.start(at: at(0))
    _ = queue.unanswered(id(1), reason: "refused", at: at(0))
    _ = queue.unanswered(id(2), reason: "refused", at: at(0))
    return queue
  }

  @Test func demandGoesBeforeAheadAndElseInOrder() {
    var queue = OriginQueue(jitter: 0)
    queue.add(id(1), .ahead)
    queue.add(id(2), .demand)
    queue.add(id(3), .ahead)
    queue.add(id(4), .demand)

    #expect(queue.start(at: at(0)) == [id(2), id(4), id(1), id(3)])
  }

  @Test func theBackgroundWaitsForAllOthersAndOpensNoConnectionBesideThem() {
    var queue = OriginQueue(jitter: 0)
    queue.add(id(1), .background)
    queue.add(id(2), .ahead)

    #expect(queue.start(at: at(0)) == [id(2)])
    queue.add(id(3), .demand)
    #expect(queue.start(at: at(0)) == [id(3)])
    #expect(queue.nextStart(after: at(0)) == at(2))
    queue.remove(id(2))
    queue.ended(.complete, at: at(1))
    #expect(queue.start(at: at(1)) == [id(1)])
  }

  @Test func whatSomebodyComesToWaitForGoesBeforeTheOthers() {
    var queue = queue(0..<24)
    _ = queue.start(at: at(0))
    for (number, priority) in [(30, RangeRequest.Priority.demand), (31, .ahead), (32, .background)]
    {
      queue.add(id(number), priority)
    }
    queue.promote(id(32))
    queue.promote(id(99))
    for number in 0..<24 { queue.remove(id(number)) }

    #expect(queue.start(at: at(1)) == [id(30), id(32), id(31)])
  }

  @Test func aloneItMayConnect() {
    var queue = queue(1..<3, .background)

    #expect(queue.start(at: at(0)) == [id(1)])
    queue.remove(id(1))
    queue.ended(.broken(reason: "reset"), at: at(1))
    #expect(queue.start(at: at(1)) == [id(2)])
  }

  @Test func twoRunInTheBackgroundAtMost() {
    var queue = queue(0..<5)
    _ = queue.start(at: at(0))
    for number in 0..<5 {
      queue.remove(id(number))
      queue.ended(.complete, at: at(1))
    }
    for number in 10..<15 { queue.add(id(number), .background) }

    #expect(queue.start(at: at(1)) == (10..<10 + Figure.background.count).map(id))
    queue.remove(id(11))
    queue.ended(.complete, at: at(1))
    #expect(queue.start(at: at(1)) == [id(12)])
  }

  @Test func soManyTransfersRunAndAnEndMakesPlace() {
    var queue = queue(0..<28)

    #expect(queue.start(at: at(0)) == (0..<Figure.requestsAtOnce.count).map(id))
    #expect(queue.start(at: at(1)) == [])
    queue.remove(id(3))
    #expect(queue.start(at: at(1)) == [id(24)])
  }

  @Test func aSilentTransferGivesItsPlaceBack() {
    var queue = queue(0..<28)
    _ = queue.start(at: at(0))
    for number in 0..<22 { queue.progressed(id(number), bytes: 1, at: at(1)) }

    #expect(queue.nextStart(after: at(1)) == at(0) + Figure.silence.time)
    #expect(queue.start(at: at(2)) == [id(24), id(25)])
    #expect(queue.nextStart(after: at(2)) == at(3))
  }

  @Test func silenceOpensNoMoreThanSixtyFourPlaces() {
    var queue = queue(0..<100)

    let started = (0..<10).map { queue.start(at: at(Double($0) * 2)).count }

    #expect(started == [24, 24, 16, 0, 0, 0, 0, 0, 0, 0])
    #expect(queue.nextStart(after: at(20)) == nil)
  }

  @Test func aDeadOriginLetsEverybodyWait() {
    var queue = queue(1..<3)
    _ = queue.start(at: at(0))

    #expect(queue.unanswered(id(1), reason: "refused", at: at(0)) == .waits)
    #expect(queue.unanswered(id(2), reason: "refused", at: at(0)) == .waits)
    queue.add(id(3), .demand)
    #expect(queue.start(at: at(0.1)) == [])
    #expect(queue.nextStart(after: at(0.1)) == at(0.25))
  }

  @Test func probesGoOneByOneAndNeverMoreThanFourSecondsApart() {
    var queue = deadQueue()
    var probes: [Double] = []
    var now = at(0)
    while probes.count < 9, let next = queue.nextStart(after: now) {
      now = next
      let started = queue.start(at: now)
      #expect(started.count == 1)
      probes.append((now - begin) / .seconds(1))
      #expect(queue.unanswered(started[0], reason: "refused", at: now) == .waits)
    }

    #expect(probes == [0.25, 0.75, 1.75, 3.75, 7.75, 11.75, 15.75, 19.75, 23.75])
    let pauses = zip(probes.dropFirst(), probes).map { $0 - $1 }
    #expect(pauses.max() == Figure.probes.time / .seconds(1))
  }

  @Test func jitterShortensThePausesByAFifthAtMost() {
    var queue = OriginQueue(jitter: 1)
    queue.add(id(1), .demand)
    _ = queue.start(at: at(0))
    _ = queue.unanswered(id(1), reason: "refused", at: at(0))

    #expect(queue.nextStart(after: at(0)) == at(0.2))
  }

  @Test func aSilentProbeDoesNotBlockTheNextOne() {
    var queue = deadQueue()
    for number in 3..<9 { queue.add(id(number), .demand) }

    #expect(queue.start(at: at(0.25)).count == 1)
    #expect(queue.start(at: at(0.75)).count == 1)
    #expect(queue.start(at: at(1.75)).count == 1)
    #expect(queue.start(at: at(3.75)) == [])
    // It may take its time, but it gives its place back.
    #expect(queue.nextStart(after: at(3.75)) == at(10.25))
    #expect(queue.start(at: at(10.25)).count == 1)
  }

  @Test func whatWasSilentBeforeDoesNotKeepProbesBack() {
    var queue = queue(0..<70)
    for second in 0..<4 { _ = queue.start(at: at(Double(second) * 2)) }

    #expect(queue.unanswered(id(0), reason: "silent", at: at(10)) == .waits)

    #expect(queue.start(at: at(10.25)) == [id(64)])
    #expect(queue.start(at: at(10.75)) == [id(65)])
    #expect(queue.nextStart(after: at(10.75)) == at(11.75))
  }

  @Test func probesTryWhatWasNotTriedYet() {
    var queue = deadQueue()
    queue.add(id(3), .ahead)
    queue.add(id(4), .demand)

    #expect(queue.start(at: at(0.25)) == [id(4)])
    #expect(queue.start(at: at(0.75)) == [id(1)])
    #expect(queue.start(at: at(1.75)) == [id(2)])
  }

  @Test func theFirstAnswerLetsAllGo() {
    var queue = deadQueue()
    for number in 3..<9 { queue.add(id(number), .demand) }
    let probe = queue.start(at: at(0.25))

    queue.answered(probe[0], at: at(0.3))

    #expect(queue.nextStart(after: at(0.3)) == at(0.3))
    #expect(Set(queue.start(at: at(0.3)) + probe) == Set((1..<9).map(id)))
  }

  @Test func anOriginThatJustAnsweredIsNotDead() {
    var queue = queue(1..<3)
    _ = queue.start(at: at(0))
    queue.answered(id(1), at: at(0))

    #expect(queue.unanswered(id(2), reason: "reset", at: at(2.9)) == .fails)
    queue.add(id(3), .demand)
    #expect(queue.start(at: at(2.9)) == [id(3)])
    #expect(queue.unanswered(id(3), reason: "reset", at: at(3)) == .waits)
  }

  @Test func theImpatientTryOnceAndFail() {
    var queue = deadQueue()
    queue.add(id(9), .demand, failsFast: true)

    #expect(queue.nextStart(after: at(0.1)) == at(0.1))
    #expect(queue.start(at: at(0.1)) == [id(9)])
    #expect(queue.unanswered(id(9), reason: "refused", at: at(0.1)) == .fails)
    #expect(queue.start(at: at(0.1)) == [])
  }

  @Test func aCancelledTransferNeverStarts() {
    var queue = deadQueue()
    queue.remove(id(1))
    queue.remove(id(2))

    #expect(queue.isIdle)
    #expect(queue.start(at: at(60)) == [])
    #expect(queue.nextStart(after: at(60)) == nil)
  }

  @Test func anOriginThatAskedForItIsLeftAlone() {
    var queue = queue(1..<4)
    queue.ended(.busy(retryAfter: .seconds(30)), at: at(0))
    queue.ended(.busy(retryAfter: .seconds(5)), at: at(0))

    #expect(queue.start(at: at(29.9)) == [])
    #expect(queue.nextStart(after: at(1)) == at(30))
    #expect(queue.closed(at: at(10)) == .seconds(20))
    #expect(queue.start(at: at(30)).count == 3)
  }

  /// An origin that asks for a day is tried again after five minutes.
  @Test func noOriginIsLeftAloneForLongerThanReadersWait() {
    var queue = queue(1..<4)
    queue.ended(.busy(retryAfter: .seconds(86_400)), at: at(0))
    #expect(queue.nextStart(after: at(1)) == at(0) + Figure.maxRetryAfter.time)
  }

  @Test func whatSomebodyCameToWaitForIsNotPutBackBehindOthers() {
    var queue = queue(1..<2, .background)
    _ = queue.start(at: at(0))
    queue.promote(id(1))
    #expect(queue.unanswered(id(1), reason: "refused", at: at(0)) == .waits)
    queue.add(id(2), .ahead)

    #expect(queue.start(at: at(0.25)) == [id(1)])
  }

  @Test func anotherNetworkEndsThePauseWithOneProbe() {
    var queue = deadQueue()
    for second in [0.25, 0.75, 1.75] {
      let probe = queue.start(at: at(second))
      _ = queue.unanswered(probe[0], reason: "refused", at: at(second))
    }
    #expect(queue.nextStart(after: at(2)) == at(3.75))

    queue.networkChanged(at: at(2))

    #expect(queue.nextStart(after: at(2)) == at(2))
    #expect(queue.start(at: at(2)).count == 1)
    #expect(queue.start(at: at(2)).isEmpty)
    #expect(queue.nextStart(after: at(2)) == at(2.5))
  }

  @Test func anotherNetworkDoesNotShortenWhatTheOriginAskedFor() {
    var queue = queue(1..<4)
    queue.ended(.busy(status: 503, retryAfter: .seconds(30)), at: at(0))
    queue.networkChanged(at: at(1))
    #expect(queue.nextStart(after: at(1)) == at(30))
  }

  @Test func aRequestThatAKeptConnectionDoesNotAnswerIsAskedASecondTime() {
    var queue = queue(1..<3)
    _ = queue.start(at: at(0))
    queue.sentOnReused(id(1), at: at(0))
    queue.answered(id(2), at: at(0.5))

    #expect(queue.nextDoubt(after: at(0.5)) == at(2))
    #expect(queue.doubtful(at: at(1.9)).isEmpty)
    #expect(queue.doubtful(at: at(2)) == [id(1)])
    #expect(queue.nextDoubt(after: at(2)) == nil)
    queue.startSecond(id(9), of: id(1), at: at(2))
    #expect(queue.status.requests == 3)
    #expect(queue.unanswered(id(9), reason: "refused", at: at(9)) == .waits)
  }

  @Test(arguments: [429, 503]) func whatIsAskedTooMuchIsNotAskedTwice(status: Int) {
    var queue = queue(1..<3)
    _ = queue.start(at: at(0))
    queue.remove(id(2))
    queue.ended(.busy(status: status, retryAfter: nil), at: at(0))
    queue.sentOnReused(id(1), at: at(0))

    #expect(queue.nextDoubt(after: at(1)) == nil)
    #expect(queue.doubtful(at: at(30)).isEmpty)
  }

  @Test func theStatusHasAConditionAndSaysItInWords() {
    var queue = queue(1..<2)
    func words(_ seconds: Double) -> String { queue.status.words(at: at(seconds)) }
    func condition(_ seconds: Double) -> OriginCondition { queue.status.condition(at: at(seconds)) }

    #expect(words(0) == "not asked yet" && condition(0) == .unknown)
    _ = queue.start(at: at(0))
    _ = queue.unanswered(id(1), reason: "connection refused", at: at(0))
    #expect(words(0) == "unreachable: connection refused, next try in 250 ms")
    #expect(words(9) == "unreachable: connection refused")
    #expect(condition(0) == .unreachable && condition(9) == .unreachable)
    _ = queue.start(at: at(9))
    queue.answered(id(1), at: at(9))
    #expect(words(9) == "reachable" && condition(9) == .reachable)
    queue.ended(.busy(retryAfter: .seconds(30)), at: at(9))
    #expect(words(9) == "asked feedfs to wait 30 s" && condition(9) == .waiting)
    #expect(condition(39.5) == .reachable)
    #expect(queue.status.lastError == "the origin was busy")
    #expect(queue.status.requests == 2)
  }
}
