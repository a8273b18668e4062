import Testing
import TestSupport

@testable import HTTP

/// Origins that may serve one request at a time. The test sets every instant.
@Suite(.timeLimit(.minutes(1)))
struct TurnsTests {
  private let begin = ContinuousClock.now

  private func at(_ seconds: Double) -> OriginQueue.Instant { begin + .seconds(seconds) }
  private func id(_ number: Int) -> TransferID { TransferID(number: number) }

  /// A queue whose transfer 1 is served, and whose others have no answer yet.
  private func queue(_ count: Int, _ priority: RangeRequest.Priority = .demand) -> OriginQueue {
    var queue = OriginQueue(jitter: 0)
    for number in 1...count { queue.add(id(number), priority, at: at(0)) }
    _ = queue.start(at: at(0))
    serve(1, in: &queue, at: 0.1)
    return queue
  }

  private func serve(_ number: Int, in queue: inout OriginQueue, at seconds: Double) {
    queue.answered(id(number), at: at(seconds))
    queue.serves(id(number), at: at(seconds))
  }

  private func end(_ number: Int, in queue: inout OriginQueue, at seconds: Double) {
    queue.remove(id(number), at: at(seconds))
    queue.ended(.complete, at: at(seconds))
  }

  private func turnAway(
    _ number: Int, in queue: inout OriginQueue, for wait: Duration? = nil, isBusy: Bool = false,
    at seconds: Double
  ) -> Bool {
    queue.answered(id(number), at: at(seconds))
    return queue.turnedAway(id(number), for: wait, isBusy: isBusy, at: at(seconds))
  }

  /// A queue that has seen one trial succeed: transfer 2 is served.
  private func tried() -> OriginQueue {
    var queue = queue(2)
    _ = turnAway(2, in: &queue, at: 0.2)
    end(1, in: &queue, at: 1)
    _ = queue.start(at: at(1.3))
    serve(2, in: &queue, at: 1.4)
    return queue
  }

  /// A queue that has seen two trials succeed: nothing runs.
  private func single() -> OriginQueue {
    var queue = tried()
    queue.add(id(3), .demand, at: at(1.5))
    _ = queue.start(at: at(1.5))
    queue.progressed(id(2), bytes: 1, at: at(1.55))
    _ = turnAway(3, in: &queue, at: 1.6)
    end(2, in: &queue, at: 2)
    _ = queue.start(at: at(2.3))
    serve(3, in: &queue, at: 2.4)
    end(3, in: &queue, at: 2.5)
    return queue
  }

  @Test func aRequestThatIsTurnedAwayBesideAnotherIsAskedAgainAlone() {
    var queue = queue(2)
    #expect(turnAway(2, in: &queue, at: 0.2))
    #expect(queue.start(at: at(0.3)) == [])
    end(1, in: &queue, at: 1)
    // The server needs a moment to see that the other one has ended.
    #expect(queue.start(at: at(1.1)) == [])
    #expect(queue.nextStart(after: at(1.1)) ?? at(9) <= at(1.25))
    #expect(queue.start(at: at(1.25)) == [id(2)])
    #expect(queue.refused(at: at(1.3)) == [])
  }

  @Test func withoutAnotherThatIsServedAnAnswerCountsAtOnce() {
    var alone = OriginQueue(jitter: 0)
    for number in 1...2 { alone.add(id(number), .demand, at: at(0)) }
    // It has never served anything.
    _ = alone.start(at: at(0))
    #expect(!turnAway(1, in: &alone, at: 0.1))
    alone.remove(id(1), at: at(0.1))
    #expect(!turnAway(2, in: &alone, at: 0.2))
    // The other one ended before this one was sent.
    var later = queue(1)
    end(1, in: &later, at: 1)
    later.add(id(2), .demand, at: at(1.1))
    _ = later.start(at: at(1.1))
    #expect(!turnAway(2, in: &later, at: 1.2))
  }

  /// A server may need a moment to see that it has served the one before.
  @Test func aRequestRightBehindAnotherOneIsBesideIt() {
    var queue = queue(1)
    queue.progressed(id(1), bytes: 1, at: at(0.9))
    end(1, in: &queue, at: 0.9)
    queue.add(id(2), .demand, at: at(1))
    _ = queue.start(at: at(1))
    #expect(turnAway(2, in: &queue, at: 1.1))
    #expect(queue.start(at: at(1.3)) == [])
    #expect(queue.start(at: at(1.4)) == [id(2)])
  }

  @Test func ofSeveralThatWereSentAtOnceOneMayBeServed() {
    var queue = queue(1)
    queue.progressed(id(1), bytes: 1, at: at(0.5))
    end(1, in: &queue, at: 0.5)
    for number in 2...4 { queue.add(id(number), .demand, at: at(1)) }
    _ = queue.start(at: at(1))
    #expect(turnAway(2, in: &queue, at: 1.1))
    serve(3, in: &queue, at: 1.2)
    #expect(turnAway(4, in: &queue, at: 1.2))
    end(3, in: &queue, at: 2)
    #expect(queue.start(at: at(2.3)) == [id(2)])
  }

  @Test func afterTwoTrialsInARowItGetsOneRequestAtATime() {
    var queue = tried()
    #expect(!queue.turns.isSingle(at: at(1.5)))
    queue = single()
    #expect(queue.turns.isSingle(at: at(2.6)))
    for number in 10...12 { queue.add(id(number), .demand, at: at(3)) }
    #expect(queue.start(at: at(3)) == [id(10)])
    #expect(queue.start(at: at(4)) == [])
    end(10, in: &queue, at: 5)
    #expect(queue.start(at: at(5.1)) == [id(11)])
    #expect(queue.turns.isSingle(at: at(2) + Figure.oneAtATime.time))
    #expect(!queue.turns.isSingle(at: at(3) + Figure.oneAtATime.time))
  }

  @Test func aTrialThatFailsShowsNothingAndIsTheLastForAWhile() {
    var queue = queue(3)
    #expect(turnAway(2, in: &queue, at: 0.2))
    #expect(turnAway(3, in: &queue, at: 0.2))
    end(1, in: &queue, at: 1)
    #expect(queue.start(at: at(1.3)) == [id(2)])
    #expect(!turnAway(2, in: &queue, at: 1.4))
    // So the answer of the other one counts too.
    #expect(queue.refused(at: at(1.4)) == [id(3)])
    queue.remove(id(2), at: at(1.4))

    for number in 4...5 { queue.add(id(number), .demand, at: at(2)) }
    #expect(queue.start(at: at(2)) == [id(4), id(5)])
    serve(4, in: &queue, at: 2.1)
    #expect(!turnAway(5, in: &queue, at: 2.2))
    queue.add(id(6), .demand, at: at(40))
    _ = queue.start(at: at(40))
    queue.progressed(id(4), bytes: 1, at: at(40.1))
    #expect(turnAway(6, in: &queue, at: 40.2))
  }

  @Test func whoWasTurnedAwayTooGoesOnWithTheTrial() {
    var queue = queue(4)
    for number in 2...4 { #expect(turnAway(number, in: &queue, at: 0.2)) }
    end(1, in: &queue, at: 1)
    #expect(queue.start(at: at(1.3)) == [id(2)])
    serve(2, in: &queue, at: 1.4)
    #expect(queue.refused(at: at(1.4)) == [])
    #expect(queue.start(at: at(1.4)) == [id(3), id(4)])
  }

  @Test func othersWaitForATrialForAMoment() {
    var queue = queue(2)
    #expect(turnAway(2, in: &queue, at: 0.2))
    queue.add(id(3), .demand, at: at(0.3))
    queue.progressed(id(1), bytes: 1, at: at(1.9))
    #expect(queue.start(at: at(2.1)) == [])
    #expect(queue.nextStart(after: at(2)) == at(0.2) + Figure.trialHold.time)
    #expect(queue.start(at: at(2.2)) == [id(3)])
    // The trial was never alone.
    queue.progressed(id(3), bytes: 1, at: at(10))
    queue.progressed(id(1), bytes: 1, at: at(10))
    #expect(queue.start(at: at(10.1)) == [])
    #expect(queue.refused(at: at(10.1)) == [])
    #expect(queue.refused(at: at(10.3)) == [id(2)])
  }

  @Test func aRequestThatHangsIsNoCompany() {
    var queue = queue(2)
    #expect(turnAway(2, in: &queue, at: 0.2))
    #expect(queue.start(at: at(1.9)) == [])
    #expect(queue.start(at: at(2)) == [id(2)])
  }

  @Test func whatTheOriginAsksForIsWaitedForIfItIsShort() {
    var queue = queue(2)
    #expect(turnAway(2, in: &queue, for: .seconds(3), isBusy: true, at: 0.2))
    end(1, in: &queue, at: 1)
    #expect(queue.start(at: at(3.1)) == [])
    #expect(queue.closed(at: at(1)) != nil)
    #expect(queue.start(at: at(3.3)) == [id(2)])
    for wait in [11, 31_536_000] {
      var queue = self.queue(2)
      #expect(!turnAway(2, in: &queue, for: .seconds(wait), isBusy: true, at: 0.2))
    }
  }

  /// It is not waited for, and comes back by itself.
  @Test func aLaneThatIsToldToComeLaterIsNoTrial() {
    var queue = queue(2, .ahead)
    #expect(!turnAway(2, in: &queue, isBusy: true, at: 0.2))
    var other = self.queue(2, .ahead)
    #expect(turnAway(2, in: &other, at: 0.2))
  }

  /// Some servers turn away whatever they like.
  @Test func twoTrialsAreInARowOnlyIfNothingIsServedBesideAnother() {
    var queue = tried()
    for number in 3...4 { queue.add(id(number), .demand, at: at(1.5)) }
    _ = queue.start(at: at(1.5))
    queue.progressed(id(2), bytes: 1, at: at(1.6))
    serve(3, in: &queue, at: 1.7)
    #expect(!turnAway(4, in: &queue, at: 1.8))
    #expect(!queue.turns.isSingle(at: at(2)))
  }

  @Test func whoeverServesSeveralAtOnceServesSeveral() {
    var queue = tried()
    queue.add(id(3), .demand, at: at(1.5))
    #expect(queue.start(at: at(1.5)) == [id(3)])
    serve(3, in: &queue, at: 1.6)
    queue.progressed(id(2), bytes: 1, at: at(2.3))
    queue.progressed(id(3), bytes: 1, at: at(2.4))
    queue.add(id(4), .demand, at: at(2.5))
    _ = queue.start(at: at(2.5))
    queue.progressed(id(2), bytes: 1, at: at(2.6))
    #expect(!turnAway(4, in: &queue, at: 2.7))
    #expect(!queue.turns.isSingle(at: at(3)))
  }

  @Test func aTrialThatIsWantedNoMoreGivesItsPlaceToTheNext() {
    var queue = queue(3)
    #expect(turnAway(2, in: &queue, at: 0.2))
    #expect(turnAway(3, in: &queue, at: 0.2))
    queue.remove(id(2), at: at(0.3))
    end(1, in: &queue, at: 1)
    #expect(queue.start(at: at(1.3)) == [id(3)])
  }

  @Test func whoWaitsForHisTurnForTooLongIsAskedAllTheSame() {
    var queue = single()
    queue.add(id(10), .ahead, at: at(3))
    queue.add(id(11), .ahead, at: at(3))
    queue.add(id(12), .demand, at: at(3.1))
    #expect(queue.start(at: at(3.1)) == [id(12)])
    queue.add(id(13), .demand, at: at(3.25))
    #expect(queue.start(at: at(20)) == [])
    #expect(queue.nextStart(after: at(20)) == at(23.25))
    #expect(queue.start(at: at(23.25)) == [id(13)])
    #expect(queue.doubtful(at: at(24)).isEmpty)
  }

  @Test(arguments: [403, 429, 458, 503, 509]) func theStatusesAreThoseOfSuchServers(status: Int) {
    #expect(Turns.statuses.contains(status))
    #expect(Turns.statuses.count == 5)
  }

  @Test func theFiguresAreThoseThatArePromised() {
    #expect(Turns.maxWait == Figure.trialHold.time)
    #expect(Turns.maxPause == Figure.trialWait.time)
    #expect(Turns.failurePause == Figure.trialPause.time)
    #expect(Turns.memory == Figure.oneAtATime.time)
  }
}
