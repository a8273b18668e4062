import Blocks
import Locks
import TestSupport
import Testing

@testable import Filling

/// Reads of cached bytes from a store with a slow disk.
@Suite(.timeLimit(.minutes(1)))
struct DiskWaitTests {
  private let stage = Stage()
  private let handle: FillState.HandleID

  init() {
    handle = stage.filler.opened(isScanner: false)
    stage.fillAll()
    stage.store.fallAsleep()
  }

  @Test func aReadIsAnsweredWhenTheDiskHasAnswered() {
    let first = stage.read(0..<128.kib, by: handle)
    let second = stage.read(1.mib..<1.mib + 10, by: handle)
    #expect(first.answers == [] && second.answers == [])
    #expect(stage.filler.description.hasSuffix(", 2 wait for the disk"))
    stage.store.wake()
    #expect(first.answers == [.bytes(128.kib)])
    #expect(second.answers == [.bytes(10)])
    #expect(!stage.filler.description.contains("disk"))
  }

  /// A signal ends a wait in this way, and so does the watchdog.
  @Test func aWaitThatIsEndedHasOneAnswer() {
    let receiver = stage.read(0..<128.kib, by: handle)
    receiver.interrupt()
    #expect(receiver.answers == [.failed(.diskHangs)])
    stage.store.wake()
    receiver.interrupt()
    #expect(receiver.answers == [.failed(.diskHangs)])
  }

  @Test func aReaderWhoLeavesBeforeItWaitsHasOneAnswer() {
    let receiver = RecordingReceiver(of: stage.file, 0..<10, whenWaiting: { cancel in cancel() })
    stage.filler.read(0..<10, by: handle, into: receiver)
    stage.store.wake()
    #expect(receiver.answers == [.failed(.interrupted)])
  }

  @Test func theEndOfTheMountEndsTheWait() {
    let receiver = stage.read(0..<128.kib, by: handle)
    stage.filler.end()
    #expect(receiver.answers == [.failed(.ended)])
    // The kernel asks once more.
    #expect(stage.read(0..<128.kib, by: handle).answers == [.failed(.ended)])
    stage.store.wake()
    #expect(receiver.answers == [.failed(.ended)])
  }

  @Test func whoMayNotWaitIsTurnedAway() {
    let receiver = RecordingReceiver(of: stage.file, 0..<10, isWelcome: false)
    stage.filler.read(0..<10, by: handle, into: receiver)
    stage.store.wake()
    #expect(receiver.answers == [.failed(.crowded)])
  }

  @Test func whatTheDiskHasLostIsFetched() {
    let requests = stage.origin.requests.count
    let receiver = stage.read(0..<128.kib, by: handle)
    stage.time.advance(by: .seconds(50))
    stage.store.lose(BlockIndex(1))
    stage.store.wake()
    #expect(receiver.answers == [])
    stage.origin.serveAll()
    #expect(receiver.answers == [.bytes(128.kib)])
    #expect(stage.origin.requests.count == requests + 1)
  }

  @Test func whatHasJustComeMayHaveToBeReadFromTheDisk() {
    let stage = Stage()
    let handle = stage.filler.opened(isScanner: false)
    let receiver = stage.read(0..<128.kib, by: handle)
    stage.store.fallAsleep()
    stage.origin.serveAll()
    #expect(receiver.answers == [])
    stage.store.wake()
    #expect(receiver.answers == [.bytes(128.kib)])
  }
}

/// A store that is cleared in the instant in which it is made.
@Suite(.timeLimit(.minutes(1)))
struct ClearingTests {
  @Test func aClearWhileTheStoreIsMadeLeavesNothingInThatStore() throws {
    let file = Stage.content
    let refuse: @Sendable (String) -> Void = { Issue.record("\($0)") }
    let stores = Locked<[MemoryBlockStore]>([])
    let clearing = Locked<(@Sendable () -> Void)?>(nil)
    let origin = ScriptedOrigin(file, refuse: refuse)
    let filler = EntryFiller(
      known: nil, origin: origin, timekeeper: ManualTime(), rules: FillRules(), seed: 1,
      makeStore: { _ in
        let store = MemoryBlockStore(length: file.length, refuse: refuse)
        let isFirst = stores.withLock { stores in
          stores.append(store)
          return stores.count == 1
        }
        if isFirst { clearing.withLock { $0 }?() }
        return store
      },
      tell: { _ in })
    clearing.withLock { $0 = { [weak filler] in filler?.resetStore() } }
    let handle = filler.opened(isScanner: false)
    let receiver = RecordingReceiver(of: file, 0..<128.kib)
    filler.read(0..<128.kib, by: handle, into: receiver)
    origin.serveAll()

    #expect(receiver.answers == [.bytes(128.kib)])
    let made = stores.withLock { $0 }
    try #require(made.count == 2)
    #expect(made[0].cachedBlocks.isEmpty)
    #expect(made[1].cachedBlocks.contains(BlockIndex(0)))
  }
}
