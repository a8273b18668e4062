import Blocks
import Quantities
import TestSupport
import Testing

@testable import FeedMount

/// How long the kernel waits for an answer, by the network mode.
@Suite(.timeLimit(.minutes(1)))
struct NetworkControlTests {
  private let time = ManualTime()

  private func timeout(_ control: NetworkControl) -> Duration {
    control.answerTimeout(usual: .seconds(60), paused: .seconds(600))
  }

  @Test func aReaderWaitsThroughAPauseAndAWhileAfterIt() {
    let control = NetworkControl(.online, rate: .unlimited, clock: time)
    #expect(timeout(control) == .seconds(60))
    control.turn(.paused)
    #expect(timeout(control) == .seconds(660))
    time.advance(by: .seconds(3600))
    control.turn(.online)
    time.advance(by: .seconds(59))
    #expect(timeout(control) == .seconds(660))
    time.advance(by: .seconds(1))
    #expect(timeout(control) == .seconds(60))
  }

  @Test func nobodyWaitsLongerWhileOffline() {
    let control = NetworkControl(.offline, rate: .unlimited, clock: time)
    control.turn(.online)
    #expect(timeout(control) == .seconds(60))
  }
}
