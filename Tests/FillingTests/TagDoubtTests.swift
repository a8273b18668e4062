import Blocks
import TestSupport
import Testing

@testable import Filling

/// A tag that differs, though the length is the same, is doubted until some bytes were compared.
@Suite(.timeLimit(.minutes(1)))
struct TagDoubtTests {
  /// A reader of a film of which the first MiB and a MiB further on are cached. It waits for bytes
  /// behind them, as fetch 1.
  private var scene: Scene
  private let handle: FillState.HandleID
  private let wait: FillState.WaitID
  private static let far = 40.mib..<40.mib + 4.kib

  init() {
    scene = Scene(cached: 0..<1.mib)
    if let layout = scene.state.layout {
      scene.state.cached.whole.insert(layout.blocks(touching: 20.mib..<21.mib))
    }
    handle = scene.state.opened()
    wait = scene.read(Self.far, by: handle).wait
  }

  private mutating func doubt() -> [FillState.Action] { scene.end(1, .doubted) }

  private mutating func compared(_ outcome: Comparison) -> [FillState.Action] {
    let (now, id) = (scene.now, scene.comparisons.last?.id ?? .none)
    return scene.event { $0.compared(id, outcome, at: now) }
  }

  // MARK: What is compared

  @Test mutating func fourKiBAreComparedAtTheFirstAndAtTheLastCachedBlockAndAtOneBetween() throws {
    let size = Figure.comparedPlace.bytes
    _ = doubt()
    let places = try #require(scene.comparisons.first?.places)

    #expect(scene.comparisons.count == 1 && places.count == 3)
    #expect(places.first == 0..<size)
    #expect(places.last == 21.mib - size..<21.mib)
    #expect(places.allSatisfy { $0.count == size && scene.state.holds($0) })
  }

  @Test func nobodyCanForeseeThePlaceBetween() {
    let places = (0..<64).map { (seed: UInt64) -> ByteRange in
      var state = FillState(
        layout: BlockLayout(length: 64.mib),
        cachedBlocks: BlockSet(BlockIndex(0)..<BlockIndex(512)),
        seed: seed)
      guard case .compare(_, let places)? = state.doubted(at: .zero).last, places.count == 3 else {
        return 0..<0
      }
      return places[1]
    }

    #expect(Set(places).count > 32)
    #expect(places.allSatisfy { $0.count == 4.kib && $0.lowerBound >= 64.kib })
  }

  /// Bytes that are cached, and the places.
  @Test(arguments: [
    (1, [0..<1]), (4.kib, [0..<4.kib]), (10.kib, [0..<4.kib, 6.kib..<10.kib]),
    (64.kib, [0..<4.kib, 60.kib..<64.kib]), (70.kib, [0..<4.kib, 66.kib..<70.kib]),
    (65.kib, [0..<4.kib, 64.kib..<65.kib]),
  ])
  func fewBytesAreComparedAsTheyAre(count: Int, places: [ByteRange]) {
    var scene = Scene()
    scene.read(0..<count, by: scene.state.opened())
    scene.begin(1)
    scene.give(0..<count, in: 1)
    scene.end(1, .failed)
    scene.end(scene.underWay.first ?? 1, .doubted)

    if scene.comparisons.isEmpty { scene.event { $0.doubted(at: .zero) } }
    #expect(scene.comparisons.first?.places == places)
  }

  @Test func whereNothingIsCachedTheTagCounts() {
    var scene = Scene()
    let wait = scene.read(0..<4.kib, by: scene.state.opened()).wait

    #expect(scene.end(1, .doubted) == [.becameStale, .fail(wait, .changed)])
  }

  // MARK: While it is compared

  @Test mutating func noFurtherByteIsAskedForAndCachedOnesAreReadAsEver() {
    scene.read(30.mib..<30.mib + 4.kib, by: scene.state.opened())
    #expect(scene.underWay == [1, 2])
    let actions = doubt()

    #expect(actions.first == .cancel(2))
    #expect(scene.underWay == [])
    #expect(scene.state.holds(0..<1.mib))
    let requests = scene.requests.count
    scene.read(50.mib..<50.mib + 4.kib, by: handle)
    scene.pass(.seconds(1))
    #expect(scene.requests.count == requests && scene.comparisons.count == 1)
    #expect(scene.state.isFetching)
  }

  @Test mutating func aReaderWaitsForTheComparisonNoLongerThanForBytes() {
    _ = doubt()

    #expect(scene.pass(Figure.readTimeout.time) == [.fail(wait, .unreachable)])
  }

  @Test mutating func aPauseTakesItBackAndItsEndBeginsItAnew() {
    _ = doubt()
    let (id, now) = (scene.comparisons[0].id, scene.now)
    #expect(scene.event { $0.turned(.paused, at: now) }.contains(.cancel(id)))
    #expect(scene.event { $0.compared(id, .same, at: now) } == [])
    scene.event { $0.turned(.online, at: now) }

    #expect(scene.comparisons.count == 2 && scene.underWay == [])
  }

  // MARK: Its outcome

  @Test mutating func theSameBytesAreTheSameVersionAndTagsCountNoMore() {
    _ = doubt()
    let actions = compared(.same)

    #expect(actions.first == .ignoreTags)
    #expect(scene.bytes(of: scene.underWay.first ?? 0).lowerBound == Self.far.lowerBound)
    #expect(!scene.state.isStale)
  }

  @Test mutating func otherBytesAreAnotherVersion() {
    _ = doubt()

    #expect(compared(.different) == [.becameStale, .fail(wait, .changed)])
    #expect(scene.state.isStale && scene.underWay == [])
  }

  @Test mutating func anotherLengthIsAnotherVersion() {
    _ = doubt()
    #expect(compared(.ended(.changed)) == [.becameStale, .fail(wait, .changed)])
  }

  @Test mutating func cachedBytesThatAreGoneAreNotCompared() throws {
    _ = doubt()
    let layout = try #require(scene.state.layout)
    let first = BlockIndex(0)
    _ = compared(.lost([first]))

    let places = try #require(scene.comparisons.last?.places)
    #expect(scene.comparisons.count == 2)
    #expect(places.first == layout.bytes(of: first.advanced(by: 1)).prefix(4.kib))
    _ = compared(.lost(Array(layout.all)))
    #expect(scene.state.isStale)
  }

  @Test mutating func whereOnlyTheKnownTagCameItCountsOn() {
    _ = doubt()
    #expect(compared(.undecided) == [])
    scene.pass(.seconds(1))

    #expect(scene.underWay.count == 1)
    #expect(scene.end(scene.underWay.first ?? 0, .doubted).count == 1)
    #expect(scene.comparisons.count == 2)
  }

  @Test mutating func anOriginThatDoesNotAnswerIsAskedAgainAfterAPause() {
    _ = doubt()
    var tries = 1
    while scene.state.waitingCount > 0, tries < 20 {
      #expect(scene.comparisons.count == tries)
      _ = compared(.ended(.failed))
      scene.pass(.milliseconds(4500))
      tries += 1
    }

    #expect(tries == Figure.fruitlessAnswers.count + 1)
    // The next reader has as many tries.
    scene.read(50.mib..<50.mib + 4.kib, by: handle)
    scene.pass(.seconds(5))
    #expect(scene.comparisons.count == tries)
    #expect(scene.requests.count == 1)
  }

  @Test mutating func anAddressThatRunsOutMeanwhileIsAskedForAnew() {
    _ = doubt()
    #expect(compared(.ended(.gone)) == [.renew])
    let now = scene.now
    scene.event { $0.renewed(changed: true, at: now) }

    #expect(scene.comparisons.count == 2 && scene.underWay == [])
  }
}

/// The same with the filler: bytes of the origin beside those of the store.
@Suite(.timeLimit(.minutes(1)))
struct TagComparisonTests {
  private let stage = Stage()
  private let receiver: RecordingReceiver

  /// The film has begun to come, and the origin names it by another tag.
  init() {
    let handle = stage.filler.opened(isScanner: false)
    _ = stage.read(0..<4.kib, by: handle)
    stage.origin.serveAll()
    receiver = stage.read(2.mib..<3.mib, by: handle)
    stage.origin.end(stage.origin.underWay.last ?? 0, .doubted)
  }

  @Test func theReadGoesOnWhereTheBytesAreTheSame() {
    #expect(stage.origin.sampled.count == 3)
    stage.origin.answerSampling()
    stage.origin.serveAll()

    #expect(stage.origin.ignoresTags && receiver.answers == [.bytes(1.mib)])
    #expect(!stage.events.contains("becameStale"))
  }

  @Test func itFailsWhereTheyDiffer() {
    stage.origin.answerSampling(areRight: false)

    #expect(!stage.origin.ignoresTags && receiver.answers == [.failed(.changed)])
    #expect(stage.events.contains("becameStale"))
  }

  @Test func bytesThatTheStoreHasLostAreNotCompared() {
    for block in 0..<64 { stage.store.lose(BlockIndex(block)) }
    var comparisons = 0
    while !stage.origin.sampled.isEmpty, comparisons < 64 {
      stage.origin.answerSampling()
      comparisons += 1
    }

    #expect(comparisons < 10)
    #expect(receiver.answers == [.failed(.changed)])
  }
}
