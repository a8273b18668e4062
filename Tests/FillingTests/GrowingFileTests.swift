import Blocks
import Locks
import Testing
import TestSupport

@testable import Filling

/// Files whose origins do not tell how long they are.
@Suite(.timeLimit(.minutes(1)))
struct GrowingFileTests {
  private static let maxLength = 4.mib
  private static let body = PatternBody(length: 1.mib + 12_345)

  /// An `EntryFiller` with fakes around it, whose origin sends bodies without length.
  private final class Growth: Sendable {
    let file: PatternBody
    let origin: ScriptedOrigin
    let time = ManualTime()
    let filler: EntryFiller
    /// The store of the growing body; another one after each opening.
    let stores = Locked<[MemoryBlockStore]>([])
    private let told = Locked<[String]>([])

    init(
      _ file: PatternBody = GrowingFileTests.body, found: (MemoryBlockStore)? = nil,
      maxBlocks: Int = .max
    ) {
      self.file = file
      let origin = ScriptedOrigin(file) { Issue.record("\($0)") }
      self.origin = origin
      let refuse: @Sendable (String) -> Void = { Issue.record("\($0)") }
      var rules = FillRules()
      rules.growth.maxGrowth = GrowingFileTests.maxLength
      filler = EntryFiller(
        known: nil, origin: origin, timekeeper: time, rules: rules, seed: 1,
        makeStore: { MemoryBlockStore(length: $0.length, refuse: refuse) },
        growths: GrowthStores(
          found: { found == nil ? nil : file.representation.validator },
          open: { [stores] _ in
            let store =
              found
              ?? MemoryBlockStore(
                length: GrowingFileTests.maxLength, maxBlocks: maxBlocks, refuse: refuse)
            stores.withLock { $0.append(store) }
            return store
          },
          prove: { [stores] proved in
            let store = MemoryBlockStore(length: proved.length, refuse: refuse)
            let old = stores.withLock { $0.last }
            let layout = BlockLayout(length: proved.length)
            for block in layout.all {
              let bytes = layout.bytes(of: block)
              _ = old?.lend(bytes) { piece in
                _ = store.write(piece, at: bytes.lowerBound)
                return true
              }
            }
            return store
          }),
        tell: { [told] event in
          if case .bufferState = event { return }
          told.withLock { $0.append("\(event)") }
        })
    }

    /// Returns one whose first fetch has begun, for a program that reads the file as it grows.
    static func begun(isFramed: Bool = true) -> Growth {
      let growth = Growth()
      _ = growth.prove()
      growth.origin.grow(1, isFramed: isFramed)
      return growth
    }

    var events: [String] { told.withLock { $0 } }

    func prove(readsAsItGrows: Bool = true) -> RecordingReceiver {
      let receiver = RecordingReceiver(of: file, readsAsItGrows: readsAsItGrows)
      filler.prove(receiver)
      return receiver
    }

    func open() -> FillState.HandleID {
      _ = prove()
      return filler.opened(isScanner: false)
    }

    func read(_ range: ByteRange, by handle: FillState.HandleID) -> RecordingReceiver {
      let receiver = RecordingReceiver(of: file, range)
      filler.read(range, by: handle, into: receiver)
      return receiver
    }

    /// Sends up to `count` bytes of `fetch`, as libcurl does.
    func give(_ count: Int = .max, in fetch: FetchID) {
      var left = count
      while left > 0, let rest = origin.left(of: fetch), rest > 0 {
        origin.give(min(left, 16.kib), in: fetch)
        left -= min(left, 16.kib)
      }
    }
  }

  // MARK: Growing

  @Test func anOpenNeedsNoProofAndReadsWaitForTheirBytes() {
    let growth = Growth()
    let open = growth.prove()
    growth.origin.grow(1)
    #expect(growth.events == ["grows"])
    growth.origin.give(4096, in: 1)
    #expect(open.answers == [], "the kernel is told whole pages, and less than what has come")
    growth.origin.give(1, in: 1)
    #expect(open.answers == [.grows])
    let handle = growth.filler.opened(isScanner: false)
    let head = growth.read(0..<1000, by: handle)
    let far = growth.read(700_000..<800_000, by: handle)
    growth.give(200_000 - 4097, in: 1)
    #expect(head.answers == [.bytes(1000)] && far.answers == [])
    #expect(growth.filler.growth?.reached == 200_000)
    growth.give(600_000, in: 1)
    #expect(far.answers == [.bytes(100_000)])
    #expect(growth.origin.requests.count == 1)
  }

  /// The kernel can be told the length while a read of its pages waits, because the page of the last
  /// byte lies behind every size that it was told before.
  @Test(arguments: [
    (4097, 4096), (8191, 4096), (8192, 4096), (8193, 8192), (1.mib, 1.mib - 4096),
    (1.mib + 12_345, 1.mib + 12_288),
  ])
  func theSizeThatIsToldHasWholePagesAndIsLessThanWhatHasCome(reached: Int, told: Int) {
    let growth = Growth.begun()
    #expect(growth.filler.growth?.toldSize == 0)
    growth.give(reached, in: 1)
    #expect(growth.filler.growth?.toldSize == told)
  }

  @Test func anOpenOfABodyThatIsShorterThanAPageWaitsForItsEnd() {
    let file = PatternBody(length: 100)
    let growth = Growth(file)
    let open = growth.prove()
    growth.origin.grow(1)
    growth.give(in: 1)
    #expect(open.answers == [])
    growth.origin.end(1, .complete)
    #expect(open.answers == [.proved(file.representation)])
  }

  @Test func whoWaitsForTheLengthWaitsForAsLongAsBytesCome() {
    let growth = Growth()
    let proof = growth.prove(readsAsItGrows: false)
    growth.origin.grow(1)
    for _ in 0..<5 {
      growth.give(10_000, in: 1)
      growth.time.advance(by: .seconds(59))
      #expect(proof.answers == [] && growth.filler.silence == .seconds(59))
    }
    growth.time.advance(by: .seconds(1))
    #expect(proof.answers == [.failed(.unreachable)])
  }

  @Test func itsEndProvesTheLengthAndIsToldToWaitingReads() {
    let growth = Growth()
    let proof = growth.prove(readsAsItGrows: false)
    growth.origin.grow(1)
    let handle = growth.open()
    let across = growth.read(growth.file.length - 10..<growth.file.length + 90, by: handle)
    let beyond = growth.read(growth.file.length..<growth.file.length + 10, by: handle)
    growth.give(in: 1)
    #expect(across.answers == [] && beyond.answers == [] && proof.answers == [])
    growth.origin.end(1, .complete)

    #expect(across.answers == [.bytes(10)] && beyond.answers == [.bytes(0)])
    #expect(proof.answers == [.proved(growth.file.representation)])
    #expect(growth.origin.proved == growth.file.representation)
    #expect(growth.filler.isComplete && growth.filler.growth == nil)
    #expect(growth.events == ["grows", "completed"])
    // From now on it is a file like any other.
    #expect(growth.prove().answers == [.proved(growth.file.representation)])
    #expect(growth.read(0..<growth.file.length, by: handle).answers == [.bytes(growth.file.length)])
    #expect(growth.origin.requests.count == 1)
  }

  @Test func anEndWithoutAFrameIsProvedByASecondFetchOfTheSameBytes() {
    let growth = Growth.begun(isFramed: false)
    let handle = growth.open()
    let beyond = growth.read(growth.file.length..<growth.file.length + 1, by: handle)
    growth.give(in: 1)
    growth.origin.end(1, .complete)
    #expect(beyond.answers == [] && growth.origin.followed(2) == 0)
    growth.origin.grow(2, isFramed: false)
    growth.give(in: 2)
    #expect(beyond.answers == [])
    growth.origin.end(2, .complete)

    #expect(beyond.answers == [.bytes(0)])
    #expect(growth.origin.proved == growth.file.representation)
  }

  @Test func aSecondFetchThatIsShorterProvesNothing() {
    let growth = Growth.begun(isFramed: false)
    let handle = growth.open()
    let beyond = growth.read(growth.file.length..<growth.file.length + 1, by: handle)
    growth.give(in: 1)
    growth.origin.end(1, .complete)
    growth.origin.grow(2, isFramed: false)
    growth.give(1.mib, in: 2)
    growth.origin.end(2, .complete)

    #expect(beyond.answers == [] && growth.origin.proved == nil)
    growth.time.advance(by: .seconds(61))
    #expect(beyond.answers == [.failed(.unreachable)])
  }

  // MARK: Breaks

  @Test func afterABreakTheRestIsAskedForAndItsOverlapIsCompared() {
    let growth = Growth.begun()
    let handle = growth.open()
    let read = growth.read(0..<growth.file.length, by: handle)
    growth.give(500_000, in: 1)
    growth.origin.end(1, .failed)
    #expect(growth.origin.followed(2) == 500_000 - 4096)
    growth.origin.grow(2, from: 500_000 - 4096, length: growth.file.length)
    growth.give(in: 2)
    growth.origin.end(2, .complete)

    #expect(read.answers == [.bytes(growth.file.length)])
  }

  @Test func aBreakWithoutEndIsAnErrorAndNoShortRead() {
    let growth = Growth.begun()
    let handle = growth.open()
    let across = growth.read(450_000..<550_000, by: handle)
    growth.give(500_000, in: 1)
    growth.origin.end(1, .failed)
    var next = FetchID(2)
    while across.answers == [] {
      growth.origin.grow(next)
      growth.give(500_000, in: next)
      growth.origin.end(next, .failed)
      growth.time.advance(by: .seconds(5))
      next = next.next
      guard next.value < 20 else { break }
    }

    #expect(across.answers == [.failed(.unreachable)])
    #expect(next.value <= 5, "each answer may be a whole body")
    #expect(growth.read(0..<500_000, by: handle).answers == [.bytes(500_000)])
  }

  @Test func otherBytesAreAnotherVersion() {
    let growth = Growth.begun()
    let handle = growth.open()
    let read = growth.read(600_000..<700_000, by: handle)
    growth.give(500_000, in: 1)
    growth.origin.end(1, .failed)
    growth.origin.grow(2, from: 1)
    // The answer begins a byte too late: every byte of it lies at another place.
    let shifted = Pattern.bytes(1..<20_000, seed: 0)
    growth.filler.received(shifted.span.bytes, at: 0, in: 2)

    #expect(read.answers == [.failed(.changed)])
    #expect(growth.filler.isStale && growth.events.contains("becameStale"))
    #expect(growth.read(0..<500_000, by: handle).answers == [.bytes(500_000)])
    #expect(growth.origin.cancelled == [2])
  }

  @Test func aShorterBodyWithAFrameIsAnotherVersion() {
    let growth = Growth.begun()
    let handle = growth.open()
    let read = growth.read(600_000..<700_000, by: handle)
    growth.give(500_000, in: 1)
    growth.origin.end(1, .failed)
    growth.origin.grow(2)
    growth.give(400_000, in: 2)
    growth.origin.end(2, .complete)

    #expect(read.answers == [.failed(.changed)] && growth.origin.proved == nil)
  }

  // MARK: What was there before

  @Test func bytesOfAnEarlierUseAreReadAtOnceAndGoneOnWith() {
    let refuse: @Sendable (String) -> Void = { Issue.record("\($0)") }
    let store = MemoryBlockStore(length: Self.maxLength, refuse: refuse)
    let bytes = Array(Self.body.bytes.prefix(640.kib))
    _ = store.write(bytes.span.bytes, at: 0)
    let growth = Growth(found: store)
    #expect(growth.prove().answers == [.grows])
    let handle = growth.filler.opened(isScanner: false)
    #expect(growth.read(0..<640.kib, by: handle).answers == [.bytes(640.kib)])
    #expect(growth.origin.requests.isEmpty)
    let rest = growth.read(640.kib..<Self.body.length, by: handle)
    #expect(growth.origin.followed(1) == 640.kib - 4096)
    // The origin begins anew.
    growth.origin.grow(1)
    growth.give(in: 1)
    growth.origin.end(1, .complete)
    #expect(rest.answers == [.bytes(Self.body.length - 640.kib)])
  }

  @Test func lostBytesAreFetchedAgain() {
    let growth = Growth(maxBlocks: 4)
    _ = growth.prove()
    growth.origin.grow(1)
    let handle = growth.open()
    growth.give(512.kib, in: 1)
    let lost = growth.read(0..<1000, by: handle)
    #expect(lost.answers == [])
    #expect(growth.origin.cancelled == [1] && growth.origin.followed(2) == 0)
    growth.origin.grow(2)
    growth.give(16.kib, in: 2)

    #expect(lost.answers == [.bytes(1000)])
  }

  // MARK: Limits

  @Test func aBodyIsReadUpToALimitAndThatIsTold() {
    let growth = Growth(PatternBody(length: Self.maxLength + 100))
    _ = growth.prove()
    growth.origin.grow(1)
    let handle = growth.open()
    let last = growth.read(Self.maxLength - 10..<Self.maxLength, by: handle)
    let beyond = growth.read(Self.maxLength..<Self.maxLength + 1, by: handle)
    growth.give(in: 1)

    #expect(last.answers == [.bytes(10)] && beyond.answers == [.failed(.unreachable)])
    #expect(growth.origin.tooLong == Self.maxLength && growth.events.contains("gaveUp"))
    #expect(growth.origin.cancelled == [1])
    #expect(growth.read(Self.maxLength..<Self.maxLength + 1, by: handle).answers.count == 1)
    #expect(growth.origin.requests.count == 1)
  }

  @Test func whatNobodyReadsIsGivenUpAtOnce() {
    let growth = Growth.begun()
    growth.give(16.kib, in: 1)
    let handle = growth.open()
    growth.filler.giveUpGrowth(after: 1000)
    #expect(growth.origin.cancelled == [] && growth.origin.tooLong == nil)
    growth.filler.closed(handle)
    growth.filler.giveUpGrowth(after: 1000)

    #expect(growth.origin.cancelled == [1] && growth.origin.tooLong == 1000)
    #expect(growth.events.suffix(2) == ["quiet", "gaveUp"])
    growth.time.advance(by: .seconds(100))
    #expect(growth.origin.requests.count == 1)
    // The next reader has it fetched again.
    _ = growth.read(20.kib..<21.kib, by: growth.open())
    #expect(growth.origin.requests.count == 2)
  }

  @Test func theLimitsAreThoseThatArePromised() {
    #expect(FillRules().growth.maxGrowth == Figure.maxGrowth.bytes)
    #expect(FillRules().growth.linger == Figure.linger.time)
    #expect(FillRules().growth.fruitlessBodies == Figure.fruitlessBodies.count)
  }

  @Test func theFetchGoesOnForAWhileAfterTheLastReader() {
    let growth = Growth.begun()
    growth.filler.closed(growth.open())
    growth.give(100_000, in: 1)
    growth.time.advance(by: Figure.linger.time - .seconds(1))
    #expect(growth.origin.cancelled == [])
    let again = growth.open()
    growth.time.advance(by: Figure.linger.time)
    #expect(growth.origin.cancelled == [] && growth.filler.isFetching)
    growth.filler.closed(again)
    growth.time.advance(by: Figure.linger.time)

    #expect(growth.origin.cancelled == [1] && !growth.filler.isFetching)
    #expect(growth.events.last == "quiet")
  }

  /// An archiver asks for the size before it opens the file.
  @Test func theFetchGoesOnWhileAnOpenWaitsForTheProof() throws {
    let growth = Growth()
    let proof = growth.prove(readsAsItGrows: false)
    growth.origin.grow(1)
    growth.give(100_000, in: 1)
    let next = try #require(growth.time.nextCall)
    #expect(next > growth.time.now + Figure.linger.time, "it would be called again and again")
    growth.time.advance(by: Figure.linger.time + .seconds(1))
    growth.give(in: 1)
    growth.origin.end(1, .complete)

    #expect(growth.origin.cancelled == [] && proof.answers == [.proved(growth.file.representation)])
  }

  @Test func aPreloadOfItsHeadDoesNotMakeTheOriginProduceIt() {
    let growth = Growth()
    growth.filler.preload([.head])
    growth.origin.grow(1)

    #expect(growth.origin.cancelled == [1] && growth.filler.growth == nil)
    growth.filler.preload([.whole])
    growth.origin.grow(2)
    growth.give(in: 2)
    growth.origin.end(2, .complete)
    #expect(growth.filler.isComplete)
  }

  // MARK: Modes

  @Test func offlineItsBytesAreReadAndNoOthers() {
    let growth = Growth.begun()
    let handle = growth.open()
    growth.give(300_000, in: 1)
    let waiting = growth.read(400_000..<400_001, by: handle)
    growth.filler.turn(.offline)
    #expect(waiting.answers == [.failed(.offline)] && growth.origin.cancelled == [1])
    #expect(growth.read(0..<200_000, by: handle).answers == [.bytes(200_000)])
    growth.filler.turn(.online)
    _ = growth.read(400_000..<400_001, by: handle)
    #expect(growth.origin.followed(2) == 300_000 - 4096)
  }

  @Test func theEndOfTheMountEndsItsWaits() {
    let growth = Growth.begun()
    let read = growth.read(0..<10, by: growth.open())
    growth.filler.end()

    #expect(read.answers == [.failed(.ended)] && growth.origin.cancelled == [1])
  }

  @Test func aReaderThatLeavesEndsItsWaitAlone() {
    let growth = Growth.begun()
    let handle = growth.open()
    let first = growth.read(0..<10, by: handle)
    let second = growth.read(0..<10, by: handle)
    first.interrupt()
    growth.give(10, in: 1)

    #expect(first.answers == [.failed(.interrupted)] && second.answers == [.bytes(10)])
  }

  @Test func anExpiredAddressIsRenewedOnce() {
    let growth = Growth.begun()
    let read = growth.read(0..<growth.file.length, by: growth.open())
    growth.give(500_000, in: 1)
    growth.origin.end(1, .failed)
    growth.origin.end(2, .gone)
    #expect(growth.events.contains("needsAddress") && read.answers == [])
    growth.filler.renewed(changed: true)
    growth.origin.end(3, .gone)

    #expect(read.answers == [.failed(.unreachable)])
  }
}
