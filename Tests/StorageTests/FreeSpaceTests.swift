import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1))) struct FreeSpaceTests {
  private let start = ContinuousClock.now

  private func space(_ rule: FreeSpaceRule, free: Int, total: Int = 1000) -> FreeSpace {
    var space = FreeSpace(rule)
    space.saw(FreeSpace.Look(free: free, total: total), at: start)
    return space
  }

  @Test(arguments: [
    (FreeSpaceRule.percent(5), 100, 50, true), (.percent(5), 100, 51, false),
    (.percent(0), 100, 100, true), (.percent(250), 1000, 1, false),
    (.percent(-1), 100, 100, true), (.percent(.nan), 100, 100, true),
    (.bytes(90), 100, 10, true), (.bytes(.min), 100, 100, true), (.bytes(90), 100, 11, false),
    (.bytes(200), 100, 0, false),
  ])
  func whatMustStayFreeStaysFree(rule: FreeSpaceRule, free: Int, asked: Int, granted: Bool) {
    var space = space(rule, free: free)
    #expect(space.grant(asked) == granted)
  }

  @Test func whatWasGrantedIsGoneUntilTheNextLook() {
    var space = space(.bytes(0), free: 100)
    #expect(space.grant(60) == true)
    #expect(space.grant(60) == false)
    #expect(space.grant(40) == true)
    space.saw(FreeSpace.Look(free: 100, total: 1000), at: start)
    #expect(space.grant(60) == true)
  }

  @Test func itIsLookedAtAgainAfterATenthOfASecondOrEightMebibytes() {
    var unknown = FreeSpace(.bytes(0))
    #expect(unknown.mustLook(at: start) == true)
    let look = FreeSpace.Look(free: 100 << 20, total: 1000 << 20)
    var space = space(.bytes(0), free: 100 << 20)
    #expect(space.mustLook(at: start + .milliseconds(99)) == false)
    #expect(space.mustLook(at: start + .milliseconds(100)) == true)
    // The look is under way, and the disk takes its time.
    #expect(space.mustLook(at: start + .seconds(9)) == false)
    space.saw(look, at: start)
    #expect(space.grant(8 << 20) == true)
    #expect(space.mustLook(at: start) == true)
  }

  @Test func whatIsGrantedDuringALookOrIsOnItsWayCounts() {
    var space = space(.bytes(0), free: 100)
    #expect(space.grant(30) == true)
    #expect(space.mustLook(at: start + .seconds(1)) == true)
    #expect(space.grant(20) == true)
    space.saw(FreeSpace.Look(free: 80, total: 1000), pending: 10, at: start)
    #expect(space.grant(51) == false)
    #expect(space.grant(50) == true)
  }

  @Test func aDiskThatDoesNotAnswerIsFull() {
    var space = FreeSpace(.bytes(0))
    space.saw(nil, at: start)
    #expect(space.grant(1) == false)
  }
}
