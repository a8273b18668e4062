import Blocks
import Locks
import Testing
import TestSupport

@testable import Filling

/// A reader may leave at any instant; it gets exactly one answer.
@Suite(.timeLimit(.minutes(1)))
struct InterruptionTests {
  private let stage = Stage()

  @Test func whoGoesAwayBeforeItsWaitIsUnderWayCostsNoFetch() {
    let receiver = RecordingReceiver(of: stage.file, 0..<10, whenWaiting: { cancel in cancel() })
    stage.filler.read(0..<10, by: stage.filler.opened(isScanner: false), into: receiver)

    #expect(receiver.answers == [.failed(.interrupted)])
    #expect(stage.origin.requests == [])
  }

  @Test func whoGoesAwayTwiceIsAnsweredOnce() {
    let receiver = RecordingReceiver(
      of: stage.file, 0..<10,
      whenWaiting: { cancel in
        cancel()
        cancel()
      })
    stage.filler.read(0..<10, by: stage.filler.opened(isScanner: false), into: receiver)
    receiver.interrupt()

    #expect(receiver.answers == [.failed(.interrupted)])
  }

  @Test func whoGoesAwayWhileItWaitsIsToldAtOnce() {
    let receiver = stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    receiver.interrupt()

    #expect(receiver.answers == [.failed(.interrupted)])
    #expect(stage.origin.cancelled == [1])
  }

  @Test func whoGoesAwayAfterItsAnswerHearsNoMore() {
    let receiver = stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    stage.origin.serveAll()
    receiver.interrupt()

    #expect(receiver.answers == [.bytes(10)])
  }

  @Test func whoGoesAwayWhileItsBytesAreLentHasThem() {
    let receiver = stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    stage.store.whenLending { _ in receiver.interrupt() }
    stage.origin.serveAll()

    #expect(receiver.answers == [.bytes(10)])
    #expect(stage.filler.state.withLock { $0.reserved.isEmpty && $0.waiters.isEmpty })
  }

  @Test func whoGoesAwayWhileItsBytesAreLostDoesNotWaitForThemAgain() {
    let (store, receiver) = (
      stage.store, stage.read(0..<10, by: stage.filler.opened(isScanner: false))
    )
    store.whenLending { _ in
      store.lose(BlockIndex(0))
      receiver.interrupt()
    }
    stage.origin.begin(1)
    stage.origin.give(64.kib, in: 1)

    #expect(receiver.answers == [.failed(.interrupted)])
    #expect(stage.filler.state.withLock { $0.reserved.isEmpty && $0.waiters.isEmpty })
  }

  @Test func bytesThatComeBeforeTheWaitIsUnderWayAnswerIt() {
    let handle = stage.filler.opened(isScanner: false)
    _ = stage.read(0..<10, by: handle)
    let origin = stage.origin
    let receiver = RecordingReceiver(
      of: stage.file, 0..<10, whenWaiting: { _ in origin.serveAll() })
    stage.filler.read(0..<10, by: handle, into: receiver)

    #expect(receiver.answers == [.bytes(10)])
  }

  @Test func theEndBeforeTheWaitIsUnderWayAnswersIt() {
    let filler = stage.filler
    let receiver = RecordingReceiver(of: stage.file, 0..<10, whenWaiting: { _ in filler.end() })
    filler.read(0..<10, by: filler.opened(isScanner: false), into: receiver)

    #expect(receiver.answers == [.failed(.ended)])
    #expect(stage.origin.requests == [])
  }

  @Test func whoMayNotWaitIsTurnedAway() {
    let reader = RecordingReceiver(of: stage.file, 0..<10, isWelcome: false)
    stage.filler.read(0..<10, by: stage.filler.opened(isScanner: false), into: reader)
    let unknown = Stage(isKnown: false)
    let opener = RecordingReceiver(of: unknown.file, isWelcome: false)
    unknown.filler.prove(opener)
    opener.interrupt()

    #expect(reader.answers == [.failed(.crowded)])
    #expect(opener.answers == [.failed(.crowded)])
    #expect(stage.origin.requests == [] && unknown.origin.requests == [])
    #expect(stage.filler.state.withLock { $0.reserved.isEmpty })
  }

  @Test func anOpenerMayGoAwayToo() {
    let stage = Stage(isKnown: false)
    let opener = RecordingReceiver(of: stage.file)
    stage.filler.prove(opener)
    opener.interrupt()
    stage.origin.serveAll()

    #expect(opener.answers == [.failed(.interrupted)])
  }
}
