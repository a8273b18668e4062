import Blocks
import TestSupport
import Testing

@testable import Filling

/// The size of fetches, and the start of read-ahead.
@Suite(.timeLimit(.minutes(1)))
struct ReadAheadTests {
  @Test func theFirstFetchCovers512KiB() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)

    #expect(scene.requests == [0..<512.kib])
  }

  @Test func theLastWhoReadOnSaysWhetherItWasPlayedToItsEnd() {
    var scene = Scene()
    func leave(after range: ByteRange) -> Bool {
      let handle = scene.state.opened()
      scene.scan(range, by: handle, step: 128.kib)
      scene.close(handle)
      return scene.state.isPlayedToEnd
    }

    #expect(!leave(after: 0..<1.mib))
    #expect(leave(after: 56.mib..<64.mib))
    // A reader of the head alone changes nothing.
    #expect(leave(after: 0..<128.kib))
    #expect(!leave(after: 0..<1.mib))
  }

  @Test func nothingIsFetchedAheadBeforeAReaderHasReadOn() {
    var scene = Scene(cached: 0..<firstFetch)
    let handle = scene.state.opened()
    let actions = scene.note(0..<firstFetch, by: handle)

    #expect(actions == [])
  }

  @Test(arguments: [0, 900.kib, 5.mib])
  func oneReadAnywhereIsNoReadingOn(offset: Int) {
    var scene = Scene()
    let handle = scene.state.opened()
    let start = offset / 64.kib * 64.kib
    scene.read(offset..<offset + 4.kib, by: handle)
    scene.serveAll()

    #expect(scene.requests.count == 1)
    #expect(scene.requests.first?.lowerBound == start)
    #expect(scene.asked.allSatisfy { $0.urgency == .demand })
  }

  @Test func scanningAMebibyteCostsThreeRequestsAndFourMebibytes() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.scan(0..<1.mib, by: handle)
    // The kernel reads ahead, further with posix_fadvise.
    scene.scan(1.mib..<1.mib + 256.kib, by: handle)

    #expect(scene.requests.count <= 3)
    #expect(scene.requests.reduce(0) { $0 + $1.count } <= 4.mib)
  }

  @Test func requestsGrowWithWhatWasReadUpTo8MiB() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.scan(0..<32.mib, by: handle)

    let sizes = scene.requests.map(\.count)
    #expect(sizes.prefix(2) == [512.kib, 1280.kib])
    #expect(sizes.max() == 8.mib)
    #expect(sizes.count <= 16)
    for (one, next) in zip(scene.requests, scene.requests.dropFirst()) {
      #expect(one.upperBound == next.lowerBound)
    }
  }

  @Test func aLongRunGetsRequestsOf32MiB() {
    var scene = Scene(length: 1024.mib)
    let handle = scene.state.opened()
    scene.scan(0..<600.mib, by: handle, step: 1.mib)

    #expect(scene.requests.map(\.count).max() == 32.mib)
  }

  @Test(arguments: [600.kib, 1.mib, 3.mib, 20.mib, 100.mib])
  func whoeverStopsHasCostThreeTimesWhatHeRead(read: Int) {
    let most = Figure.fastReadAheadCost.count
    var scene = Scene(length: 1024.mib)
    let handle = scene.state.opened()
    scene.scan(0..<read, by: handle)

    #expect(scene.requests.reduce(0) { $0 + $1.count } <= most * (read + 128.kib))
  }

  @Test func nothingIsReadAheadOfALook() {
    var scene = Scene()
    let handle = scene.state.opened(isLooker: true)
    scene.scan(0..<4.mib, by: handle)
    #expect(FillRules().heads.lookedHead == Figure.lookedHead.bytes)
    #expect(scene.requests.first?.count == Figure.lookedFetch.bytes)
    let others = scene.requests.dropFirst().map(\.count)
    #expect(others.max() == Figure.lookedPiece.bytes && others.count <= 13, "\(others)")
    var first = Scene(length: nil)
    let now = first.now
    #expect(
      first.event { $0.wantsProof(as: 1, isLooker: true, at: now) }
        == [.fetch(1, 0..<Figure.lookedFetch.bytes, .demand)])
    // A program that reads on is copying.
    scene.scan(4.mib..<40.mib, by: handle)
    #expect(scene.requests.map(\.count).max() ?? 0 >= 8.mib)
  }

  @Test func aStoreInMemoryIsNotFilledPastWhatTheReaderHasNotReached() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.scan(0..<1.mib, by: handle)
    scene.begin(3)
    let now = scene.now
    scene.event { $0.arrived(1.mib..<1.mib + 1, in: 3, displacing: [BlockIndex(0)], at: now) }
    scene.scan(1.mib..<40.mib, by: handle)
    // The store has evicted what the reader needs next, and it waits.
    scene.event { $0.lost((640..<900).map { BlockIndex($0) }, at: now) }
    scene.read(40.mib..<40.mib + 128.kib, by: handle)

    #expect(scene.requests.dropFirst(3).allSatisfy { $0.count <= 1.mib + 64.kib })
  }

  @Test func aCacheInPiecesIsMendedByAFewFetchesAtATime() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.state.cached.whole.insert(BlockIndex(0)..<BlockIndex(48))
    for block in stride(from: 48, to: 400, by: 2) {
      scene.state.cached.whole.insert(BlockIndex(block))
    }
    for start in stride(from: 0, to: 4.mib, by: 128.kib) {
      scene.note(start..<start + 128.kib, by: handle)
      #expect(scene.underWay.count <= 4)
      scene.serveAll()
    }
    #expect(!scene.requests.isEmpty)
  }

  @Test func theNextFetchStartsBeforeTheLastOneIsUsedUp() {
    var scene = Scene()
    let handle = scene.state.opened()
    var used = 0
    while scene.requests.count < 6 {
      scene.read(used..<used + 128.kib, by: handle)
      used += 128.kib
      if scene.requests.count < 6 { scene.serveAll() }
    }

    #expect(scene.requests[5].lowerBound - used >= 512.kib)
    #expect(scene.asked.last?.urgency == .ahead)
  }

  @Test func whatAReaderWaitsForIsUrgentAlsoWithinItsWindow() {
    var scene = Scene(cached: 0..<1.mib)
    let handle = scene.state.opened()
    for start in stride(from: 0, to: 1.mib - 256.kib, by: 128.kib) {
      _ = scene.state.readers.windows[handle]?.noted(start..<start + 128.kib, at: scene.now)
    }
    scene.read(1.mib..<1.mib + 128.kib, by: handle)

    #expect(scene.asked.map(\.urgency) == [.demand])
  }

  @Test func readsThatOvertakeEachOtherAreNoSeek() {
    var scene = Scene()
    let handle = scene.state.opened()
    for start in [0, 256, 128, 512, 384, 768, 640, 896].map(\.kib) {
      scene.read(start..<start + 128.kib, by: handle)
    }
    scene.serveAll()

    #expect(scene.cancelled == [])
    for (one, next) in zip(scene.requests, scene.requests.dropFirst()) {
      #expect(one.upperBound == next.lowerBound)
    }
  }

  @Test func aSeekClosesTheWindow() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.scan(0..<8.mib, by: handle)
    let before = scene.requests.count
    scene.read(50.mib..<50.mib + 128.kib, by: handle)
    scene.serveAll()
    scene.scan(50.mib + 128.kib..<50.mib + firstFetch, by: handle)

    #expect(scene.requests.dropFirst(before) == [50.mib..<50.mib + firstFetch])
  }

  @Test func nothingIsAskedBeyondTheEnd() {
    var scene = Scene(length: 3.mib + 5)
    let handle = scene.state.opened()
    scene.scan(0..<3.mib + 5, by: handle)

    #expect(scene.state.isComplete)
    #expect(scene.requests.reduce(0) { $0 + $1.count } == 3.mib + 5)
  }

  @Test func nothingIsFetchedAheadWhileThereIsTrouble() {
    var scene = Scene(cached: 0..<1.mib)
    let handle = scene.state.opened()
    scene.note(0..<512.kib, by: handle)
    scene.note(512.kib..<1.mib, by: handle)
    #expect(scene.requests.count == 1)
    let ends: [FetchEnd] = [
      .failed, .unanswered, .busy(after: .seconds(9)), .gone, .blocked, .impossible,
    ]
    for end in ends {
      var troubled = scene
      troubled.end(1, end)
      troubled.note(512.kib..<1.mib, by: handle)
      let now = troubled.now
      troubled.event { $0.renewed(changed: false, at: now) }
      for _ in 0..<100 { troubled.note(512.kib..<1.mib, by: handle) }

      #expect(troubled.requests.count == 1, "\(end)")
    }
  }

  @Test func nothingIsFetchedAheadWhileAnAddressIsRenewed() {
    var scene = Scene(cached: 0..<1.mib)
    let (player, other) = (scene.state.opened(), scene.state.opened())
    scene.read(30.mib..<30.mib + 1, by: other)
    scene.end(1, .gone)
    scene.note(0..<512.kib, by: player)
    scene.note(512.kib..<1.mib, by: player)

    #expect(scene.requests.count == 1)
  }

  // MARK: Scanners

  @Test func aScannerGetsTheHeadAndNothingAhead() {
    var scene = Scene()
    let handle = scene.state.opened(isScanner: true)
    scene.scan(0..<1.mib, by: handle)

    #expect(scene.requests == [0..<512.kib, 512.kib..<1.mib])
  }

  @Test func aScannerGetsNothingElseUnlessItIsHeld() {
    var scene = Scene(cached: 40.mib..<41.mib)
    let handle = scene.state.opened(isScanner: true)
    let beyond = scene.read(1.mib..<1.mib + 1, by: handle)
    let held = scene.read(40.mib..<40.mib + 128.kib, by: handle)

    #expect(beyond.actions == [.fail(beyond.wait, .withheld)])
    #expect(held.actions == [.resume(held.wait)])
    #expect(scene.requests == [])
  }

  @Test func aPlayerGetsAllThoughAScannerIsThere() {
    var scene = Scene()
    let (player, scanner) = (scene.state.opened(), scene.state.opened(isScanner: true))
    scene.read(5.mib..<5.mib + 1, by: scanner)
    scene.read(5.mib..<5.mib + 1, by: player)

    #expect(scene.requests == [5.mib..<5.mib + 512.kib])
    scene.close(scanner)
    #expect(scene.underWay == [1])
  }
}
