import Blocks
import TestSupport
import Testing

@testable import Filling

/// Each block is fetched once, and every reader continues as soon as possible.
@Suite(.timeLimit(.minutes(1)))
struct SharedFetchTests {
  @Test func twoReadersShareAFetch() {
    var scene = Scene()
    let (one, two) = (scene.state.opened(), scene.state.opened())
    let first = scene.read(0..<128.kib, by: one)
    let second = scene.read(64.kib..<192.kib, by: two)

    #expect(first.actions == [.fetch(1, 0..<firstFetch, .demand)])
    #expect(second.actions == [])
    scene.begin(1)
    #expect(scene.give(0..<128.kib, in: 1) == [.resume(first.wait)])
    #expect(scene.give(128.kib..<192.kib, in: 1) == [.resume(second.wait)])
  }

  /// Pages that the kernel has from one reader, it does not request for the other.
  @Test func whoIsLedByAnotherReaderDoesNotSeek() {
    var scene = Scene()
    let (one, two) = (scene.state.opened(), scene.state.opened())
    for handle in [one, two] { scene.scan(0..<1.mib, by: handle) }
    scene.scan(1.mib..<8.mib, by: one)
    let next = scene.requests.map(\.upperBound).max() ?? 0
    scene.read(next..<next + 128.kib, by: one)
    let under = scene.underWay
    #expect(!under.isEmpty)

    scene.note(6.mib..<6.mib + 128.kib, by: two)
    #expect(scene.cancelled == [])
    scene.close(one)
    #expect(scene.underWay == under)
  }

  @Test func whoIsAloneSeeksWhereverHeGoes() {
    var scene = Scene(cached: 0..<32.mib)
    let handle = scene.state.opened()
    scene.note(0..<1.mib, by: handle)
    scene.note(20.mib..<20.mib + 4.kib, by: handle)

    #expect(scene.requests == [])
  }

  @Test func aReaderGoesOnBeforeItsBlockIsWhole() {
    var scene = Scene()
    let handle = scene.state.opened()
    let wait = scene.read(10..<100, by: handle).wait
    scene.begin(1)

    #expect(scene.give(0..<99, in: 1) == [])
    #expect(scene.give(99..<101, in: 1) == [.resume(wait)])
    #expect(scene.state.holds(0..<101))
    #expect(!scene.state.holds(0..<102))
    #expect(scene.state.cachedBlocks.isEmpty)
  }

  @Test func onlyWhatIsMissingIsAskedFor() {
    var scene = Scene(cached: 64.kib..<128.kib)
    let handle = scene.state.opened()
    scene.read(0..<256.kib, by: handle)

    #expect(scene.requests == [0..<64.kib, 124.kib..<firstFetch])
  }

  @Test func aReadBeyondTheEndIsAnsweredAtOnce() {
    var scene = Scene(length: 100)
    let handle = scene.state.opened()

    #expect(scene.state.holds(100..<200))
    let far = scene.read(Int.max - 10..<Int.max, by: handle)
    #expect(far.actions == [.resume(far.wait)])
    #expect(scene.requests == [])
  }

  @Test func anEmptyRepresentationIsComplete() {
    let scene = Scene(length: 0)

    #expect(scene.state.isComplete)
    #expect(scene.state.holds(0..<4096))
  }

  @Test func aBrokenAnswerIsContinuedInTheMiddleOfItsBlock() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<128.kib, by: handle)
    scene.begin(1)
    scene.give(0..<100_000, in: 1)
    scene.end(1, .failed)

    #expect(scene.requests == [0..<firstFetch, 95_904..<firstFetch])
  }

  @Test func whatOverlapsABeginningIsTakenFromItsEnd() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(64.kib..<65.kib, by: handle)  // block 1 begins …
    scene.begin(1)
    scene.give(64.kib..<80.kib, in: 1)
    scene.close(handle)
    let other = scene.state.opened()
    scene.read(0..<1, by: other)  // … and a fetch of blocks 0 and 1 comes past it.
    scene.begin(2)
    scene.give(0..<64.kib, in: 2)

    #expect(scene.state.accepts(64.kib..<72.kib, in: 2) == 72.kib..<72.kib)
    #expect(scene.state.accepts(72.kib..<88.kib, in: 2) == 80.kib..<88.kib)
  }

  @Test func aPieceThatCrossesIntoABegunBlockBeginsItAnewAsTheStoreDoes() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(64.kib..<65.kib, by: handle)
    scene.begin(1)
    scene.give(64.kib..<80.kib, in: 1)
    scene.close(handle)
    scene.read(0..<1, by: scene.state.opened())
    scene.begin(2)
    scene.give(0..<60.kib, in: 2)
    scene.give(60.kib..<70.kib, in: 2)

    #expect(scene.state.holds(0..<70.kib))
    #expect(!scene.state.holds(0..<71.kib))
    #expect(scene.state.accepts(70.kib..<76.kib, in: 2) == 70.kib..<76.kib)
  }

  // MARK: Fetches without a reader

  /// The kernel's pages are shared: the second reader requests only pages that the first has not
  /// read.
  @Test func aReaderThatTakesOverKeepsWhatIsBeingFetchedForIt() {
    var scene = Scene()
    let first = scene.state.opened()
    let second = scene.state.opened()
    scene.read(0..<4.kib, by: second)
    scene.scan(0..<6.mib, by: first)
    var place = 6.mib
    while scene.underWay.isEmpty {
      scene.read(place..<place + 128.kib, by: first)
      place += 128.kib
    }
    let running = scene.underWay
    let front = scene.bytes(of: running[0]).lowerBound
    scene.read(front..<front + 128.kib, by: second)
    scene.close(first)

    #expect(scene.cancelled == [])
    #expect(scene.underWay == running)
  }

  @Test func aFetchNobodyWaitsForIsDropped() {
    var scene = Scene()
    let handle = scene.state.opened()
    let wait = scene.read(0..<1, by: handle).wait

    let actions = scene.event { $0.abandoned(wait) }

    #expect(actions == [.fail(wait, .interrupted), .cancel(1)])
    #expect(!scene.state.accepts(1))
    #expect(scene.event { $0.abandoned(wait) } == [])
  }

  /// A scene in which the first bytes of a head have come, by a fetch of 960 KiB.
  private func headComing(toLooker isLooker: Bool) -> (Scene, FillState.HandleID) {
    var rules = FillRules()
    rules.heads.firstFetch = Figure.lookedFetch.bytes
    var scene = Scene(rules: rules)
    let handle = scene.state.opened(isLooker: isLooker)
    scene.read(0..<1, by: handle)
    scene.begin(1)
    scene.give(0..<64.kib, in: 1)
    return (scene, handle)
  }

  /// mediainfo opens a film, closes it, and opens it again before it reads.
  @Test func aProgramThatClosesTheFileAndOpensItAgainFindsItsFirstFetch() {
    var (scene, first) = headComing(toLooker: true)
    #expect(scene.close(first) == [])

    scene.now += Figure.reopening.time - .milliseconds(1)
    let again = scene.state.opened(isLooker: true)
    scene.read(64.kib..<128.kib, by: again)
    scene.pass(.milliseconds(1))
    #expect(scene.requests == [0..<Figure.lookedFetch.bytes])
    #expect(scene.underWay == [1])
  }

  @Test func theFetchOfAHeadEndsAMomentAfterALook() {
    var (scene, handle) = headComing(toLooker: true)
    scene.close(handle)

    #expect(scene.state.nextWake(after: scene.now) == scene.now + Figure.reopening.time)
    #expect(scene.pass(Figure.reopening.time) == [.cancel(1), .quiet])
    #expect(scene.state.nextWake(after: scene.now) == nil)
  }

  @Test func theFetchOfAnotherProgramEndsAsSoonAsItHasGone() {
    var (scene, handle) = headComing(toLooker: false)
    #expect(scene.close(handle) == [.cancel(1)])
  }

  @Test func aFetchElsewhereEndsAsSoonAsTheLastReaderHasGone() {
    var scene = Scene()
    let handle = scene.state.opened(isLooker: true)
    scene.scan(0..<6.mib, by: handle)
    var place = 6.mib
    while scene.underWay.isEmpty {
      scene.note(place..<place + 128.kib, by: handle)
      place += 128.kib
    }
    scene.close(handle)

    #expect(scene.underWay.isEmpty)
  }

  @Test(arguments: [(left: 576.kib, isDropped: false), (left: 576.kib + 1, isDropped: true)])
  func aShortRestIsLetRun(left: Int, isDropped: Bool) {
    var scene = Scene(length: 2.mib)
    let handle = scene.state.opened()
    let wait = scene.read(0..<2.mib, by: handle).wait
    scene.begin(1)
    scene.give(0..<2.mib - left, in: 1)

    let dropped: [FillState.Action] = isDropped ? [.cancel(1)] : []
    #expect(scene.event { $0.abandoned(wait) } == [.fail(wait, .interrupted)] + dropped)
  }

  @Test func aFetchThatAnotherStillWaitsForGoesOn() {
    var scene = Scene()
    let (one, two) = (scene.state.opened(), scene.state.opened())
    let first = scene.read(0..<1, by: one).wait
    scene.read(200.kib..<201.kib, by: two)

    #expect(scene.event { $0.abandoned(first) } == [.fail(first, .interrupted)])
    #expect(scene.underWay == [1])
  }

  @Test func aSeekStartsAtTheBlockAskedForAndKeepsTheConnectionOfAFirstFetch() {
    var scene = Scene()
    let handle = scene.state.opened()
    let first = scene.read(0..<128.kib, by: handle).wait
    scene.begin(1)
    scene.give(0..<100.kib, in: 1)
    scene.event { $0.abandoned(first) }
    scene.read(40.mib + 5..<40.mib + 4.kib, by: handle)

    #expect(scene.cancelled == [])
    #expect(scene.requests.last == 40.mib..<40.mib + firstFetch + 64.kib)
  }

  @Test func aSeekOnASlowLineDropsWhatNobodyWants() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<128.kib, by: handle)
    scene.pass(.milliseconds(50))
    scene.begin(1)
    for start in stride(from: 0, to: 384.kib, by: 16.kib) {
      scene.pass(.milliseconds(20))
      scene.give(start..<start + 16.kib, in: 1)
    }
    scene.read(40.mib..<40.mib + 4.kib, by: handle)

    #expect(scene.cancelled == [1])
  }

  @Test func aSeekDropsWhatWasFetchedAhead() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.scan(0..<1.mib, by: handle)
    scene.read(1.mib..<1.mib + 128.kib, by: handle)
    while scene.underWay.isEmpty {
      let next = scene.state.readers.windows[handle]?.next ?? 0
      scene.read(next..<next + 128.kib, by: handle)
    }
    let ahead = scene.underWay
    scene.read(30.mib..<30.mib + 1, by: handle)

    #expect(scene.cancelled == ahead)
  }

  // MARK: Lost blocks

  @Test func lostBlocksAreFetchedAgainForWhoWaits() {
    var scene = Scene(length: 1.mib, cached: 0..<1.mib)
    let now = scene.now
    #expect(scene.event { $0.lost([BlockIndex(3)], at: now) } == [])
    let handle = scene.state.opened()
    scene.read(0..<1.mib, by: handle)

    #expect(scene.requests == [192.kib..<256.kib])
  }

  @Test func aBlockWhoseBeginningIsLostBehindAFetchIsFetchedAgain() {
    var scene = Scene()
    let handle = scene.state.opened()
    let wait = scene.read(0..<128.kib, by: handle).wait
    scene.begin(1)
    scene.give(0..<32.kib, in: 1)
    let now = scene.now
    scene.event { $0.lost([BlockIndex(0)], at: now) }

    #expect(scene.requests == [0..<firstFetch, 0..<64.kib])
    #expect(scene.state.accepts(32.kib..<48.kib, in: 1) == 48.kib..<48.kib)
    #expect(scene.state.accepts(60.kib..<70.kib, in: 1) == 64.kib..<70.kib)
    scene.give(64.kib..<128.kib, in: 1)
    scene.begin(2)
    #expect(scene.give(0..<64.kib, in: 2) == [.resume(wait)])
  }

  @Test func aBlockThatTheStoreGaveUpForTheseBytesIsNotHeld() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<firstFetch, by: handle)
    scene.begin(1)
    scene.give(0..<128.kib, in: 1)
    let now = scene.now
    scene.event {
      $0.arrived(128.kib..<256.kib, in: 1, displacing: [BlockIndex(0), BlockIndex(2)], at: now)
    }

    #expect(!scene.state.holds(0..<1))
    #expect(scene.state.holds(64.kib..<128.kib))
    #expect(!scene.state.holds(128.kib..<129.kib))
    #expect(scene.state.holds(192.kib..<256.kib))
    #expect(scene.requests == [0..<firstFetch, 0..<64.kib, 128.kib..<192.kib])
  }
}
