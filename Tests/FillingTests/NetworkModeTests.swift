import Blocks
import TestSupport
import Testing

@testable import Filling

/// Readers while the user has paused or is offline, and afterwards.
@Suite(.timeLimit(.minutes(1)))
struct NetworkModeTests {
  @Test func aPauseDropsWhatIsUnderWayAndItsReaderGoesOnAfterwards() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    scene.begin(1)
    scene.give(0..<1.kib, in: 1)
    #expect(scene.turn(.paused) == [.cancel(1)])
    #expect(scene.state.waitingCount == 1 && !scene.state.isFetching)

    let after = scene.turn(.online)
    // Bytes that have come are not fetched again, except those that are compared.
    #expect(after.count == 1 && scene.requests.last == 896..<512.kib)
    #expect(scene.give(896..<4.kib, in: 2) == [.resume(1)])
  }

  @Test(arguments: [NetworkMode.paused, .offline]) func nothingIsAskedFor(mode: NetworkMode) {
    var scene = Scene(cached: 0..<2.mib)
    let handle = scene.state.opened()
    scene.turn(mode)
    scene.note(0..<1.mib, by: handle)
    scene.note(1.mib..<2.mib, by: handle)
    scene.read(2.mib..<3.mib, by: handle)
    let now = scene.now
    scene.event { $0.found(indexAt: 63.mib, at: now) }
    scene.event { $0.preloads([.head, .tail], at: now) }
    scene.event { $0.lost([BlockIndex(0)], at: now) }
    scene.pass(.seconds(1))

    #expect(scene.requests == [])
  }

  @Test func whoWaitsInAPauseIsGivenTenMinutesAndThenTheUsualTime() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    scene.turn(.paused)
    scene.read(4.mib..<5.mib, by: handle)
    #expect(scene.pass(Figure.pauseTimeout.time - .seconds(1)) == [])

    scene.turn(.online)
    #expect(!scene.pass(.seconds(59)).contains { $0.isFailure })
    #expect(scene.pass(.seconds(1)).filter(\.isFailure).count == 2)
  }

  @Test func aPauseThatIsTooLongEndsTheRead() {
    var scene = Scene()
    scene.turn(.paused)
    scene.read(0..<4.kib, by: scene.state.opened())

    #expect(scene.pass(Figure.pauseTimeout.time) == [.fail(1, .unreachable)])
  }

  @Test func offlineWhoWaitsIsToldAtOnceAndWhatIsHeldIsRead() {
    var scene = Scene(cached: 0..<1.mib)
    let handle = scene.state.opened()
    scene.read(2.mib..<3.mib, by: handle)
    #expect(scene.turn(.offline).contains(.fail(1, .offline)))
    #expect(scene.read(4.mib..<5.mib, by: handle).1 == [.fail(2, .offline)])
    #expect(scene.state.holds(0..<1.mib))
    #expect(scene.read(0..<1.mib, by: handle).1 == [.resume(3)])

    // The next block may be fetched at once: to be offline is no failure of the origin.
    scene.turn(.online)
    scene.read(4.mib..<5.mib, by: handle)
    #expect(scene.requests.contains { $0.contains(4.mib) })
  }

  @Test func theLengthIsWaitedForInAPauseAndNotOffline() {
    var scene = Scene(length: nil)
    scene.turn(.paused)
    let now = scene.now
    scene.event { $0.wantsProof(as: 7, at: now) }
    #expect(scene.requests == [])
    #expect(scene.turn(.offline) == [.fail(7, .offline)])
    #expect(scene.event { $0.wantsProof(as: 8, at: now) } == [.fail(8, .offline)])
  }

  @Test func anAddressThatCouldNotBeAskedForIsAskedForAgain() {
    var scene = Scene()
    scene.read(0..<4.kib, by: scene.state.opened())
    #expect(scene.end(1, .gone).contains(.renew))
    scene.turn(.paused)
    let now = scene.now
    #expect(scene.event { $0.renewed(changed: false, at: now) } == [])

    scene.turn(.online)
    #expect(scene.requests.count == 2)
    #expect(scene.end(2, .gone).contains(.renew))
  }

  @Test func whatWasToBePreloadedIsAfterwards() {
    var scene = Scene()
    let now = scene.now
    scene.event { $0.preloads([.head], at: now) }
    scene.turn(.paused)
    scene.turn(.online)

    #expect(scene.requests == [0..<512.kib, 0..<512.kib])
  }
}

extension Scene {
  @discardableResult
  fileprivate mutating func turn(_ mode: NetworkMode) -> [FillState.Action] {
    let now = now
    return event { $0.turned(mode, at: now) }
  }
}

extension FillState.Action {
  fileprivate var isFailure: Bool {
    if case .fail = self { true } else { false }
  }
}
