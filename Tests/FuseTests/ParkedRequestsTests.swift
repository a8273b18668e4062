import Glibc
import Testing

@testable import Fuse

@Suite(.timeLimit(.minutes(1)))
struct ParkedRequestsTests {
  private let parked = ParkedRequests(limit: 8)

  @Test func oneThingThatIsWaitedForTakesHalfOfThePlaces() {
    for number in 1...4 { #expect(park(UInt(number), for: "dead")) }

    #expect(!park(5, for: "dead"))
    for number in 6...9 { #expect(park(UInt(number), for: "alive")) }
    #expect(!park(10, for: "third"))
  }

  @Test func whoHasHisAnswerGivesHisPlaceBack() {
    for number in 1...4 { #expect(park(UInt(number), for: "slow")) }
    parked.answered(2)
    parked.answered(2)
    parked.answered(77)

    #expect(park(5, for: "slow"))
    #expect(!park(6, for: "slow"))
  }

  @Test func whatIsGrantedIsNoMoreThanWasAskedFor() {
    #expect((1...Background.most).contains(Background.granted))
  }

  private func park(_ number: UInt, for cause: String) -> Bool {
    parked.park(number, by: Caller(thread: getpid()), of: 1, for: cause) {}
  }
}
