import Testing

@testable import FeedMount

@Suite(.timeLimit(.minutes(1))) struct ChangeLogTests {
  @Test func whoAsksAgainIsToldWhatHasChangedSince() {
    var log = ChangeLog(at: 1000)
    log.note(1, at: 1010)
    let told = log.revision
    log.note(2, at: 1020)
    log.note(3, at: 1030)

    #expect(log.changed(since: told) == [2, 3])
    #expect(log.changed(since: log.revision) == [])
    #expect(log.changed(since: 1000) == [1, 2, 3])
  }

  @Test func whatChangesAtTheMomentOfAnAnswerIsNews() {
    var log = ChangeLog(at: 1000)
    log.told(1500)  // from another feed of the mount, whose clock is ahead
    log.note(1, at: 1200)

    #expect(log.changed(since: 1500) == [1])
  }

  @Test func aClockThatIsSetBackHidesNothing() {
    var log = ChangeLog(at: 1000)
    log.note(1, at: 2000)
    let told = log.revision
    log.note(2, at: 500)

    #expect(log.changed(since: told) == [2])
  }

  @Test func beforeTheMountWasMadeAnythingMayHaveChanged() {
    let log = ChangeLog(at: 1000)

    #expect(log.changed(since: 999) == nil)
    #expect(log.changed(since: 1001) == nil)
  }

  @Test func moreChangesThanAreToldApartAreAll() {
    var log = ChangeLog(at: 1000)
    let told = log.revision
    for number in 1...10_001 { log.note(number, at: 2000) }

    #expect(log.changed(since: told) == nil)
    #expect(log.changed(since: log.revision) == [])
    log.note(1...100_000, at: 9_000_000)
    #expect(log.changed(since: log.revision - 1) == nil)
    #expect(log.changed(since: log.revision) == [])
  }
}
