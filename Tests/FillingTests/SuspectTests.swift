import Blocks
import TestSupport
import Testing

@testable import Filling

/// The bytes of a broken answer are suspect until the last of them were compared.
@Suite(.timeLimit(.minutes(1)))
struct SuspectTests {
  /// A reader that has the first 512 KiB and waits for the next bytes, as fetch 2.
  private var scene: Scene
  private let handle: FillState.HandleID

  init() {
    scene = Scene()
    handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    scene.serve(1)
    scene.read(firstFetch..<firstFetch + 4.kib, by: handle)
  }

  /// Lets fetch 2 bring `count` bytes and break off.
  private mutating func breakOff(after count: Int) {
    scene.begin(2)
    scene.give(scene.bytes(of: 2).prefix(count), in: 2)
    scene.end(2, .failed)
  }

  // MARK: How much is compared

  /// Bytes that came, and how many of them are fetched again.
  @Test(arguments: [(1, 1), (2, 1), (100, 12), (1000, 125), (32768, 4096), (200_000, 4096)])
  mutating func whatIsAskedForAgainIsAnEighthAnd4KiBAtMost(came: Int, again: Int) {
    breakOff(after: came)
    scene.read(firstFetch + came..<firstFetch + came + 1, by: handle)

    #expect(scene.bytes(of: 3).lowerBound == firstFetch + came - again)
    let share = Int(Double(came) * Figure.comparedShare.share)
    #expect(again == min(max(share, 1), Figure.compared.bytes))
  }

  @Test mutating func anAnswerThatCameToItsEndIsContinuedWhereItEnded() {
    scene.serve(2)
    let end = scene.bytes(of: 2).upperBound
    scene.read(end..<end + 1, by: handle)

    #expect(scene.requests.dropFirst(2).first?.lowerBound == end)
    #expect(scene.state.suspects.isEmpty)
  }

  @Test mutating func anAnswerThatWasNotWantedAnyMoreIsComparedByWhoReadsOn() {
    scene.begin(2)
    scene.give(firstFetch..<firstFetch + 100.kib, in: 2)
    scene.event { $0.turned(.paused, at: .zero) }
    scene.event { $0.turned(.online, at: .zero) }
    #expect(scene.state.suspects.bytes.isEmpty)
    scene.read(firstFetch + 100.kib..<firstFetch + 101.kib, by: handle)

    #expect(scene.requests.last?.lowerBound == firstFetch + 96.kib)
  }

  @Test mutating func whatAnEarlierTimeHasLeftIsComparedByWhoReadsOn() {
    scene = Scene(cached: 0..<1.mib)
    let reader = scene.state.opened()
    scene.read(1.mib..<1.mib + 1, by: reader)
    #expect(scene.requests.last?.lowerBound == 1.mib - 4096)
    scene.agrees = false
    scene.begin(1)
    scene.give(1.mib - 4096..<1.mib, in: 1)

    #expect(scene.state.cachedBlocks.isEmpty)
  }

  // MARK: Consequences

  @Test mutating func whatAgreesIsBelieved() {
    breakOff(after: 200_000)
    #expect(scene.state.suspects.bytes == [firstFetch..<firstFetch + 200_000])
    scene.read(firstFetch + 200_000..<firstFetch + 200_001, by: handle)
    scene.begin(3)
    scene.give(scene.bytes(of: 3).prefix(4096), in: 3)

    #expect(scene.state.suspects.isEmpty)
    #expect(scene.state.isThere(0..<firstFetch + 200_000))
    #expect(scene.told.last == [])
  }

  /// The bytes come in pieces, as from the network.
  @Test mutating func whatDiffersAnywhereIsGoneAndNothingElse() {
    breakOff(after: 200_000)
    scene.read(firstFetch + 200_000..<firstFetch + 200_001, by: handle)
    scene.begin(3)
    let start = scene.bytes(of: 3).lowerBound
    for part in [0..<1, 1..<1000, 1000..<4095] {
      scene.give(start + part.lowerBound..<start + part.upperBound, in: 3)
    }
    #expect(!scene.state.suspects.isEmpty)
    scene.agrees = false
    scene.give(start + 4095..<start + 4096, in: 3)

    let left = scene.state.layout?.blocks(touching: 0..<firstFetch) ?? .none
    #expect(scene.state.cachedBlocks == BlockSet(left))
    #expect(scene.state.cached.partial.isEmpty)
    #expect(scene.cancelled == [3])
    #expect(scene.forgotten.map(\.blocks.count) == [4])
    #expect(scene.told.last == [])
  }

  @Test mutating func whatWasReadOfItIsTold() {
    scene.begin(2)
    scene.give(firstFetch..<firstFetch + 200_000, in: 2)
    scene.note(firstFetch + 64.kib..<firstFetch + 65.kib, by: handle)
    scene.end(2, .failed)
    scene.agrees = false
    scene.read(firstFetch + 200_000..<firstFetch + 200_001, by: handle)
    scene.begin(3)
    scene.give(scene.bytes(of: 3).prefix(1), in: 3)

    #expect(scene.forgotten.first?.read == [firstFetch..<firstFetch + 128.kib])
  }

  @Test mutating func whatIsWrongIsAskedForAgainAfterAPause() {
    breakOff(after: 200_000)
    scene.agrees = false
    scene.begin(3)
    scene.give(scene.bytes(of: 3).prefix(1), in: 3)
    scene.read(firstFetch..<firstFetch + 4.kib, by: handle)
    #expect(scene.underWay == [])
    scene.agrees = true
    scene.pass(.seconds(1))
    scene.serveAll()

    #expect(scene.state.waitingCount == 0)
  }

  @Test mutating func anOriginThatNeverSaysTheSameIsAskedALimitedNumberOfTimes() {
    scene.agrees = false
    for _ in 0..<40 {
      for fetch in scene.underWay {
        scene.begin(fetch)
        scene.give(scene.bytes(of: fetch).prefix(100_000), in: fetch)
        scene.end(fetch, .failed)
      }
      scene.pass(.seconds(1))
    }

    #expect(scene.requests.count < 200)
  }

  // MARK: Without readers

  @Test mutating func whenAllAreGoneTheLastBytesAloneAreAskedFor() {
    scene.begin(2)
    // A fetch that is nearly complete may finish.
    let end = scene.bytes(of: 2).upperBound - 1000
    scene.give(firstFetch..<end, in: 2)
    let handle = handle
    scene.close(handle)
    scene.end(2, .failed)

    #expect(scene.underWay == [3])
    #expect(scene.bytes(of: 3) == end - 4096..<end)
    scene.serve(3)
    #expect(scene.state.suspects.isEmpty)
    #expect(!scene.state.isFetching)
  }

  @Test mutating func whatAnEarlierTimeDidNotCompareIsComparedWhenItIsRead() {
    scene = Scene(cached: 0..<1.mib, suspects: [512.kib..<1.mib])
    let reader = scene.state.opened()
    let first = scene.read(600.kib..<601.kib, by: reader)
    #expect(first.actions == [.fetch(1, 1.mib - 4096..<1.mib, .demand)])
    scene.begin(1)
    let actions = scene.give(1.mib - 4096..<1.mib, in: 1)

    #expect(scene.told.last == [])
    #expect(scene.state.waitingCount == 0 || actions.contains(.resume(first.wait)))
  }

  // MARK: Reads of suspect bytes

  @Test mutating func whatIsElsewhereIsReadAtOnce() {
    scene = Scene(cached: 0..<1.mib, suspects: [512.kib..<1.mib])

    #expect(scene.state.holds(0..<512.kib))
    #expect(!scene.state.holds(511.kib..<513.kib))
  }

  @Test mutating func aReaderWaitsASecondForTheComparisonAndNoLonger() {
    scene = Scene(cached: 0..<1.mib, suspects: [512.kib..<1.mib])
    let reader = scene.state.opened()
    let wait = scene.read(600.kib..<601.kib, by: reader).wait
    #expect(scene.state.nextWake(after: scene.now) == scene.now + Figure.comparison.time)
    #expect(scene.pass(Figure.comparison.time - .milliseconds(1)) == [])
    #expect(scene.pass(.milliseconds(1)).contains(.resume(wait)))
    // The next read does not wait again, but a new reader does.
    #expect(scene.state.holds(600.kib..<601.kib))
    _ = scene.state.opened()
    #expect(!scene.state.holds(600.kib..<601.kib))
  }

  @Test(arguments: [FetchEnd.unanswered, .failed, .busy(after: nil)])
  mutating func whereTheOriginIsAwayItIsReadAtOnce(end: FetchEnd) {
    scene = Scene(cached: 0..<1.mib, suspects: [512.kib..<1.mib])
    let reader = scene.state.opened()
    let wait = scene.read(600.kib..<601.kib, by: reader).wait

    #expect(scene.end(1, end).contains(.resume(wait)))
    #expect(!scene.state.suspects.isEmpty)
  }

  @Test(arguments: [NetworkMode.paused, .offline])
  mutating func whereNothingMayBeFetchedItIsRead(mode: NetworkMode) {
    scene = Scene(cached: 0..<1.mib, suspects: [512.kib..<1.mib])
    let reader = scene.state.opened()
    let wait = scene.read(600.kib..<601.kib, by: reader).wait
    let now = scene.now

    #expect(scene.event { $0.turned(mode, at: now) }.contains(.resume(wait)))
    #expect(scene.state.holds(600.kib..<601.kib))
  }

  @Test mutating func aBlockThatIsLostIsNotCompared() {
    breakOff(after: 200_000)
    let all = scene.state.layout?.blocks(touching: firstFetch..<firstFetch + 200_000) ?? .none
    let now = scene.now
    scene.event { $0.lost(Array(all), at: now) }

    #expect(scene.state.suspects.isEmpty)
  }
}

extension Range<BlockIndex> {
  fileprivate static var none: Self { BlockIndex(0)..<BlockIndex(0) }
}
