import Blocks
import Testing

@testable import Filling

/// The first fetch after a seek.
@Suite(.timeLimit(.minutes(1)))
struct SeekTests {
  /// Reads of one handle after a seek, in the order in which they come.
  struct Arrival: CustomTestStringConvertible, Sendable {
    let reads: [ByteRange]
    /// The requests that go out before a timer has run.
    let requests: [ByteRange]
    let testDescription: String
  }

  private static let place = 20.mib + 8.kib
  private static let fetch = 20.mib..<20.mib + 576.kib

  private static func half(_ number: Int) -> ByteRange {
    place + number * 64.kib..<place + (number + 1) * 64.kib
  }

  @Test(arguments: [
    Arrival(reads: [half(0), half(1)], requests: [fetch], testDescription: "in order"),
    Arrival(reads: [half(1), half(0)], requests: [fetch], testDescription: "in the wrong order"),
    Arrival(reads: [half(0)], requests: [], testDescription: "one of two"),
    Arrival(
      reads: [place..<place + 4.kib], requests: [fetch], testDescription: "a small read"),
    Arrival(
      reads: [place..<place + 128.kib], requests: [fetch], testDescription: "both in one"),
  ])
  func theFirstFetchBeginsWhereTheReaderIs(arrival: Arrival) {
    var scene = Scene.knowing(latency: .milliseconds(50))
    let handle = scene.state.opened()
    for range in arrival.reads { scene.read(range, by: handle) }

    #expect(scene.requests == arrival.requests)
  }

  @Test func whatIsHeldIsFetchedSoonEvenIfNoOtherReadComes() {
    var scene = Scene.knowing(latency: .milliseconds(50))
    scene.read(Self.half(0), by: scene.state.opened())
    let hold = FillRules().seeks.hold
    #expect(scene.state.nextWake(after: scene.now) == scene.now + hold)

    scene.pass(hold)
    #expect(scene.requests == [Self.fetch])
  }

  @Test func aLateTimerDoesNotTurnTheOrderAround() {
    var scene = Scene.knowing(latency: .milliseconds(50))
    let handle = scene.state.opened()
    scene.read(Self.half(1), by: handle)
    scene.now += .milliseconds(3)
    scene.read(Self.half(0), by: handle)

    #expect(scene.requests == [Self.fetch])
  }

  @Test func nothingIsHeldWhereTheBytesBeforeAreCached() {
    var scene = Scene.knowing(latency: .milliseconds(50), cached: 19.mib..<20.mib + 64.kib)
    scene.read(20.mib + 64.kib..<20.mib + 128.kib, by: scene.state.opened())

    // It begins a little before, to compare the last cached bytes.
    #expect(scene.requests.map(\.upperBound) == [20.mib + 576.kib])
  }

  @Test func nothingIsHeldAtTheStartOfAFileOrWhereNoRoundTripWasMeasured() {
    var scene = Scene.knowing(latency: .milliseconds(50))
    scene.read(0..<64.kib, by: scene.state.opened())
    var first = Scene()
    first.read(Self.half(0), by: first.state.opened())

    #expect(scene.requests == [0..<firstFetch])
    #expect(first.requests == [Self.fetch])
  }

  @Test func aReadIsHeldForAFractionOfARoundTripOnly() {
    var scene = Scene.knowing(latency: .milliseconds(1))
    scene.read(Self.half(0), by: scene.state.opened())

    #expect(scene.state.nextWake(after: scene.now) == scene.now + .microseconds(40))
  }

  @Test func anotherReadersReadDoesNotStandForTheMissingHalf() {
    var scene = Scene.knowing(latency: .milliseconds(50))
    scene.read(Self.half(1), by: scene.state.opened())
    scene.read(Self.half(0), by: scene.state.opened())
    scene.pass(FillRules().seeks.hold)

    let blocks = Set(
      scene.requests.flatMap { stride(from: $0.lowerBound, to: $0.upperBound, by: 64.kib) })
    #expect(blocks.contains(20.mib))
    #expect(blocks.contains(20.mib + 64.kib))
  }

  // MARK: The second connection

  /// Each seek reads 256 KiB. The answer's head takes a round trip, and its bytes 20 MB/s.
  @Test func onlyTheFirstSeekWaitsForABusyConnection() {
    var run = PlannerRun(
      length: 4096.mib, line: .init(latency: .milliseconds(50), rate: 20e6, total: 1e12), seed: 1)
    let waits = run.seeks((1...30).map { $0 * 100.mib + 8.kib }, of: 320.kib)

    let slow = waits.filter { $0 > .milliseconds(71) }
    #expect(slow.count <= 1, "\(waits)")
    #expect(waits.allSatisfy { $0 < .milliseconds(100) }, "\(waits)")
    #expect(run.complaint == nil)
    #expect(run.requests <= 32)
    #expect(Double(run.fetched) / Double(30 * 256.kib) < 2.3)
  }

  @Test func theSecondConnectionBringsTheEndOfTheFetchThatWaits() {
    var scene = Scene.bringing(256.kib, after: .milliseconds(50), in: .milliseconds(13))
    let handle = scene.state.opened()
    scene.read(40.mib..<40.mib + 4.kib, by: handle)
    #expect(scene.requests.last == 40.mib + 384.kib..<40.mib + 512.kib)

    scene.give(256.kib..<512.kib, in: 1)
    scene.end(1, .complete)
    #expect(scene.requests.last == 40.mib..<40.mib + 384.kib)
    #expect(scene.requests.count == 3)
  }

  @Test func aSeekThatFindsBothConnectionsBusyTakesTheFirstThatIsFree() {
    var scene = Scene.bringing(256.kib, after: .milliseconds(50), in: .milliseconds(13))
    scene.read(40.mib..<40.mib + 4.kib, by: scene.state.opened())
    scene.now += .milliseconds(13)
    scene.give(256.kib..<512.kib, in: 1)
    scene.end(1, .complete)
    scene.now += .milliseconds(50)
    scene.serve(2)
    scene.begin(3)
    scene.now += .milliseconds(13)
    scene.give(40.mib..<40.mib + 256.kib, in: 3)
    scene.read(20.mib..<20.mib + 4.kib, by: scene.state.opened())
    let asked = scene.requests.count
    scene.read(50.mib..<50.mib + 4.kib, by: scene.state.opened())
    #expect(scene.requests.count == asked)

    scene.give(40.mib + 256.kib..<40.mib + 384.kib, in: 3)
    scene.end(3, .complete)
    #expect(scene.requests.count == asked + 1)
    #expect(scene.requests.last?.lowerBound == 50.mib)
  }

  @Test func noSecondConnectionIsMadeToReadAnIndex() {
    var scene = Scene.bringing(256.kib, after: .milliseconds(50), in: .milliseconds(13))
    let now = scene.now
    scene.event { $0.found(indexAt: 63.mib, at: now) }
    scene.read(63.mib..<63.mib + 64.kib, by: scene.state.opened())

    #expect(scene.requests == [0..<512.kib])
  }
}

extension Scene {
  /// A scene with an origin that answers after `latency`. Its requests so far are forgotten.
  fileprivate static func knowing(latency: Duration, cached: ByteRange = 0..<0) -> Scene {
    var scene = Scene(cached: cached)
    let handle = scene.state.opened()
    scene.read(50.mib..<50.mib + 4.kib, by: handle)
    scene.now += latency
    scene.serveAll()
    scene.close(handle)
    scene.forgetRequests()
    return scene
  }
}
