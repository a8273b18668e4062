import Blocks
import Filling
import Locks
import TestSupport
import Testing

/// An `EntryFiller` with fakes around it.
final class Stage: Sendable {
  let file: PatternBody
  let origin: ScriptedOrigin
  let time: ManualTime
  let store: MemoryBlockStore
  let filler: EntryFiller
  private let told: Locked<[String]>
  private let made: Locked<Int>

  static let content = PatternBody(length: 3.mib + 12_345)

  /// - Parameters:
  ///   - isKnown: whether an earlier run has proved the version of the file.
  ///   - maxBlocks: the most blocks that the store holds at once.
  ///   - step: the time that passes with each look at the clock.
  init(
    file: PatternBody = Stage.content, isKnown: Bool = true, maxBlocks: Int = .max,
    seed: UInt64 = 1, step: Duration = .zero
  ) {
    let time = ManualTime(step: step)
    let refuse: @Sendable (String) -> Void = { Issue.record("seed \(seed): \($0)") }
    let (told, made) = (Locked<[String]>([]), Locked(0))
    let store = MemoryBlockStore(length: file.length, maxBlocks: maxBlocks, refuse: refuse)
    let origin = ScriptedOrigin(file, refuse: refuse)
    self.file = file
    self.time = time
    self.origin = origin
    self.store = store
    self.told = told
    self.made = made
    filler = EntryFiller(
      known: isKnown ? file.representation : nil, origin: origin, timekeeper: time,
      rules: FillRules(), seed: seed,
      makeStore: { _ in
        made.withLock { $0 += 1 }
        return store
      },
      tell: { event in
        if case .bufferState = event { return }
        if case .foundIndex = event { return }
        told.withLock { $0.append("\(event)") }
      })
  }

  /// The events that the mount was told, in order, without the place of an index.
  var events: [String] { told.withLock { $0 } }
  var stores: Int { made.withLock { $0 } }

  func read(_ range: ByteRange, by handle: FillState.HandleID) -> RecordingReceiver {
    let receiver = RecordingReceiver(of: file, range)
    filler.read(range, by: handle, into: receiver)
    return receiver
  }

  func fillAll() {
    let receiver = read(0..<file.length, by: filler.opened(isScanner: false))
    origin.serveAll()
    #expect(receiver.answers == [.bytes(file.length)])
  }
}
