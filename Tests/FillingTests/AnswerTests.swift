import Blocks
import Testing

@testable import Filling

/// Reactions to answers that are not the requested bytes.
@Suite(.timeLimit(.minutes(1)))
struct AnswerTests {
  /// A reader that waits for the first bytes, as wait 1, with fetch 1 under way.
  private var scene: Scene
  private let handle: FillState.HandleID

  init() {
    scene = Scene()
    handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
  }

  @Test mutating func busyIsLeftAloneForAsLongAsItAsks() {
    #expect(scene.end(1, .busy(after: .seconds(30))) == [])
    #expect(scene.state.nextWake(after: scene.now) == scene.now + .seconds(30))
    #expect(scene.pass(.seconds(29)) == [])
    #expect(scene.pass(.seconds(1)) == [.fetch(2, 0..<firstFetch, .demand)])
  }

  @Test mutating func aReaderDoesNotWaitLongerBecauseTheOriginIsBusyLonger() {
    scene.end(1, .busy(after: .seconds(300)))

    #expect(scene.pass(.seconds(60)) == [.fail(1, .unreachable)])
  }

  @Test mutating func anExpiredAddressIsRenewedOnceAndReadingGoesOn() {
    #expect(scene.end(1, .gone) == [.renew])
    #expect(scene.read(100..<200, by: handle).actions == [])
    let now = scene.now
    let actions = scene.event { $0.renewed(changed: true, at: now) }

    #expect(actions == [.fetch(2, 0..<firstFetch, .demand)])
    #expect(scene.end(2, .gone) == [.fail(1, .unreachable), .fail(2, .unreachable)])
  }

  @Test mutating func anAddressThatCannotBeRenewedEndsTheWait() {
    scene.end(1, .gone)
    let now = scene.now

    #expect(scene.event { $0.renewed(changed: false, at: now) } == [.fail(1, .unreachable)])
  }

  @Test mutating func anAddressThatWorkedMayBeRenewedAgain() {
    scene.end(1, .gone)
    let now = scene.now
    scene.event { $0.renewed(changed: true, at: now) }
    scene.begin(2)
    scene.give(0..<64.kib, in: 2)
    scene.end(2, .failed)
    scene.read(200.kib..<201.kib, by: handle)

    #expect(scene.end(3, .gone).contains(.renew))
  }

  @Test mutating func anAddressWhoseAnswerBrokeOffAtOnceMayBeRenewedLater() {
    scene.end(1, .gone)
    let now = scene.now
    scene.event { $0.renewed(changed: true, at: now) }
    scene.begin(2)
    scene.end(2, .failed)
    scene.pass(.seconds(5))

    #expect(scene.end(3, .gone).contains(.renew))
  }

  @Test mutating func whileAnAddressIsRenewedNothingIsAsked() {
    scene.read(20.mib..<20.mib + 1, by: scene.state.opened())
    let actions = scene.end(1, .gone)

    #expect(actions == [.cancel(2), .renew])
    #expect(scene.end(2, .gone) == [])
    #expect(scene.pass(.seconds(5)) == [])
    #expect(scene.read(5.mib..<5.mib + 1, by: handle).actions == [])
  }

  @Test mutating func anAddressThatMayNotBeAskedFailsAtOnce() {
    #expect(scene.end(1, .blocked) == [.fail(1, .unreachable)])
  }

  @Test mutating func bytesThatCannotBeHadFailAtOnceAndOthersDoNot() {
    let other = scene.state.opened()
    scene.read(20.mib..<20.mib + 1, by: other)
    #expect(scene.end(1, .impossible) == [.fail(1, .unreachable)])
    scene.begin(2)
    #expect(scene.give(20.mib..<20.mib + 4.kib, in: 2).contains(.resume(2)))
    // They are not asked for by themselves.
    #expect(scene.pass(.seconds(60)).allSatisfy { if case .fetch = $0 { false } else { true } })
  }

  @Test mutating func aReaderBehindABlockThatCannotBeHadGetsItsBytes() {
    let block = BlockLayout.standardBlockSize
    let (same, behind) = (scene.state.opened(), scene.state.opened())
    // Both are within what the first fetch brings.
    let lost = scene.read(block - 4.kib..<block, by: same).wait
    let good = scene.read(block..<block + 4.kib, by: behind).wait
    #expect(scene.requests == [0..<firstFetch] && block + 4.kib <= firstFetch)
    scene.begin(1)

    let actions = scene.end(1, .impossible)
    #expect(actions.prefix(2) == [.fail(1, .unreachable), .fail(lost, .unreachable)])
    #expect(!actions.contains(.fail(good, .unreachable)))
    #expect(scene.requests.last?.lowerBound == block)
    let fetch = scene.underWay.last ?? 0
    scene.begin(fetch)
    #expect(scene.give(block..<block + 4.kib, in: fetch).contains(.resume(good)))
  }

  /// The fetch asks for some cached bytes too, to compare them.
  @Test func aBlockBehindACachedOneThatCannotBeHadIsNotAskedForAgain() {
    var scene = Scene(cached: 0..<1.mib)
    let wait = scene.read(1.mib..<1.mib + 4.kib, by: scene.state.opened()).wait
    #expect(scene.requests.count == 1 && scene.requests[0].lowerBound < 1.mib)
    #expect(scene.end(1, .impossible) == [.fail(wait, .unreachable)])
  }

  @Test mutating func whatCameBeforeSuchBytesIsRight() {
    scene.read(2.mib..<2.mib + 1, by: handle)
    scene.begin(1)
    #expect(scene.give(0..<4.kib, in: 1).contains(.resume(1)))
    let actions = scene.end(1, .impossible)
    #expect(!actions.contains(.fail(1, .unreachable)))
  }

  @Test(arguments: [FetchEnd.changed, .unsatisfiable(length: 5)])
  mutating func aChangedVersionIsStaleWhereItIsMissing(end: FetchEnd) {
    scene.begin(1)
    scene.give(0..<4.kib, in: 1)
    let missing = scene.read(10.mib..<10.mib + 1, by: handle).wait
    let fetch = scene.underWay.last ?? 0

    // A reader that hears of it and opens the file again must find the new version.
    #expect(scene.end(fetch, end).first == .becameStale)
    #expect(scene.state.waitingCount == 0)
    #expect(!scene.state.isFetching)
    let held = scene.read(0..<4.kib, by: handle)
    #expect(held.actions == [.resume(held.wait)])
    let stale = scene.read(0..<5.kib, by: handle)
    #expect(stale.actions == [.fail(stale.wait, .changed)])
    #expect(missing != stale.wait)
    #expect(scene.event { $0.becomeStale() } == [])
  }

  @Test(arguments: [Int?.none, 64.mib])
  mutating func anUnsatisfiableRangeOfTheSameLengthIsAskedAgain(length: Int?) {
    #expect(scene.end(1, .unsatisfiable(length: length)) == [])
    #expect(scene.pass(.seconds(1)) == [.fetch(2, 0..<firstFetch, .demand)])
  }
}
