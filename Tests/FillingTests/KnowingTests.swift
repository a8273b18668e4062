import Blocks
import Testing

@testable import Filling

/// The values that `FillState` and `GrowthState` are made of, each by itself.
@Suite(.timeLimit(.minutes(1)))
struct KnowingTests {
  private static let layout = BlockLayout(length: 100, blockSize: 10)
  private var cached = CachedBytes(whole: BlockSet(BlockIndex(0)..<BlockIndex(2)))

  // MARK: CachedBytes

  @Test mutating func bytesCountOnlyInOrder() {
    #expect(cached.keep(35..<40, of: BlockIndex(3), in: Self.layout) == 0)
    #expect(cached.keep(20..<24, of: BlockIndex(2), in: Self.layout) == 4)
    #expect(cached.keep(24..<30, of: BlockIndex(2), in: Self.layout) == 6)
    #expect(cached.whole == BlockSet(BlockIndex(0)..<BlockIndex(3)))
    #expect(cached.partial.isEmpty)
  }

  @Test mutating func theFirstMissingByteMayLieWithinABlock() {
    _ = cached.keep(20..<24, of: BlockIndex(2), in: Self.layout)

    #expect(cached.firstMissing(in: 5..<24, of: Self.layout) == nil)
    #expect(cached.firstMissing(in: 5..<30, of: Self.layout) == 24)
    #expect(cached.ready(from: 5, in: Self.layout) == 19)
    #expect(cached.accepted(of: 15..<30, in: Self.layout) == 24..<30)
    cached.forget([BlockIndex(1)])
    #expect(cached.firstMissing(in: 5..<24, of: Self.layout) == 10)
  }

  // MARK: Access and Renewal

  @Test func theOriginIsAskedOnlineUnlessItServesAnotherVersion() {
    var access = Access(mode: .online)
    #expect(access.isOpen && access.refusal == nil)

    #expect(access.turn(.paused) == true)
    #expect(!access.isOpen)
    #expect(access.refusal == nil)
    #expect(access.turn(.paused) == false)
    #expect(access.turn(.offline) == true)
    #expect(access.refusal == .offline)
    access.isStale = true
    #expect(access.turn(.online) == true)
    #expect(!access.isOpen)
    #expect(access.refusal == .changed)
    access.hasEnded = true
    #expect(access.turn(.offline) == false)
  }

  @Test func theFeedIsAskedAloneOnlyOnceUntilBytesCome() {
    var access = Access(mode: .online)
    #expect(access.renewal.ask() == true)
    #expect(access.isOpen)
    #expect(access.renewal.ask() == false)
    #expect(access.renewal.askAlone() == false)
    #expect(!access.isOpen)

    #expect(access.renewed() == true)
    #expect(access.isOpen)
    #expect(access.renewal.wasAsked)
    access.renewal.settle()
    #expect(!access.renewal.wasAsked)
  }

  @Test func anAnswerThatNobodyCouldGiveSettlesTheQuestion() {
    var access = Access(mode: .online)
    _ = access.renewal.askAlone()
    _ = access.turn(.paused)

    #expect(access.renewed() == true)
    #expect(!access.renewal.wasAsked)
  }

  // MARK: Readers

  @Test func aLookerMayOpenAgainBeforeItsFetchesAreCancelled() {
    var readers = Readers()
    let (looker, player) = (open(&readers, isLooker: true), open(&readers))

    readers.closed(looker, of: 100, reopening: .seconds(1))
    #expect(readers.areAny && readers.reopeningEnd == nil)
    readers.closed(player, of: 100, reopening: .seconds(2))
    #expect(!readers.areAny && readers.reopeningEnd == nil)
    readers.closed(open(&readers, isLooker: true), of: 100, reopening: .seconds(3))
    #expect(readers.reopeningEnd == .seconds(3))
  }

  @Test func anUnseenReaderPlaysAfterAWhile() {
    var readers = Readers()
    let handle = readers.openedUnseen(playingFrom: .seconds(10))
    #expect(readers.nextPlay(after: .seconds(5)) == .seconds(10))

    readers.tick(.seconds(10))
    #expect(readers.isPlayedUnseen && !readers.hasHandles)
    readers.closed(handle, of: nil, reopening: .zero)
    #expect(!readers.isPlayedUnseen)
  }

  private func open(_ readers: inout Readers, isLooker: Bool = false) -> HandleID {
    readers.opened(isScanner: false, isLooker: isLooker, FillRules())
  }

  // MARK: Suspects

  @Test func bytesAreSuspectUntilTheirLastOnesAgree() {
    var suspects = Suspects(in: Self.layout)
    suspects.suspect(0..<20, isBroken: true, cached, in: Self.layout)
    #expect(suspects.bytes == [0..<20] && suspects.withholds(0..<1))

    #expect(suspects.doubt(in: 0..<18) == nil)
    #expect(suspects.doubt(in: 0..<19) == 18..<19)
    #expect(suspects.agreed(18..<19) == nil)
    let settled = suspects.agreed(19..<20)
    #expect(settled?.bytes == 0..<20)
    #expect(suspects.isEmpty && !suspects.withholds(0..<1))
  }

  @Test func aReaderWaitsForAComparisonOnlyForAWhile() {
    var suspects = Suspects([0..<20], cached: cached, in: Self.layout)
    suspects.isAwaited(5..<6, until: .seconds(1))
    #expect(suspects.endOfWithholding == .seconds(1))

    #expect(suspects.release(at: .milliseconds(999)) == false)
    #expect(suspects.release(at: .seconds(1)) == true)
    #expect(!suspects.withholds(5..<6))
    suspects.withholdAgain(except: [0..<20])
    #expect(!suspects.withholds(5..<6))
    suspects.withholdAgain(except: [])
    #expect(suspects.withholds(5..<6))
  }

  @Test mutating func theEndOfALostBlockMovesBackToWhatIsLeft() {
    var suspects = Suspects(cached: cached, in: Self.layout)
    #expect(suspects.isOpen(at: 20))
    cached.forget([BlockIndex(1)])

    suspects.forget([BlockIndex(1)], cached, in: Self.layout)
    #expect(suspects.isOpen(at: 10) && !suspects.isOpen(at: 20))
  }

  // MARK: Trouble

  @Test func readersAreToldAfterSoManyAnswersInARow() {
    var trouble = Trouble(seed: 1)
    #expect(trouble.again(0..<5, answered: true, limit: 2, at: .zero) == false)
    #expect(!trouble.isOver(at: .zero) && trouble.delays(4..<9, at: .zero))
    #expect(!trouble.delays(5..<9, at: .zero) && !trouble.delays(4..<9, at: .seconds(5)))

    #expect(trouble.again(5..<9, answered: true, limit: 2, at: .zero) == true)
    #expect(trouble.concerns(8..<9))
    trouble.end()
    #expect(trouble.isOver(at: .zero) && trouble.retry(after: .zero) == nil)
  }

  @Test func aFailedReadFailsAgainAtOnceForAWhile() {
    var trouble = Trouble(seed: 1)
    trouble.failed(0..<5, until: .seconds(1))
    trouble.forgetFailures(before: .milliseconds(999))
    #expect(trouble.hasFailed(4..<9) && !trouble.hasFailed(5..<9))
    trouble.forgetFailures(before: .seconds(1))
    #expect(!trouble.hasFailed(4..<9))
  }

  // MARK: Seeks

  @Test func allDelaysTogetherAreNoLongerThanOneConnectionTakes() {
    var seeks = Seeks(hasSpare: false)
    let open = Duration.milliseconds(100)
    #expect(seeks.delay(for: .milliseconds(60), opening: open, at: .zero) == true)
    #expect(seeks.wake(after: .zero) == open)

    seeks.endPutOff(at: .milliseconds(60))
    #expect(seeks.putOff == nil)
    #expect(seeks.delay(for: .milliseconds(60), opening: open, at: .seconds(1)) == false)
    #expect(seeks.delay(for: .milliseconds(30), opening: open, at: .seconds(1)) == true)
  }

  @Test func twoFetchesAtOnceLeaveTwoConnections() {
    var seeks = Seeks(hasSpare: false)
    seeks.started(running: 1)
    #expect(!seeks.hasHadTwo)
    seeks.started(running: 2)
    seeks.started(running: 1)
    #expect(seeks.hasHadTwo && Seeks(hasSpare: true).hasHadTwo)
  }

  // MARK: ReadAhead, Takeover, Preloading

  @Test func theGraceOfAReaderBeginsOnce() {
    var ahead = ReadAhead()
    #expect(ahead.isInGrace(.seconds(2), at: .seconds(1)) == true)
    #expect(ahead.wake(after: .seconds(1)) == .seconds(3))
    #expect(ahead.isInGrace(.seconds(2), at: .seconds(3)) == false)
    #expect(ahead.isGraceOver(at: .seconds(3)))
    ahead.nobodyWaits()
    #expect(!ahead.isGraceOver(at: .seconds(3)))
    #expect(ahead.isInGrace(.seconds(2), at: .seconds(4)) == true)
  }

  @Test func aWaitIsRecentForARoundTrip() {
    var ahead = ReadAhead()
    #expect(!ahead.hasJustWaited(at: .zero, latency: .seconds(1)))
    ahead.waited(at: .zero)
    #expect(ahead.hasJustWaited(at: .seconds(1), latency: .seconds(1)))
    #expect(!ahead.hasJustWaited(at: .seconds(1), latency: .zero))
  }

  @Test func looksForASlowFetchKeepTheirDistance() {
    var takeover = Takeover()
    takeover.looks(at: .seconds(5))
    #expect(takeover.nextLook(begun: .seconds(1), least: .seconds(1)) == .milliseconds(5100))
    #expect(takeover.nextLook(begun: .seconds(6), least: .seconds(1)) == .seconds(7))
  }

  @Test func anOriginServesTwoUntilItTurnsOneAway() {
    var takeover = Takeover()
    takeover.began(streaming: 2)
    takeover.began(streaming: 1)
    #expect(takeover.servesTwo)
    takeover.wasTurnedAway()
    #expect(!takeover.servesTwo)
  }

  @Test func anIndexIsFoundAndAskedForOnce() {
    var preloading = Preloading()
    #expect(preloading.found(indexAt: 100, length: 100) == false)
    #expect(preloading.found(indexAt: 90, length: 100) == true)
    #expect(preloading.unaskedIndex == 90..<100)
    #expect(preloading.found(indexAt: 80, length: 100) == false)

    preloading.askedForIndex()
    #expect(preloading.unaskedIndex == nil && preloading.placeOfDuration == 90)
    preloading.duration = .seconds(1)
    #expect(preloading.placeOfDuration == nil)
  }

  @Test func preloadingRestsUntilItIsAskedForAgain() {
    var preloading = Preloading()
    preloading.set([.head, .whole])
    preloading.pause()
    #expect(preloading.isResting && preloading.isWhole)
    preloading.set([.head])
    #expect(!preloading.isResting && !preloading.isWhole)
  }

  // MARK: LaneSpeed

  @Test func oneLongWaitAndOneFastFetchCountLittle() {
    var line = LaneSpeed(nil)
    line.began(after: .milliseconds(80))
    line.began(after: .milliseconds(160))
    #expect(line.latency == .milliseconds(90))
    line.began(after: .milliseconds(50))
    #expect(line.latency == .milliseconds(50))

    line.learn(1e6)
    line.learn(9e6)
    #expect(line.rate == 1.5e6 && line.overlap == 75_000)
    #expect(line.time(for: 3_000_000) == .seconds(2) && line.slowness(for: 3e6) == 2)
  }

  @Test func aLineIsKnownAfterMoreThanALook() {
    var line = LaneSpeed(KnownLine(latency: .milliseconds(50), rate: 1_000_000))
    #expect(line.known { _ in true } == nil)
    line.arrived(4.mib)
    #expect(line.known { $0 < 2e6 }?.isNarrow == true)
  }

  // MARK: Tail

  @Test func theEndOfAFilmIsHeldBackUntilItIsSettled() {
    var tail = Tail()
    #expect(tail.settle() == nil && !tail.isWanted(1))

    tail.asked(by: 1, unproved: 30, at: .seconds(1))
    #expect(tail.isWanted(1) && !tail.isWanted(2))
    #expect(tail.settle()?.count == 30)
    #expect(tail.settle() == nil && tail.isWanted(1))

    tail.giveUp()
    #expect(!tail.isWanted(1) && tail.fetch == 1)
    #expect(Tail.bytes(30, of: 100) == 70..<100 && Tail.bytes(30, of: 20) == 0..<20)
  }
}
