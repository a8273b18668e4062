import Testing

@testable import FeedMount

/// The kernel has the proved size before an open is answered.
@Suite struct KernelSizesTests {
  @Test func whatWasKnownWhenTheMountBeganNeedsNothing() {
    var sizes = KernelSizes()
    #expect(sizes.opens(7, by: 1) == .answer)
  }

  @Test func aClaimThatProvesToBeRightNeedsNothing() {
    var sizes = KernelSizes()
    sizes.proved(100, of: 7, claim: 100)
    #expect(sizes.opens(7, by: 1) == .answer)
  }

  @Test func aGreaterSizeIsToldOnceBeforeTheFirstOpenIsAnswered() {
    var sizes = KernelSizes()
    sizes.proved(100, of: 7, claim: 0)
    #expect(sizes.opens(7, by: 1) == .tell(isGreater: true))
    sizes.told(7, hasIt: true, openers: [1])
    #expect(sizes.opens(7, by: 2) == .answer)
  }

  /// A file may have another size when it is opened than when its size was asked for.
  @Test func aSizeThatIsProvedAgainIsToldWhateverWasToldBefore() {
    var sizes = KernelSizes()
    sizes.proved(300, of: 7, claim: 50)
    sizes.proved(200, of: 7, claim: 300)
    #expect(sizes.opens(7, by: 1) == .tell(isGreater: false))
    sizes.proved(100, of: 8, claim: 50)
    sizes.proved(50, of: 8, claim: 100)
    #expect(sizes.opens(8, by: 1) == .tell(isGreater: false), "the kernel may have 100")
    sizes.proved(100, of: 9, claim: 50)
    sizes.proved(400, of: 9, claim: 100)
    #expect(sizes.opens(9, by: 1) == .tell(isGreater: true))
  }

  @Test func whoeverOpensMeanwhileWaitsForTheSameNotice() {
    var sizes = KernelSizes()
    sizes.proved(100, of: 7, claim: 0)
    _ = sizes.opens(7, by: 1)
    #expect(sizes.opens(7, by: 2) == .wait)
  }

  @Test func aSmallerSizeSendsItsOpenersBackUntilOneHasLookedAgain() {
    var sizes = KernelSizes()
    sizes.proved(100, of: 7, claim: 300)
    #expect(sizes.opens(7, by: 1) == .tell(isGreater: false))
    sizes.told(7, hasIt: false, openers: [1])
    #expect(sizes.opens(7, by: 2) == .lookAgain)
    #expect(sizes.opens(7, by: 1) == .answer)
    #expect(sizes.opens(7, by: 3) == .answer)
  }

  @Test func aClaimThatTheFeedHasTakenBackWasToldAllTheSame() {
    var sizes = KernelSizes()
    sizes.claimed(300, of: 7)
    sizes.proved(100, of: 7, claim: 100)
    #expect(sizes.opens(7, by: 1) == .tell(isGreater: false))
  }

  @Test func whoWasSentBackForAnotherReasonIsNotSentBackTwice() {
    var sizes = KernelSizes()
    sizes.proved(100, of: 7, claim: 300)
    sizes.sentBack(1, from: 7)
    #expect(sizes.opens(7, by: 1) == .answer)
  }

  @Test func anOpenerIsSentBackOnceAndNoMore() {
    var sizes = KernelSizes()
    sizes.turnedAway(1)
    let answers = [2, 1, 1].map { sizes.isSecondTry(by: $0) }
    #expect(answers == [false, true, false])
  }

  @Test func noOtherNoticeComesBetweenTheProofAndTheAnswer() {
    var sizes = KernelSizes()
    #expect(sizes.isFree(7))
    sizes.proved(100, of: 7, claim: 300)
    _ = sizes.opens(7, by: 1)
    #expect(!sizes.isFree(7))
    sizes.told(7, hasIt: false, openers: [1])
    #expect(!sizes.isFree(7))
    _ = sizes.opens(7, by: 1)
    #expect(sizes.isFree(7))
  }

  @Test func whateverTheKernelDropsItHasTheSizeWhenAnOpenIsAnswered() {
    for seed in 0..<2_000 {
      var life = SimulatedKernel(seed: UInt64(seed))
      life.run(steps: 60)
      #expect(life.complaint == nil, "seed \(seed)")
      #expect(life.isAnswered, "seed \(seed)")
      guard life.complaint == nil, life.isAnswered else { return }
    }
  }
}
