import Blocks
import TestSupport
import Testing

@testable import Filling

/// The end of a film, which is asked for beside its head.
@Suite(.timeLimit(.minutes(1)))
struct TailTests {
  private static let length = 8.mib
  private static let tail = 256.kib
  private static let index = length - 100.kib

  private func rules(_ tail: Int? = tail) -> FillRules {
    var rules = FillRules()
    rules.tail = tail
    return rules
  }

  /// A film that a program opens, before its length is proved.
  private func opened(
    tail: Int? = tail, isLooker: Bool = false, isScanner: Bool = false
  ) -> Scene {
    var scene = Scene(length: nil, rules: rules(tail))
    let (wait, now) = (scene.state.newWait(), scene.now)
    scene.event { $0.wantsProof(as: wait, isLooker: isLooker, isScanner: isScanner, at: now) }
    return scene
  }

  /// The same film, after the head has proved its length, with its reader.
  private func proved(
    length: Int = length, isLooker: Bool = false
  ) -> (scene: Scene, handle: FillState.HandleID) {
    var scene = opened(isLooker: isLooker)
    let now = scene.now
    scene.begin(1)
    scene.event { $0.proved(BlockLayout(length: length), cachedBlocks: BlockSet(), at: now) }
    let handle = scene.state.opened(isLooker: isLooker)
    return (scene, handle)
  }

  @Test func headAndTailAreAskedForAtOnce() {
    let scene = opened()
    #expect(scene.requests == [0..<firstFetch])
    #expect(scene.tails.map(\.count) == [Self.tail])
    #expect(opened(tail: nil).tails.isEmpty)
  }

  @Test func aScannerAPreloadAndAMeteredLineGetTheHeadAlone() {
    #expect(opened(isScanner: true).tails.isEmpty)

    var preload = Scene(length: nil, rules: rules())
    let now = preload.now
    preload.event { $0.preloads([.head, .tail], at: now) }
    #expect(preload.requests.count == 1 && preload.tails.isEmpty)

    var metered = Scene(length: nil, rules: rules())
    metered.state.ahead.isSparing = true
    let wait = metered.state.newWait()
    metered.event { $0.wantsProof(as: wait, at: now) }
    #expect(metered.requests.count == 1 && metered.tails.isEmpty)
  }

  @Test func theIndexIsNotAskedForAgain() throws {
    var (scene, handle) = proved()
    let (tail, now) = (try #require(scene.tails.first?.fetch), scene.now)
    scene.give(0..<64.kib, in: 1)
    scene.event { $0.found(indexAt: Self.index, at: now) }
    scene.read(Self.index..<Self.index + 4.kib, by: handle)
    #expect(scene.requests.count == 1)

    let bytes = Self.length - Self.tail..<Self.length
    scene.event { $0.began(tail, bytes: bytes, whole: false, at: now) }
    scene.event { $0.arrived(bytes, in: tail, at: now) }
    #expect(scene.state.waitingCount == 0)
    scene.end(tail, .complete)
    scene.give(64.kib..<firstFetch, in: 1)
    scene.end(1, .complete)
    #expect(scene.requests.count == 1)
  }

  /// A program that looks at a film comes back from the index for its first picture.
  @Test func theHeadGoesOnWhileItsReaderIsAtTheIndex() {
    var (scene, handle) = proved(isLooker: true)
    let now = scene.now
    scene.give(0..<60.kib, in: 1)
    scene.read(0..<16.kib, by: handle)
    scene.event { $0.found(indexAt: Self.index, at: now) }
    scene.read(Self.index..<Self.index + 4.kib, by: handle)
    #expect(scene.cancelled.isEmpty)
    scene.read(64.kib..<80.kib, by: handle)
    #expect(scene.requests.count == 1)

    let bytes = Self.length - Self.tail..<Self.length
    scene.event { $0.began(2, bytes: bytes, whole: false, at: now) }
    scene.event { $0.arrived(bytes, in: 2, at: now) }
    scene.end(2, .complete)
    scene.give(60.kib..<100.kib, in: 1)
    #expect(scene.state.waitingCount == 0 && scene.cancelled.isEmpty)
    scene.close(handle)
    scene.pass(Figure.reopening.time)
    #expect(scene.cancelled == [1])
  }

  @Test func whereTheTailIsTooShortTheFrontOfTheIndexIsAskedForBesides() {
    var (scene, _) = proved()
    let now = scene.now
    scene.give(0..<64.kib, in: 1)
    scene.event { $0.found(indexAt: Self.length - 900.kib, at: now) }
    scene.give(64.kib..<firstFetch, in: 1)
    scene.end(1, .complete)
    let asked = scene.requests.dropFirst()
    #expect(asked.map(\.upperBound) == [Self.length - Self.tail])
  }

  @Test(arguments: [FetchEnd.failed, .impossible])
  func aTailThatFailsIsNoTrouble(end: FetchEnd) throws {
    var (scene, handle) = proved()
    let tail = try #require(scene.tails.first?.fetch)
    scene.give(0..<64.kib, in: 1)
    scene.read(Self.index..<Self.index + 4.kib, by: handle)
    scene.end(tail, end)
    #expect(scene.requests.dropFirst().map { $0.contains(Self.index) } == [true])
    #expect(scene.state.trouble.failing == nil)
  }

  @Test func aTailOfNoUseIsCancelled() throws {
    var (front, _) = proved()
    let tail = try #require(front.tails.first?.fetch)
    front.event { $0.foundNoIndexAtEnd() }
    #expect(front.cancelled == [tail])

    var (elsewhere, _) = proved()
    let now = elsewhere.now
    elsewhere.event { $0.found(indexAt: 2.mib, at: now) }
    #expect(elsewhere.cancelled == [tail])

    var (closed, handle) = proved()
    closed.close(handle)
    #expect(closed.cancelled == [tail])

    // The head brings all of a short film.
    #expect(proved(length: 600.kib).scene.cancelled == [tail])
    #expect(proved(length: 100.kib).scene.cancelled == [tail])
    #expect(proved().scene.cancelled.isEmpty)
  }

  @Test func withoutAHeadThereIsNoTail() throws {
    var scene = opened()
    let tail = try #require(scene.tails.first?.fetch)
    let wait = try #require(scene.state.waiting.keys.first)
    scene.event { $0.abandoned(wait) }
    #expect(scene.cancelled == [1, tail])
    #expect(scene.state.fetches.isEmpty)

    var growing = opened()
    growing.event { $0.grows(1) }
    #expect(growing.cancelled == [tail])
  }

  @Test func aBodyWithoutRangesIsTakenOnce() throws {
    var scene = opened()
    let (tail, now) = (try #require(scene.tails.first?.fetch), scene.now)
    scene.begin(1, whole: Self.length)
    scene.event { $0.proved(BlockLayout(length: Self.length), cachedBlocks: BlockSet(), at: now) }
    #expect(scene.cancelled == [tail])
  }

  @Test func ofAKnownLengthARangeIsAskedForIfNothingIsCached() {
    var scene = Scene(length: Self.length, rules: rules())
    scene.read(0..<4.kib, by: scene.state.opened())
    #expect(scene.requests == [0..<firstFetch, Self.length - Self.tail..<Self.length])

    var known = Scene(length: Self.length, cached: 0..<64.kib, rules: rules())
    known.read(0..<128.kib, by: known.state.opened())
    #expect(known.requests.count == 1)
    var sought = Scene(length: Self.length, rules: rules())
    sought.read(4.mib..<4.mib + 4.kib, by: sought.state.opened())
    #expect(sought.requests.count == 1)
    var scanned = Scene(length: Self.length, rules: rules())
    scanned.read(0..<4.kib, by: scanned.state.opened(isScanner: true))
    #expect(scanned.requests.count == 1)
  }

  @Test(
    arguments: [
      (length, index, .atEnd(100.kib)), (length, nil, .elsewhere), (length, 2.mib, .elsewhere),
      (length, length + 5, .elsewhere), (length, 900.kib, nil), (900.kib, 890.kib, nil),
      (900.kib, nil, nil),
    ] as [(Int, Int?, IndexPlace?)])
  func theHeadTellsThePlace(length: Int, offset: Int?, place: IndexPlace?) {
    #expect(Scene(length: length).state.place(ofIndexAt: offset) == place)
  }
}
