import Blocks
import Testing

@testable import Filling

/// Blocks that are fetched again: they did not come, were not stored, or were removed.
@Suite(.timeLimit(.minutes(1)))
struct StoreChangeTests {
  // MARK: Missing answers

  @Test func whatDidNotComeIsFetchedWhenItIsAskedForAgainAndNotTooSoon() {
    var scene = Scene()
    scene.preload([.whole])
    scene.end(1, .failed)
    #expect(scene.requests.count == 1)
    scene.preload([.whole])
    #expect(scene.requests.count == 1)
    scene.pass(.seconds(1))
    scene.preload([.whole])
    #expect(scene.requests.count == 2)
  }

  @Test func whatIsNotKeptIsFetchedInSmallPiecesWhenItIsAskedForAgain() {
    var scene = Scene()
    scene.preload([.whole])
    scene.begin(1)
    let now = scene.now
    scene.event {
      $0.arrived(0..<8.mib, in: 1, displacing: [BlockIndex(0)], at: now)
    }
    scene.end(1, .complete)
    #expect(scene.requests.count == 1)
    scene.preload([.whole])
    #expect(scene.requests.last == 0..<64.kib)
  }

  // MARK: Another store

  @Test func whatTheStoreHadIsFetchedAgainFromAnother() {
    var scene = Scene(cached: 0..<4.mib)
    let handle = scene.state.opened()
    #expect(scene.state.holds(0..<4.mib))
    let now = scene.now
    scene.event { $0.storeWasReset(cachedBlocks: BlockSet(), at: now) }
    #expect(!scene.state.holds(0..<1))
    scene.read(0..<4.kib, by: handle)
    #expect(scene.requests == [0..<firstFetch])
  }

  @Test func whatWentIntoAStoreThatIsGoneIsAskedForAgain() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    scene.begin(1)
    let now = scene.now
    scene.event { $0.storeWasReset(cachedBlocks: BlockSet(), at: now) }
    #expect(scene.requests.count == 1)
    scene.event { $0.missed(0..<128.kib, in: 1, at: now) }
    #expect(scene.requests == [0..<firstFetch, 0..<128.kib])
    // The rest of the answer continues where it was before.
    #expect(scene.state.accepts(128.kib..<192.kib, in: 1) == 128.kib..<192.kib)
  }
}

extension Scene {
  fileprivate mutating func preload(_ parts: [Part]) {
    let now = now
    event { $0.preloads(parts, at: now) }
  }
}
