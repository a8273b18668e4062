import Blocks
import Locks
import TestSupport

@testable import Filling

/// A life of one file: readers that come, read, seek and leave; an origin that answers in pieces,
/// fails, stalls and changes; a store that loses blocks; and time. One seed is one life.
///
/// After each step it checks every promise.
final class Simulation {
  /// The way in which a reader chooses its next read.
  enum Style: CaseIterable {
    case sequential, seeking, scanning
  }

  struct Reader {
    let handle: FillState.HandleID
    let style: Style
    var position = 0
    var read: Read?
  }

  struct Read {
    let receiver: RecordingReceiver
    let range: ByteRange
    let start: Duration
    let isWelcome: Bool
    var isInterrupted: Bool
  }

  static let files = [0, 1, 65_536, 65_537, 500_000, 1 << 20, 2_000_003, 3 << 20].map {
    Stage.content.prefix($0)
  }

  let seed: UInt64
  let file: PatternBody
  let world: World
  let time = ManualTime()
  let store: MemoryBlockStore
  let origin: ScriptedOrigin
  let filler: EntryFiller
  var random: SeededRandom
  var weather: Weather
  var readers: [Reader] = []
  /// The number of events that may cause a request.
  var causes = 0

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let world = World()
    let file = Self.files[random.below(Self.files.count)]
    let isSmall = random.chance(25)
    let refuse: @Sendable (String) -> Void = { world.complain($0) }
    let store = MemoryBlockStore(
      length: file.length, maxBlocks: isSmall ? 32 + random.below(16) : .max, refuse: refuse)
    let origin = ScriptedOrigin(file, refuse: refuse)
    filler = EntryFiller(
      known: random.chance(70) ? file.representation : nil, origin: origin, timekeeper: time,
      rules: FillRules(), seed: seed, makeStore: { _ in store }, tell: world.hear)
    weather = Weather(random: &random)
    self.seed = seed
    self.file = file
    self.world = world
    self.store = store
    self.origin = origin
    self.random = random
  }

  /// Runs `steps` steps and the end of the life; returns the first broken promise, if any.
  func run(steps: Int) -> String? {
    for _ in 0..<steps {
      step()
      if world.complaint != nil { break }
    }
    if world.complaint == nil { clearUp() }
    if world.complaint == nil { leave() }
    return world.complaint.map { "seed \(seed): \($0)" }
  }

  // MARK: One step

  private func step() {
    switch random.below(100) {
    case 0..<45: originActs()
    case 45..<80: readerActs()
    case 80..<85: readerComesOrGoes()
    case 85..<88: if weather.losesBlocks { loseABlock() }
    case 88..<90: if world.wantsAddress { answerTheCall(changed: random.chance(70)) }
    default: time.advance(by: .milliseconds(random.below(random.chance(10) ? 20_000 : 500)))
    }
    check()
  }

  func originActs() {
    if !origin.sampled.isEmpty, random.chance(50) { return answerTheComparison() }
    let underWay = origin.underWay
    guard !underWay.isEmpty else { return }
    let fetch = underWay[random.below(underWay.count)]
    let left = origin.left(of: fetch)
    if origin.cancelled.contains(fetch) && random.chance(50) {
      origin.end(fetch, .unanswered)
    } else if random.chance(weather.stalls) {
      return
    } else if random.chance(weather.faults) {
      causes += 1
      let end = left == nil ? weather.anyEnd(&random) : .failed
      // Without a byte to compare, a doubted tag ends the life too often.
      origin.end(fetch, end == .doubted && store.kept.isEmpty ? .failed : end)
    } else if weather.hasChanged && left == nil {
      origin.end(fetch, .changed)
    } else if let left {
      origin.give(1 + random.below(random.chance(50) ? 200_000 : 16_384), in: fetch)
      if left == 0 { origin.end(fetch, .complete) }
    } else {
      origin.begin(fetch, whole: random.chance(weather.wholeBodies))
    }
  }

  /// Answers a comparison: with the right bytes, or not at all.
  private func answerTheComparison() {
    causes += 1
    if weather.hasChanged {
      origin.answerSampling(areRight: false)
    } else if random.chance(weather.faults) {
      origin.answerSampling(.ended(random.chance(50) ? .failed : .unanswered))
    } else {
      origin.answerSampling(random.chance(20) ? .known : nil)
    }
  }

  private func readerActs() {
    guard !readers.isEmpty else { return }
    let index = random.below(readers.count)
    if readers[index].read == nil {
      readOn(index)
    } else if random.chance(5) {
      readers[index].read?.isInterrupted = true
      readers[index].read?.receiver.interrupt()
    }
    settle(index)
  }

  private func readerComesOrGoes() {
    if readers.count < 1 + random.below(5) {
      let style = Style.allCases[random.below(3)]
      let handle = filler.opened(isScanner: style == .scanning)
      readers.append(Reader(handle: handle, style: style))
      causes += 1
    } else {
      let index = random.below(readers.count)
      settle(index)
      guard readers[index].read == nil else { return }
      filler.closed(readers.remove(at: index).handle)
    }
  }

  private func loseABlock() {
    causes += 1
    store.lose(BlockIndex(random.below(BlockLayout(length: file.length).count + 1)))
  }

  func answerTheCall(changed: Bool) {
    world.answered()
    causes += 1
    filler.renewed(changed: changed)
  }

  /// Starts the next read of a reader, by its style.
  private func readOn(_ index: Int) {
    var count = 128 << 10
    switch readers[index].style {
    case .sequential: break
    case .scanning: if readers[index].position > 1 << 20 { readers[index].position = 0 }
    case .seeking:
      count = 1 + random.below(256 << 10)
      if random.chance(40) { readers[index].position = random.below(file.length + 1) }
    }
    if readers[index].position >= file.length { readers[index].position = 0 }
    read(readers[index].position..<readers[index].position + count, by: index)
    readers[index].position += count
  }

  func read(_ range: ByteRange, by index: Int, mayFail: Bool = true) {
    let isWelcome = !mayFail || !random.chance(2)
    let isInterrupted = mayFail && random.chance(2)
    let receiver = RecordingReceiver(
      of: file, range, isWelcome: isWelcome,
      whenWaiting: { cancel in if isInterrupted { cancel() } })
    causes += 1
    filler.read(range, by: readers[index].handle, into: receiver)
    readers[index].read = Read(
      receiver: receiver, range: range, start: time.now, isWelcome: isWelcome,
      isInterrupted: isInterrupted)
  }
}
