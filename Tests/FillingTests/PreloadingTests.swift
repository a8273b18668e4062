import Blocks
import TestSupport
import Testing

@testable import Filling

/// Fetches of bytes that no reader waits for.
@Suite(.timeLimit(.minutes(1)))
struct PreloadingTests {
  // MARK: The index

  @Test func anIndexAtTheEndIsAskedForBeforeItsReaderGoesThere() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    scene.begin(1)
    let now = scene.now
    scene.event { $0.found(indexAt: 63.mib, at: now) }

    #expect(scene.requests == [0..<firstFetch, 63.mib..<64.mib])
    #expect(scene.asked.last?.urgency == .ahead)
    scene.read(63.mib..<63.mib + 1, by: handle)
    #expect(scene.requests.count == 2)
    #expect(scene.cancelled == [])
  }

  @Test func itIsAskedForAtTheFirstReadIfTheHeadCameBefore() {
    var scene = Scene()
    let now = scene.now
    #expect(scene.event { $0.found(indexAt: 63.mib, at: now) } == [])
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    scene.read(4.kib..<8.kib, by: handle)

    #expect(
      scene.requests.sorted { $0.lowerBound < $1.lowerBound } == [0..<firstFetch, 63.mib..<64.mib])
  }

  @Test func aScannerOfHeadsNeedsNoIndex() {
    var scene = Scene()
    let handle = scene.state.opened(isScanner: true)
    scene.read(0..<4.kib, by: handle)
    let now = scene.now
    scene.event { $0.found(indexAt: 63.mib, at: now) }

    #expect(scene.requests == [0..<firstFetch])
  }

  @Test func anIndexBeyondTheEndIsNone() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    let now = scene.now

    #expect(scene.event { $0.found(indexAt: 64.mib, at: now) } == [])
  }

  // MARK: Parts

  @Test func headAndTailAndTenSecondsAreFetchedOneAfterTheOther() {
    var scene = Scene()
    scene.state.duration = .seconds(64)
    let now = scene.now
    scene.event { $0.preloads([.head, .tail, .opening], at: now) }
    #expect(scene.underWay.count == 1)
    scene.serveAll()

    #expect(
      scene.requests == [
        0..<firstFetch, 64.mib - 256.kib..<64.mib, firstFetch..<8.mib + 512.kib,
        8.mib + 512.kib..<10.mib,
      ])
    #expect(scene.asked.allSatisfy { $0.urgency == .background })
  }

  @Test func whatIsNotKnownYetIsProvedFirst() {
    var scene = Scene(length: nil)
    let now = scene.now
    scene.event { $0.preloads([.head, .tail], at: now) }
    #expect(scene.requests == [0..<firstFetch])
    scene.event { $0.proved(BlockLayout(length: 2.mib), cachedBlocks: BlockSet(), at: now) }
    scene.serveAll()

    #expect(scene.requests == [0..<firstFetch, 2.mib - 256.kib..<2.mib])
  }

  @Test func theTailReachesBackToTheIndex() {
    var scene = Scene()
    let now = scene.now
    scene.event { $0.found(indexAt: 62.mib, at: now) }
    scene.event { $0.preloads([.tail], at: now) }

    #expect(scene.requests == [62.mib..<64.mib])
  }

  @Test func allIsFetchedInPieces() {
    var scene = Scene(length: 20.mib + 5)
    let now = scene.now
    scene.event { $0.preloads([.whole], at: now) }
    scene.serveAll()

    #expect(scene.state.isComplete)
    #expect(scene.requests.map(\.count) == [1.mib, 1.mib, 2.mib, 4.mib, 8.mib, 4.mib + 5])
    #expect(scene.event { $0.preloads([.whole], at: now) } == [])
  }

  @Test func nothingIsPreloadedWhileAReaderWaits() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(30.mib..<30.mib + 1, by: handle)
    let now = scene.now

    #expect(scene.event { $0.preloads([.head], at: now) } == [])
    scene.serveAll()
    #expect(scene.requests.map(\.lowerBound) == [30.mib, 0])
  }

  @Test(arguments: [nil, 64.mib]) func whoeverComesToWaitForItIsNotBehindOthers(length: Int?) {
    var scene = Scene(length: length)
    let now = scene.now
    scene.event { $0.preloads([.head], at: now) }
    let handle = scene.state.opened()
    let actions =
      length == nil
      ? scene.event { $0.wantsProof(as: 1, at: now) } : scene.read(0..<1, by: handle).actions

    #expect(actions == [.promote(1)])
    #expect(scene.read(4.kib..<8.kib, by: handle).actions == [])
    #expect(scene.requests.count == 1)
  }

  @Test func whatTheStoreDoesNotKeepIsNotFetchedOverAndOver() {
    var scene = Scene()
    let now = scene.now
    scene.event { $0.preloads([.whole], at: now) }
    scene.begin(1)
    let first = BlockIndex(0)
    scene.event { $0.arrived(0..<1.mib, in: 1, displacing: [first], at: now) }
    scene.end(1, .complete)

    #expect(scene.requests.count == 1)
  }

  @Test func anAnswerThatBringsNothingIsNotAskedForAgain() {
    var scene = Scene()
    let now = scene.now
    scene.event { $0.preloads([.whole], at: now) }
    scene.begin(1)
    scene.end(1, .complete)

    #expect(scene.requests.count == 1)
  }

  @Test func whatIsWantedNoMoreIsDropped() {
    var scene = Scene()
    let now = scene.now
    scene.event { $0.preloads([.whole], at: now) }
    let under = scene.underWay

    #expect(scene.event { $0.preloads([], at: now) } == under.map { .cancel($0) })
    #expect(scene.underWay == [])
  }

  // MARK: Buffer states

  @Test func aReaderIsCalmOnceItHasItsWindow() {
    var scene = Scene(length: 512.mib)
    let handle = scene.state.opened()
    #expect(scene.state.bufferState == .idle)
    scene.read(0..<128.kib, by: handle)
    #expect(scene.state.bufferState == .starved)
    scene.serveAll()
    #expect(scene.state.bufferState == .idle)
    scene.now += .seconds(60)
    scene.scan(128.kib..<8.mib, by: handle)
    #expect(scene.state.bufferState == .buffered)
    let now = scene.now
    scene.event { $0.preloads([.tail], at: now) }
    #expect(scene.state.bufferState == .buffered)
    scene.read(300.mib..<300.mib + 1, by: handle)
    #expect(scene.state.bufferState == .starved)
    scene.close(handle)
    scene.serveAll()
    #expect(scene.state.bufferState == .idle)
  }

  @Test func aReaderOfAnOriginWithoutRangesIsCalmOnceItsBytesHaveCome() {
    var scene = Scene(length: 20.mib)
    let handle = scene.state.opened()
    scene.read(0..<128.kib, by: handle)
    scene.begin(1, whole: 20.mib)
    #expect(scene.state.originLacksRanges && scene.state.bufferState == .starved)
    scene.give(0..<20.mib, in: 1)
    scene.end(1, .complete)
    scene.scan(128.kib..<8.mib, by: handle)
    #expect(scene.state.bufferState == .buffered)
  }

  @Test(arguments: [(after: Duration.seconds(60), isTold: true), (.seconds(59), false)])
  func whoReadsOnForLongHasPlayed(after: Duration, isTold: Bool) {
    var rules = FillRules()
    rules.ahead.wholeAfter = .seconds(60)
    let layout = BlockLayout(length: 64.mib)
    var state = FillState(layout: layout, cachedBlocks: BlockSet(layout.all), rules: rules, seed: 1)
    let handle = state.opened()
    _ = state.noted(0..<1.mib, by: handle, at: .seconds(5))
    let actions = state.noted(1.mib..<2.mib, by: handle, at: .seconds(5) + after)

    #expect(actions == (isTold ? [.played] : []))
    #expect(state.noted(2.mib..<3.mib, by: handle, at: .seconds(5) + after) == [])
  }

  @Test func whoHasACompleteFileOpenForTenSecondsPlaysIt() {
    var scene = Scene(cached: 0..<64.mib)
    let handle = scene.state.openedUnseen(at: scene.now)
    #expect(scene.state.bufferState == .idle)
    #expect(scene.state.nextWake(after: scene.now) == scene.now + .seconds(10))
    scene.pass(.seconds(9))
    #expect(scene.state.bufferState == .idle)
    scene.pass(.seconds(1))
    #expect(scene.state.bufferState == .buffered)
    #expect(scene.state.nextWake(after: scene.now) == nil)
    scene.close(handle)
    #expect(scene.state.bufferState == .idle)
  }

  // MARK: The plan

  @Test func theTwoBehindTheOneThatPlaysArePreloadedWhileNobodyIsInAHurry() {
    var plan = PreloadPlan<Int>()
    plan.noted(.buffered, of: 1) { [2, 3] }
    #expect(plan.parts == [2: [.head, .tail, .opening], 3: [.head, .tail, .opening]])
    plan.noted(.starved, of: 7) { [] }
    #expect(plan.parts == [:])
    #expect(plan.names == [2, 3])
    plan.noted(.idle, of: 7) { [] }
    #expect(plan.parts.count == 2)
    plan.noted(.idle, of: 1) { [] }
    #expect(plan.names == [])
  }

  @Test func allOfWhatWasPlayedIsFetchedUntilItIsThere() {
    var plan = PreloadPlan<Int>()
    plan.wantsAll(of: 1)
    plan.wantsAll(of: 1)
    plan.noted(.buffered, of: 2) { [1] }
    #expect(plan.parts == [1: [.head, .tail, .opening, .whole]])
    plan.noted(.idle, of: 2) { [] }
    #expect(plan.parts == [1: [.whole]])
    plan.noted(.buffered, of: 2) { [1, 3] }
    plan.isDone(with: 1)
    #expect(plan.names == [3])
  }

  @Test func onAMeteredLineOnlyTheNextHeadIsPreloadedAndWhatACommandAsksFor() {
    var plan = PreloadPlan<Int>()
    plan.noted(.buffered, of: 1) { [2, 3] }
    plan.wantsAll(of: 4, because: .pinned)
    plan.wantsAll(of: 5)
    plan.wantsAll(of: 6, because: .asked)
    plan.isMetered = true
    #expect(plan.parts == [2: [.head], 6: [.whole]])
    plan.isMetered = false
    #expect(plan.parts[3] == [.head, .tail, .opening] && plan.filled == [6, 5])
  }

  /// An origin that gives each connection 200 kB in a tenth of a second.
  @Test func whatIsFetchedWholeGetsAsManyLanesAsAReader() {
    var scene = Scene(length: 96.mib)
    let start = scene.now
    scene.event { $0.preloads([.whole], at: start) }
    var most = 0
    while !scene.state.isComplete, scene.now - start < .seconds(60) {
      scene.now += .milliseconds(20)
      for fetch in scene.underWay {
        guard let progress = scene.state.fetches[fetch] else { continue }
        if !progress.began { scene.begin(fetch) }
        let end = min(progress.position + 40_000, progress.bytes.upperBound)
        scene.give(progress.position..<end, in: fetch)
        if end == progress.bytes.upperBound { scene.end(fetch, .complete) }
      }
      most = max(most, scene.underWay.count)
    }
    #expect(scene.state.isComplete)
    // One lane needs 50 s.
    #expect(scene.now - start < .seconds(16), "\(scene.now - start), \(most) at once")
  }

  @Test func whoWaitsForAFileComesBeforeWhatIsPinnedAndTwoAreFilledAtOnce() {
    var plan = PreloadPlan<Int>()
    for name in 1...3 { plan.wantsAll(of: name, because: .pinned) }
    #expect(plan.filled == [1, 2] && plan.filled.count == Figure.pinsAtOnce.count)
    plan.wantsAll(of: 3, because: .asked)
    #expect(plan.filled == [3, 1])
    plan.postpone(1)
    #expect(plan.filled == [3, 2])
    plan.isThere(3)
    #expect(plan.filled == [2, 3])
    plan.isDone(with: 2)
    plan.release(3, as: .pinned)
    #expect(plan.filled == [1] && plan.isFilling)
    plan.release(1, as: .pinned)
    #expect(!plan.isFilling)
  }
}
