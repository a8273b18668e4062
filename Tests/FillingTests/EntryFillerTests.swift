import Blocks
import Locks
import Testing
import TestSupport

@testable import Filling

@Suite(.timeLimit(.minutes(1)))
struct EntryFillerTests {
  private let stage = Stage()

  @Test func aReadIsAnsweredWithTheOriginsBytes() {
    let handle = stage.filler.opened(isScanner: false)
    let receiver = stage.read(100_000..<300_000, by: handle)
    #expect(receiver.answers == [])
    stage.origin.serveAll()
    let again = stage.read(100_000..<300_000, by: handle)

    #expect(receiver.answers == [.bytes(200_000)])
    #expect(again.answers == [.bytes(200_000)])
    #expect(stage.origin.requests.count == 1)
  }

  /// libcurl brings pieces of at most 16 KiB, and often several at once.
  @Test func aReaderGetsThePiecesOfABlockWhenTheOriginRestsOrTheBlockIsComplete() {
    let handle = stage.filler.opened(isScanner: false)
    let early = stage.read(0..<10, by: handle)
    let late = stage.read(16.kib..<32.kib, by: handle)
    let next = stage.read(64.kib..<64.kib + 10, by: handle)
    stage.origin.begin(1)
    for _ in 0..<2 { stage.origin.give(16.kib, in: 1, rests: false) }
    #expect(early.answers == [.bytes(10)] && late.answers == [])
    stage.origin.give(8.kib, in: 1, rests: true)
    #expect(late.answers == [.bytes(16.kib)])
    for _ in 0..<2 { stage.origin.give(16.kib, in: 1, rests: false) }
    #expect(stage.filler.snapshot.cachedBlocks == BlockSet(BlockIndex(0)..<BlockIndex(1)))
    #expect(next.answers == [.bytes(10)])
  }

  @Test func noPieceIsForgottenWhenItsFetchEndsOrAnotherOneGoesOn() {
    let handle = stage.filler.opened(isScanner: false)
    let first = stage.read(0..<30.kib, by: handle)
    let far = stage.read(2.mib..<2.mib + 20.kib, by: stage.filler.opened(isScanner: false))
    for fetch in stage.origin.requests.map(\.fetch) { stage.origin.begin(fetch) }
    stage.origin.give(16.kib, in: 1, rests: false)
    stage.origin.give(16.kib, in: 1, rests: false)
    stage.origin.give(16.kib, in: 2, rests: false)
    #expect(first.answers == [.bytes(30.kib)])
    stage.origin.give(8.kib, in: 2, rests: false)
    stage.origin.end(2, .failed)
    #expect(far.answers == [.bytes(20.kib)])
  }

  @Test func aReadIsCutAtTheEnd() {
    let handle = stage.filler.opened(isScanner: false)
    let across = stage.read(stage.file.length - 10..<stage.file.length + 90, by: handle)
    let beyond = stage.read(stage.file.length..<stage.file.length + 10, by: handle)
    stage.origin.serveAll()

    #expect(across.answers == [.bytes(10)])
    #expect(beyond.answers == [.bytes(0)])
  }

  @Test func manyReadersCauseOneFetch() {
    let handles = (0..<50).map { _ in stage.filler.opened(isScanner: false) }
    let receivers = handles.map { stage.read(0..<128.kib, by: $0) }
    stage.origin.serveAll()

    #expect(receivers.allSatisfy { $0.answers == [.bytes(128.kib)] })
    #expect(stage.origin.requests.map(\.bytes) == [0..<firstFetch])
  }

  /// The second request of a seek is held for a moment that is shorter than a step of this clock.
  @Test(arguments: [0, 1, 100]) func aHeldReadIsFetchedHoweverBusyTheMachineIs(milliseconds: Int) {
    let stage = Stage(step: .milliseconds(milliseconds))
    let handle = stage.filler.opened(isScanner: false)
    _ = stage.read(0..<64.kib, by: handle)
    stage.time.advance(by: .milliseconds(50))
    stage.origin.serveAll()
    stage.filler.closed(handle)
    let half = stage.read(2.mib..<2.mib + 64.kib, by: stage.filler.opened(isScanner: false))
    let isHeld = stage.origin.underWay.isEmpty
    stage.time.advance(by: .milliseconds(1))
    stage.origin.serveAll()

    #expect(isHeld)
    #expect(half.answers == [.bytes(64.kib)])
  }

  @Test func theFirstAnswerProvesWhatTheFileIs() {
    let stage = Stage(isKnown: false)
    let opener = RecordingReceiver(of: stage.file)
    stage.filler.prove(opener)
    #expect(stage.filler.representation == nil)
    stage.origin.begin(1)
    let second = RecordingReceiver(of: stage.file)
    stage.filler.prove(second)

    #expect(opener.answers == [.proved(stage.file.representation)])
    #expect(second.answers == [.proved(stage.file.representation)])
    #expect(stage.stores == 1)
  }

  /// The kernel answers a reader itself when it cannot read the cache's memory.
  @Test func whoCannotReadWhatItIsGivenHasItsAnswerAndTheBytesAreFetchedAnew() {
    stage.fillAll()
    let handle = stage.filler.opened(isScanner: false)
    let unlucky = RecordingReceiver(of: stage.file, 0..<10, canTake: false)
    stage.filler.read(0..<10, by: handle, into: unlucky)
    let requests = stage.origin.requests.count
    let next = stage.read(0..<10, by: handle)
    stage.origin.serveAll()

    #expect(unlucky.answers == [.bytes(10)])
    #expect(next.answers == [.bytes(10)])
    #expect(stage.origin.requests.count == requests + 1)
  }

  @Test func whoCannotReadWhatItWaitedForHasItsAnswer() {
    let handle = stage.filler.opened(isScanner: false)
    let unlucky = RecordingReceiver(of: stage.file, 0..<10, canTake: false)
    stage.filler.read(0..<10, by: handle, into: unlucky)
    stage.origin.serveAll()

    #expect(unlucky.answers == [.bytes(10)])
  }

  @Test func whatNobodyWantsAnyMoreProvesNothing() {
    let stage = Stage(isKnown: false)
    let opener = RecordingReceiver(of: stage.file)
    stage.filler.prove(opener)
    opener.interrupt()

    stage.origin.end(1, .unsatisfiable(length: 0))

    #expect(stage.filler.representation == nil)
    #expect(stage.stores == 0)
  }

  @Test func whatWasProvedIsNotProvedAgainByAnotherVersion() {
    let receiver = stage.read(0..<10, by: stage.filler.opened(isScanner: false))

    let other = Representation(length: 5, validator: .entityTag("\"2\""))
    stage.filler.began(1, other, bytes: 0..<5, whole: false)

    #expect(receiver.answers == [.failed(.changed)])
    #expect(stage.events == ["becameStale"])
    #expect(stage.filler.representation == stage.file.representation)
  }

  @Test func aResourceWithoutBytesIsProvedByItsRefusal() {
    let stage = Stage(isKnown: false)
    let opener = RecordingReceiver(of: stage.file)
    stage.filler.prove(opener)
    stage.origin.end(1, .unsatisfiable(length: 0))

    #expect(opener.answers == [.proved(Representation(length: 0, validator: .none))])
    #expect(stage.origin.requests.count == 1)
  }

  @Test func theLastBlockIsToldOnce() {
    stage.fillAll()
    stage.fillAll()

    #expect(stage.events == ["completed"])
  }

  @Test func aNewAddressIsAskedForAndReadingGoesOn() {
    let receiver = stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    stage.origin.end(1, .gone)
    #expect(stage.events == ["needsAddress"])
    #expect(stage.origin.requests.count == 1)
    stage.filler.renewed(changed: true)
    stage.origin.serveAll()

    #expect(receiver.answers == [.bytes(10)])
  }

  @Test func aStaleVersionIsReadWhereItIsCached() {
    let handle = stage.filler.opened(isScanner: false)
    _ = stage.read(0..<10, by: handle)
    stage.origin.serveAll()
    stage.filler.becomeStale()
    let held = stage.read(0..<10, by: handle)
    let missing = stage.read(2.mib..<2.mib + 1, by: handle)

    #expect(held.answers == [.bytes(10)])
    #expect(missing.answers == [.failed(.changed)])
    #expect(stage.events == ["becameStale"])
  }

  @Test func theEndAnswersEverybody() {
    let handle = stage.filler.opened(isScanner: false)
    let readers = (0..<20).map { stage.read($0 * 100.kib..<$0 * 100.kib + 5, by: handle) }
    stage.filler.end()
    let late = stage.read(0..<1, by: handle)

    #expect(readers.allSatisfy { $0.answers == [.failed(.ended)] })
    #expect(late.answers == [.failed(.ended)])
    #expect(stage.origin.underWay.allSatisfy(stage.origin.cancelled.contains))
  }

  // MARK: Time

  @Test func aReadEndsAtItsDeadline() {
    let receiver = stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    stage.time.advance(by: .seconds(59))
    #expect(receiver.answers == [])
    stage.time.advance(by: .seconds(1))

    #expect(receiver.answers == [.failed(.unreachable)])
    #expect(stage.origin.cancelled == [1])
  }

  @Test func theOriginIsAskedAgainWithoutAnyonesDoing() {
    let receiver = stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    stage.origin.end(1, .unanswered)
    #expect(stage.origin.underWay == [])
    stage.time.advance(by: .milliseconds(500))
    stage.origin.serveAll()

    #expect(receiver.answers == [.bytes(10)])
  }

  @Test func callsDoNotMultiplyInALongOutage() {
    let handle = stage.filler.opened(isScanner: false)
    for second in 0..<2_000 {
      if second % 10 == 0 { _ = stage.read(second % 3 << 20..<(second % 3 << 20) + 1, by: handle) }
      for fetch in stage.origin.underWay { stage.origin.end(fetch, .unanswered) }
      stage.time.advance(by: .seconds(1))
    }

    #expect(stage.filler.snapshot.waitingCount > 0)
    #expect(stage.time.armed < 50)
  }

  // MARK: The store

  @Test func blocksThatTheStoreLostAreFetchedAgain() {
    let handle = stage.filler.opened(isScanner: false)
    stage.fillAll()
    stage.store.lose(BlockIndex(2))
    let receiver = stage.read(0..<firstFetch, by: handle)
    let before = stage.origin.requests.count
    stage.origin.serveAll()

    #expect(receiver.answers == [.bytes(firstFetch)])
    #expect(stage.origin.requests.dropFirst(before - 1).map(\.bytes) == [128.kib..<192.kib])
  }

  @Test func aRingThatDisplacesBlocksIsReadOn() {
    let stage = Stage(maxBlocks: 4)
    let handle = stage.filler.opened(isScanner: false)
    for start in stride(from: 0, to: stage.file.length, by: 128.kib) {
      let receiver = stage.read(start..<start + 128.kib, by: handle)
      stage.origin.serveAll()
      #expect(receiver.answers == [.bytes(min(128.kib, stage.file.length - start))])
    }
    #expect(stage.filler.snapshot.cachedBlocks.count <= 4)
  }

  @Test func aStoreThatKeepsNothingEndsTheReadAndNotTheOrigin() {
    stage.store.isBroken(true)
    let receiver = stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    for _ in 0..<120 {
      stage.origin.serveAll()
      stage.time.advance(by: .milliseconds(500))
    }

    #expect(receiver.answers == [.failed(.unreachable)])
    #expect(stage.origin.requests.count <= 20)
  }

  @Test func bytesThatAreGoneEachTimeTheyAreLentEndTheRead() {
    let (store, file) = (stage.store, stage.file)
    store.whenLending { range in
      store.lose(BlockLayout(length: file.length).block(at: range.lowerBound))
    }
    let receiver = stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    for _ in 0..<10 { stage.origin.serveAll() }

    #expect(receiver.answers == [.failed(.unreachable)])
    #expect(stage.origin.requests.count <= 9)
  }

  // MARK: Late events

  @Test func lateBytesOfACancelledFetchAreDropped() {
    let handle = stage.filler.opened(isScanner: false)
    let receiver = stage.read(0..<2.mib, by: handle)
    stage.origin.begin(1)
    receiver.interrupt()
    stage.filler.closed(handle)
    stage.origin.give(64.kib, in: 1)
    stage.origin.end(1, .complete)

    #expect(receiver.answers == [.failed(.interrupted)])
    #expect(stage.store.kept == [])
    #expect(stage.filler.snapshot.cachedBlocks.isEmpty)
    let again = stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    stage.origin.serveAll()
    #expect(again.answers == [.bytes(10)])
  }

  @Test func aCancelNeverOvertakesItsFetch() {
    // The reader leaves while its fetch is being started: the fake refuses an unknown cancel.
    let slot = Locked<RecordingReceiver?>(nil)
    stage.origin.whenStarting { _ in slot.withLock { $0 }?.interrupt() }
    let receiver = RecordingReceiver(of: stage.file, 0..<10)
    slot.withLock { $0 = receiver }
    stage.filler.read(0..<10, by: stage.filler.opened(isScanner: false), into: receiver)

    #expect(receiver.answers == [.failed(.interrupted)])
    #expect(stage.origin.cancelled == [1])
  }
}
