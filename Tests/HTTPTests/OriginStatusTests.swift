import Blocks
import Testing

@testable import HTTP

/// Measurements of an origin, and its reported status.
struct OriginStatusTests {
  private let begin = ContinuousClock.now

  private func at(_ seconds: Double) -> OriginQueue.Instant { begin + .seconds(seconds) }
  private func id(_ number: Int) -> TransferID { TransferID(number: number) }

  private func queue(_ ids: Range<Int>) -> OriginQueue {
    var queue = OriginQueue(jitter: 0)
    for number in ids { queue.add(id(number), .demand) }
    return queue
  }

  @Test func theStatusMeasuresAnswersAndCountsFailures() {
    var queue = queue(1..<4)
    _ = queue.start(at: at(0))
    queue.answered(id(1), at: at(0.1))
    #expect(queue.status.latency == .milliseconds(100))
    queue.answered(id(2), at: at(0.9))
    #expect(queue.status.latency == .milliseconds(200))

    for step in 0..<100 { queue.progressed(id(1), bytes: 10_000, at: at(1 + Double(step) / 100)) }
    #expect(abs(queue.status.rates(at: at(2)).now - 1_000_000) < 30_000)
    #expect(queue.status.rates(at: at(9)).now == 0)
    #expect(abs((queue.status.rates(at: at(9)).latest ?? 0) - 1_000_000) < 50_000)
    #expect(queue.status.bytes == 1_000_000)

    queue.ended(.complete, at: at(2))
    #expect(queue.status.failures == 0)
    queue.ended(.serverError(status: 500), at: at(2))
    #expect(queue.unanswered(id(3), reason: "refused", at: at(9)) == .waits)
    #expect(queue.status.failures == 2)
  }

  @Test func connectionsThatTransfersLeftAreSpareForAWhile() {
    var queue = queue(1..<4)
    _ = queue.start(at: at(0))
    #expect(queue.status.spareConnections(at: at(0)) == 0)
    for number in 1..<3 {
      queue.remove(id(number))
      queue.ended(.complete, at: at(1))
    }
    #expect(queue.status.spareConnections(at: at(2)) == 2)
    #expect(queue.status.spareConnections(at: at(1) + OriginStatus.keepAlive) == 0)

    queue.add(id(4), .demand)
    _ = queue.start(at: at(2))
    #expect(queue.status.spareConnections(at: at(2)) == 1)
    queue.lostTrust()
    #expect(queue.status.spareConnections(at: at(2)) == 0)
  }

  /// An origin that has just answered others is not away because of one request.
  @Test func whoeverGaveNoAnswerIsNotCalledReachable() {
    var queue = queue(1..<4)
    _ = queue.start(at: at(0))
    queue.answered(id(1), at: at(1))
    #expect(queue.status.condition(at: at(1)) == .reachable)
    #expect(queue.unanswered(id(2), reason: "connection refused", at: at(2)) == .fails)
    #expect(queue.status.condition(at: at(9)) == .unknown && !queue.isOutOfReach)
    #expect(queue.status.words(at: at(9)) == "gave no answer to the last request")
    queue.progressed(id(3), bytes: 1, at: at(10))
    #expect(queue.status.condition(at: at(10)) == .reachable)
    #expect(queue.status.words(at: at(10)) == "reachable")
  }

  @Test func whatKeepsAnOriginFromBeingAskedIsToldWithItsEnd() {
    var queue = queue(1..<2)
    #expect(queue.status.obstacle(at: at(0)) == nil)
    _ = queue.start(at: at(0))
    queue.ended(.busy(status: 503, retryAfter: .seconds(30)), at: at(0))
    #expect(
      queue.status.obstacle(at: at(10))
        == OriginReport.Obstacle(reason: "status 503", lasts: .seconds(20)))
    #expect(queue.status.obstacle(at: at(30)) == nil)
    _ = queue.unanswered(id(1), reason: "refused", at: at(31))
    #expect(
      queue.status.obstacle(at: at(31))
        == OriginReport.Obstacle(reason: "refused", lasts: .milliseconds(250)))
  }
}
