import Glibc
import Locks
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

  @Test func whoWaitsForTooLongIsToldOfAndItsWaitEnded() {
    let ended = Locked(0)
    let start = SuspendingClock().now
    _ = parked.park(
      1, by: Caller(thread: getpid()), of: 1, for: "an origin", since: start, story: { "a story" }
    ) { ended.withLock { $0 += 1 } }
    _ = park(2, for: "another")

    let early = parked.overdue(since: start - .seconds(1), at: start)
    #expect(early == [])
    let now = start + .seconds(120)
    let late = parked.overdue(since: start, at: now)
    #expect(late.map(\.cause) == ["an origin"])
    #expect(late.map(\.story) == ["a story"])
    #expect(late.map(\.age) == [.seconds(120)])
    #expect(late.map(\.thread) == [getpid()])
    #expect(ended.withLock(\.self) == 1)
  }

  @Test func whoWaitsForAsLongAsBytesComeIsNotOverdueWhileTheyDo() {
    let start = SuspendingClock().now
    let silence = Locked<Duration?>(.seconds(30))
    _ = parked.park(
      1, by: Caller(thread: getpid()), of: 1, for: "an origin", since: start, story: { "" },
      silence: { silence.withLock(\.self) }
    ) {}
    let now = start + .seconds(1000)
    #expect(parked.overdue(since: now - .seconds(60), at: now) == [])
    silence.withLock { $0 = .seconds(61) }
    #expect(parked.overdue(since: now - .seconds(60), at: now).count == 1)
    silence.withLock { $0 = nil }
    #expect(parked.overdue(since: now - .seconds(60), at: now).map(\.hasNoEnd) == [true])
  }

  @Test func whoStillWaitsThenHasNoEnd() {
    let start = SuspendingClock().now
    for number in [1, 2] as [UInt] {
      _ = parked.park(
        number, by: Caller(thread: getpid()), of: 1, for: "\(number)", since: start, story: { "" }
      ) { [parked] in if number == 2 { parked.answered(2) } }
    }
    let first = parked.overdue(since: start, at: start)
    #expect(first.map(\.hasNoEnd) == [false, false])

    let second = parked.overdue(since: start, at: start)
    #expect(second.map(\.cause) == ["1"])
    #expect(second.map(\.hasNoEnd) == [true])
  }

  /// The kernel repeats a read-ahead that failed page by page. Another file is not concerned.
  @Test func aProcessThatIsReleasedWaitsNoMoreAndForAMomentNotAtTheSameHandle() {
    let start = SuspendingClock().now
    let ended = Locked<[UInt]>([])
    let park = { [parked] (number: UInt, process: pid_t, handle: UInt64, time: Duration) in
      parked.park(
        number, by: Caller(thread: process), of: handle, for: "an origin", since: start + time,
        story: { "" }
      ) { ended.withLock { $0.append(number) } }
    }
    #expect(park(1, getpid(), 7, .zero) && park(2, getpid(), 0, .zero) && park(3, 1, 8, .zero))

    #expect(parked.release(getpid(), at: start) == 2)
    #expect(ended.withLock { $0.sorted() } == [1, 2])
    for number in [1, 2] as [UInt] { parked.answered(number) }
    #expect(!park(4, getpid(), 7, .milliseconds(100)))
    #expect(park(5, getpid(), 9, .milliseconds(100)) && park(6, getpid(), 0, .milliseconds(100)))
    #expect(park(7, getpid(), 7, .seconds(1)))
  }

  @Test func whatIsGrantedIsNoMoreThanWasAskedFor() {
    #expect((1...Background.maxRequests).contains(Background.granted))
  }

  private func park(_ number: UInt, for cause: String) -> Bool {
    parked.park(number, by: Caller(thread: getpid()), of: 1, for: cause, story: { "" }) {}
  }
}
