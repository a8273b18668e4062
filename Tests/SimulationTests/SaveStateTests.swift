import Testing

@testable import FeedMount

/// A catalog is saved once for many changes, and again until the disk takes it.
@Suite(.timeLimit(.minutes(1)))
struct SaveStateTests {
  @Test func oneSaveServesAllChangesUntilThen() {
    var state = SaveState()
    let times = (0..<2).map { _ in state.changed() }
    let isDue = (0..<2).map { _ in state.isDue() }
    let next = state.changed()

    #expect(times == [.milliseconds(500), nil])
    #expect(isDue == [true, false])
    #expect(next == .milliseconds(500))
  }

  @Test func aSaveAtOnceReplacesTheScheduledOne() {
    var state = SaveState()
    _ = state.changed()
    _ = state.begins(1)
    let isDue = state.isDue()

    #expect(isDue == false)
  }

  @Test func theEditionOnTheDiskIsNotSavedAgain() {
    var state = SaveState()
    let isFirst = state.begins(1)
    _ = state.succeeded(1)
    let begins = [1, 2].map { state.begins($0) }

    #expect(isFirst)
    #expect(begins == [false, true])
  }

  @Test func aFailureIsTriedAgainLessAndLessOften() {
    var state = SaveState()
    let pauses = (0..<7).map { _ in
      _ = state.begins(1)
      return state.failed("full").retry
    }
    let trouble = state.trouble
    let hadFailed = state.succeeded(1)

    #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
    #expect(trouble == "full")
    #expect(hadFailed)
    #expect(state.trouble == nil)
  }

  @Test func onlyANewReasonIsNews() {
    var state = SaveState()
    let news = ["full", "full", "read-only"].map { state.failed($0).isNews }

    #expect(news == [true, false, true])
  }

  @Test func nothingIsScheduledAfterTheEnd() {
    var state = SaveState()
    state.end()
    let times = [state.changed(), state.failed("full").retry]

    #expect(times == [nil, nil])
  }
}
