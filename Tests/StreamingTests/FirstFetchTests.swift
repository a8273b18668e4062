import Blocks
import TestSupport
import Testing

@testable import Streaming

/// Further requests while the first fetch opens its connection.
@Suite(.timeLimit(.minutes(1)))
struct FirstFetchTests {
  @Test(arguments: [4.kib, 128.kib])
  func aPlayersFirst256KiBCostOneRequest(step: Int) {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.scan(0..<496.kib, by: handle, step: step)  // with the kernel's own readahead

    #expect(scene.requests == [0..<firstFetch])
  }

  @Test(arguments: [
    (milliseconds: 50, rate: 20_000_000, added: 960.kib), (300, 100_000_000, 1.mib),
    (50, 1_000_000, 0), (5, 20_000_000, 64.kib),
  ])
  func onAKnownLineItIsLongerByWhatComesInARoundTrip(milliseconds: Int, rate: Int, added: Int) {
    #expect(FillRules().largestAddition == Figure.headAddition.bytes)
    var rules = FillRules()
    rules.line = KnownLine(latency: .milliseconds(milliseconds), rate: rate)
    var scene = Scene(rules: rules)
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    #expect(scene.requests == [0..<firstFetch + added])

    // A seek gets no more than on any other line, and neither does a scanner.
    scene.read(40.mib..<40.mib + 4.kib, by: scene.state.opened())
    scene.read(0..<4.kib, by: scene.state.opened(isScanner: true))
    scene.serveAll()
    #expect(scene.requests.dropFirst() == [40.mib..<40.mib + firstFetch])
  }

  @Test func beforeTheLengthIsProvedOnlyAReaderGetsTheLongerOne() {
    var rules = FillRules()
    rules.line = KnownLine(latency: .milliseconds(50), rate: 20_000_000)
    for (isReader, count) in [(true, firstFetch + 960.kib), (false, firstFetch)] {
      var scene = Scene(length: nil, rules: rules)
      let handle = scene.state.opened(isScanner: !isReader)
      scene.read(0..<4.kib, by: handle)
      #expect(scene.requests == [0..<count])
    }
  }

  @Test func theSecondFetchWaitsForTheConnectionOfTheFirst() {
    var scene = Scene.bringing(448.kib, after: .milliseconds(50), in: .milliseconds(22))
    let handle = scene.state.opened()
    scene.read(512.kib..<640.kib, by: handle)
    #expect(scene.requests == [0..<512.kib])

    scene.give(448.kib..<512.kib, in: 1)
    scene.end(1, .complete)
    #expect(scene.requests.dropFirst().first?.lowerBound == 512.kib)
  }

  @Test func whatIsPutOffIsNotForgottenWhenTheFirstFetchFails() {
    var scene = Scene.bringing(448.kib, after: .milliseconds(50), in: .milliseconds(22))
    let handle = scene.state.opened()
    let other = scene.state.opened()
    scene.read(512.kib..<640.kib, by: handle)
    scene.event { $0.closed(other) }
    #expect(scene.underWay == [1])

    scene.end(1, .failed)
    for _ in 0..<10 { scene.pass(.seconds(1)) }
    #expect(scene.underWay.contains { scene.bytes(of: $0).contains(512.kib) })
  }

  @Test func aSeekAndTheIndexWaitForThatConnectionToo() {
    var scene = Scene.bringing(256.kib, after: .milliseconds(50), in: .milliseconds(13))
    let handle = scene.state.opened()
    scene.read(40.mib..<40.mib + 4.kib, by: handle)
    let now = scene.now
    scene.event { $0.found(indexAt: 63.mib, at: now) }
    #expect(scene.requests == [0..<512.kib])

    scene.give(256.kib..<512.kib, in: 1)
    scene.end(1, .complete)
    #expect(scene.requests.dropFirst().map(\.lowerBound) == [40.mib, 63.mib])
  }

  @Test func aFirstFetchThatStopsIsNotWaitedFor() {
    var scene = Scene.bringing(256.kib, after: .milliseconds(50), in: .milliseconds(13))
    let handle = scene.state.opened()
    scene.read(40.mib..<40.mib + 4.kib, by: handle)
    let wake = scene.state.nextWake(after: scene.now)
    #expect(wake == scene.now + .milliseconds(50))

    scene.pass(.milliseconds(50))
    #expect(scene.requests.last?.lowerBound == 40.mib)
  }

  @Test func whereThereIsAnotherConnectionNothingWaitsForTheFirst() {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<128.kib, by: handle)
    scene.read(9.mib..<9.mib + 4.kib, by: scene.state.opened())
    scene.now += .milliseconds(50)
    scene.begin(1)
    scene.now += .milliseconds(22)
    scene.give(0..<448.kib, in: 1)
    scene.read(512.kib..<640.kib, by: handle)

    #expect(scene.requests.last?.lowerBound == 512.kib)
  }

  @Test func whoSeeksOnAndOnWaitsNoLongerThanAConnectionCosts() {
    var scene = Scene(length: 4096.mib)
    let handle = scene.state.opened()
    var waits = 0
    for seek in 1...20 {
      let place = seek * 100.mib
      scene.read(place..<place + 4.kib, by: handle)
      guard let fetch = scene.underWay.first else { break }
      // Each answer takes 50 ms to begin, and has 13 ms left when the reader seeks away.
      let bytes = scene.bytes(of: fetch)
      scene.now += .milliseconds(50)
      scene.begin(fetch)
      scene.now += .milliseconds(13)
      scene.give(bytes.lowerBound..<bytes.lowerBound + 256.kib, in: fetch)
      scene.read(place + 50.mib..<place + 50.mib + 4.kib, by: handle)
      guard scene.underWay == [fetch] else { break }
      waits += 1
      scene.now += .milliseconds(13)
      scene.give(bytes.lowerBound + 256.kib..<bytes.upperBound, in: fetch)
      scene.end(fetch, .complete)
      scene.serveAll()
    }

    #expect(waits == 3)
    #expect(scene.requests.last?.lowerBound == 450.mib)
  }

  @Test func aFirstFetchThatTakesLongIsNotWaitedFor() {
    var scene = Scene.bringing(256.kib, after: .milliseconds(50), in: .milliseconds(90))
    scene.read(512.kib..<640.kib, by: scene.state.opened())

    #expect(scene.requests.last?.lowerBound == 512.kib)
  }
}

extension Scene {
  /// A scene whose first fetch began `latency` after its request, and has brought `count` bytes in
  /// `time`.
  fileprivate static func bringing(
    _ count: Int, after latency: Duration, in time: Duration
  ) -> Scene {
    var scene = Scene()
    let handle = scene.state.opened()
    scene.read(0..<128.kib, by: handle)
    scene.now += latency
    scene.begin(1)
    scene.now += time
    scene.give(0..<count, in: 1)
    return scene
  }
}
