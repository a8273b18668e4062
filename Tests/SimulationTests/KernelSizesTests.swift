import Blocks
import Testing

@testable import Catalog
@testable import FeedMount
@testable import FeedReading

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
    _ = sizes.told(7, hasIt: true, openers: [1])
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
    _ = sizes.told(7, hasIt: false, openers: [1])
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
    _ = sizes.told(7, hasIt: false, openers: [1])
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

  // MARK: Files that grow

  @Test func aFileThatGrowsIsToldOnceBeforeItsFirstOpenAndAgainBehindItsEnd() {
    var sizes = KernelSizes()
    sizes.claimed(0, of: 7)
    #expect(sizes.opensGrowing(7, at: 4096, claim: 1000, by: 1) == .tell(isGreater: true))
    #expect(sizes.opensGrowing(7, at: 8192, claim: 1000, by: 2) == .wait)
    let isAnother = sizes.told(7, hasIt: true, openers: [1, 2])
    #expect(!isAnother)
    #expect(sizes.opensGrowing(7, at: 12_288, claim: 1000, by: 3) == .answer)
    #expect(sizes.reads(7) == .answer, "its length is not proved")
    sizes.grew(7, to: 16_384)
    #expect(sizes.toldWhileGrowing(7) == 16_384)
    sizes.grew(7, to: 4096)
    #expect(sizes.toldWhileGrowing(7) == 16_384 && sizes.toldWhileGrowing(8) == nil)
    sizes.proved(20_000, of: 7, claim: 1_000_000)
    #expect(sizes.reads(7) == .tell(isGreater: true), "no claim was told since it was opened")
    #expect(sizes.reads(7) == .wait)
    #expect(sizes.opens(7, by: 4) == .wait)
    _ = sizes.told(7, hasIt: true, openers: [4])
    #expect(sizes.reads(7) == .answer)
    #expect(sizes.opens(7, by: 4) == .answer)
  }

  /// The end of a short body comes between the look at the file and the answer to its open.
  @Test func aLengthThatIsProvedDuringTheOpenIsWhatIsTold() {
    var sizes = KernelSizes()
    #expect(sizes.provedMeanwhile(7) == nil)
    sizes.proved(5000, of: 7, claim: 0)
    #expect(sizes.provedMeanwhile(7) == 5000)
    #expect(sizes.opens(7, by: 1) == .tell(isGreater: true))
    #expect(sizes.provedMeanwhile(7) == 5000, "another open waits for the same notice")
    _ = sizes.told(7, hasIt: true, openers: [1])
    #expect(sizes.provedMeanwhile(7) == nil)

    #expect(sizes.opensGrowing(8, at: 4096, claim: 0, by: 1) == .tell(isGreater: true))
    #expect(sizes.provedMeanwhile(8) == nil, "it is not the length")
    sizes.proved(5000, of: 8, claim: 0)
    #expect(sizes.provedMeanwhile(8) == 5000)
  }

  /// An opener sees that a file grows. Before it goes on, the length is proved, and another opener has
  /// brought it to the kernel. What is told of files that grow is less, and nothing would correct it.
  @Test func anOpenerThatSawAFileGrowGoesByTheLengthThatTheKernelHasGotMeanwhile() throws {
    var catalog = Catalog(feed: try FeedKey("http://o/feed"))
    let page = """
      <rss version='2.0'><channel><item><guid>a</guid><title>a</title>
      <enclosure url='http://o/a.mp4'/></item></channel></rss>
      """
    _ = catalog.merge(
      try FeedParser.parse(Array(page.utf8), base: "http://o/feed"), answer: PageFacts(), now: 1,
      keep: { _ in true }, fileExtension: MediaType.fileExtension(of:))
    let entry = try #require(catalog.entry(number: 1))
    var state = LiveCatalog.State(
      catalog: CatalogStore(catalog), typicalLengths: TypicalLengths(9000),
      changes: ChangeLog(at: 0))
    state.grows(entry.inode)
    #expect(state.provedMeanwhile(entry.inode) == nil)
    let proof = Representation(length: 5000, validator: .none)
    state.know(KnownBody(proof, type: nil, freshFor: .zero, at: 1), of: entry)
    #expect(state.provedMeanwhile(entry.inode) == 5000)
    #expect(state.sizes.opens(entry.inode, by: 2) == .tell(isGreater: false))
    _ = state.sizes.told(entry.inode, hasIt: true, openers: [2])

    #expect(state.provedMeanwhile(entry.inode) == 5000)
    #expect(state.sizes.opens(entry.inode, by: 1) == .answer)
  }

  @Test func aReadGetsNothingIfTheKernelDoesNotTakeTheSize() {
    var sizes = KernelSizes()
    _ = sizes.opensGrowing(7, at: 4096, claim: 0, by: 1)
    _ = sizes.told(7, hasIt: true, openers: [1])
    sizes.proved(5000, of: 7, claim: 0)
    #expect(sizes.reads(7) == .tell(isGreater: true))
    #expect(sizes.opens(7, by: 2) == .wait)
    _ = sizes.told(7, hasIt: false, openers: [2])
    #expect(sizes.reads(7) == .lookAgain)
    #expect(sizes.opens(7, by: 2) == .answer)
    #expect(sizes.reads(7) == .answer)
  }

  /// The kernel cannot be told that a file is smaller. So the opener looks, and may look too early.
  @Test func aGreaterClaimIsForgottenAndALengthThatIsProvedMeanwhileIsToldAllTheSame() {
    var sizes = KernelSizes()
    #expect(sizes.opensGrowing(7, at: 4096, claim: 90_000, by: 1) == .tell(isGreater: false))
    _ = sizes.told(7, hasIt: false, openers: [1])
    sizes.proved(5000, of: 7, claim: 90_000)
    #expect(sizes.opens(7, by: 2) == .lookAgain)
    #expect(sizes.opens(7, by: 1) == .tell(isGreater: true))
    #expect(sizes.opens(7, by: 2) == .wait)
    _ = sizes.told(7, hasIt: true, openers: [1, 2])
    #expect(sizes.opens(7, by: 3) == .answer)
  }

  @Test func aGreaterClaimThatWasForgottenIsNotToldAgain() {
    var sizes = KernelSizes()
    #expect(sizes.opensGrowing(7, at: 4096, claim: 90_000, by: 1) == .tell(isGreater: false))
    _ = sizes.told(7, hasIt: false, openers: [1])
    #expect(sizes.opensGrowing(7, at: 8192, claim: 90_000, by: 1) == .answer)
    sizes.proved(9000, of: 7, claim: 90_000)
    #expect(sizes.reads(7) == .tell(isGreater: true))
  }

  @Test func aLengthThatIsProvedWhileAnotherSizeIsToldIsToldNext() {
    var sizes = KernelSizes()
    #expect(sizes.opensGrowing(7, at: 4096, claim: 0, by: 1) == .tell(isGreater: true))
    sizes.proved(5000, of: 7, claim: 0)
    #expect(sizes.opens(7, by: 2) == .wait)
    let isAnother = sizes.told(7, hasIt: true, openers: [1, 2])
    #expect(isAnother)
    #expect(sizes.opens(7, by: 2) == .tell(isGreater: true))
  }
}
