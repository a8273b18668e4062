import Blocks
import Filling
import Testing

/// Reads before the length is known, and from origins without ranges.
@Suite(.timeLimit(.minutes(1)))
struct ProofTests {
  @Test func openersShareOneFetchAndGoOnWhenTheLengthIsProved() {
    var scene = Scene(length: nil)
    let now = scene.now
    #expect(scene.event { $0.wantsProof(as: 1, at: now) } == [.fetch(1, 0..<firstFetch, .demand)])
    #expect(scene.event { $0.wantsProof(as: 2, at: now) } == [])
    scene.event { $0.began(1, bytes: 0..<100, whole: false, at: now) }

    let actions = scene.event {
      $0.proved(BlockLayout(length: 100), cachedBlocks: BlockSet(), at: now)
    }
    #expect(actions == [.resume(1), .resume(2)])
  }

  @Test func whoWaitsBeyondTheFirstFetchIsAskedForOnceTheLengthIsProved() {
    var scene = Scene(length: nil)
    let now = scene.now
    scene.read(5.mib..<5.mib + 1, by: scene.state.opened())
    #expect(scene.requests == [0..<firstFetch])
    scene.begin(1)
    scene.event { $0.proved(BlockLayout(length: 9.mib), cachedBlocks: BlockSet(), at: now) }

    #expect(scene.requests == [0..<firstFetch, 5.mib..<5.mib + firstFetch])
  }

  @Test func whatTheStoreHasIsNotFetched() {
    var scene = Scene(length: nil)
    let now = scene.now
    let wait = scene.read(0..<1, by: scene.state.opened()).wait
    scene.begin(1)
    let layout = BlockLayout(length: 9.mib)

    #expect(
      scene.event { $0.proved(layout, cachedBlocks: BlockSet(layout.all), at: now) } == [
        .resume(wait)
      ])
    #expect(scene.state.isComplete)
  }

  @Test func whoLeavesDoesNotTakeTheProofFromOthers() {
    var scene = Scene(length: nil)
    scene.read(0..<1, by: scene.state.opened())
    scene.read(5.mib..<5.mib + 1, by: scene.state.opened())

    #expect(scene.event { $0.abandoned(1) } == [.fail(1, .interrupted)])
    #expect(scene.underWay == [1])
  }

  @Test func whereNothingCanBeProvedAllAreTold() {
    var scene = Scene(length: nil)
    scene.read(5.mib..<5.mib + 1, by: scene.state.opened())
    for fetch in (1...8).map(FetchID.init(_:)) {
      scene.end(fetch, .failed)
      scene.pass(.milliseconds(4500))
    }

    #expect(scene.state.waitingCount == 0)
  }

  @Test func anOpenEndsAtItsDeadline() {
    var scene = Scene(length: nil)
    let now = scene.now
    scene.event { $0.wantsProof(as: 1, at: now) }

    #expect(scene.pass(.seconds(60)) == [.fail(1, .unreachable), .cancel(1)])
  }

  // MARK: Whole bodies

  /// A reader waits for the bytes at 10 MiB; the origin answers with the whole file from the start.
  private func whole() -> (Scene, handle: FillState.HandleID) {
    var scene = Scene(length: 20.mib)
    let handle = scene.state.opened()
    scene.read(10.mib..<10.mib + 4.kib, by: handle)
    scene.begin(1, whole: 20.mib)
    return (scene, handle)
  }

  @Test func aWholeBodyIsOneSequentialFill() {
    var (scene, handle) = whole()
    let near = scene.read(0..<4.kib, by: handle)

    #expect(near.actions == [])
    #expect(scene.give(0..<1.mib, in: 1) == [.resume(near.wait)])
    #expect(scene.give(1.mib..<11.mib, in: 1) == [.resume(1)])
    #expect(scene.requests.count == 1)
  }

  @Test func aWholeBodyMakesOtherFetchesNeedless() {
    var scene = Scene(length: 20.mib)
    scene.read(10.mib..<10.mib + 4.kib, by: scene.state.opened())
    scene.read(2.mib..<2.mib + 4.kib, by: scene.state.opened())

    #expect(scene.begin(1, whole: 20.mib) == [.cancel(2)])
    #expect(scene.read(18.mib..<18.mib + 1, by: scene.state.opened()).actions == [])
    #expect(scene.underWay == [1])
  }

  @Test func aWholeBodyGoesOnWhileSomeoneHasTheFileOpen() {
    var (scene, handle) = whole()
    #expect(scene.event { $0.abandoned(1) } == [.fail(1, .interrupted)])
    #expect(scene.read(0..<1, by: handle).actions == [])
    #expect(scene.event { $0.abandoned(2) } == [.fail(2, .interrupted)])

    #expect(scene.close(handle) == [.cancel(1)])
  }

  @Test func aBrokenWholeBodyIsAskedForOnceMore() {
    var (scene, _) = whole()
    scene.read(15.mib..<16.mib, by: scene.state.opened())
    scene.give(0..<5.mib, in: 1)
    scene.end(1, .failed)

    #expect(scene.requests.count == 2)
    scene.begin(2, whole: 20.mib)
    #expect(scene.state.accepts(0..<16.kib, in: 2) == 16.kib..<16.kib)
    #expect(scene.give(5.mib..<20.mib, in: 2) == [.resume(1), .resume(2)])
  }

  @Test func anOriginThatHasRangesAfterAllIsAskedForRanges() {
    var (scene, handle) = whole()
    scene.read(15.mib..<15.mib + 4.kib, by: handle)
    scene.end(1, .failed)
    scene.pass(.seconds(1))
    #expect(scene.requests.last == 10.mib..<10.mib + firstFetch)

    #expect(scene.begin(2) == [.fetch(3, 15.mib..<15.mib + firstFetch, .demand)])
    #expect(!scene.state.originLacksRanges)
  }
}
