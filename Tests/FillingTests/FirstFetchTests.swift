import TestSupport
import Testing

@testable import Filling

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
    #expect(FillRules().heads.maxAddition == Figure.headAddition.bytes)
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
    scene.close(other)
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
    #expect(!scene.requests.contains { $0.lowerBound == 40.mib || $0.lowerBound == 63.mib })

    scene.give(256.kib..<512.kib, in: 1)
    scene.end(1, .complete)
    #expect(scene.requests.suffix(2).map(\.lowerBound) == [40.mib, 63.mib])
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

  @Test func whereEarlierFilesLeftAConnectionNothingWaitsForTheFirst() {
    var rules = FillRules()
    rules.hasSpareConnection = true
    var scene = Scene.bringing(
      256.kib, after: .milliseconds(50), in: .milliseconds(13), rules: rules)
    let handle = scene.state.opened()
    scene.read(40.mib..<40.mib + 4.kib, by: handle)
    let now = scene.now
    scene.event { $0.found(indexAt: 63.mib, at: now) }
    #expect(scene.requests.suffix(2).map(\.lowerBound) == [40.mib, 63.mib])
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

  @Test func aFirstFetchThatTakesLongIsNotWaitedFor() {
    var scene = Scene.bringing(256.kib, after: .milliseconds(50), in: .milliseconds(90))
    scene.read(512.kib..<640.kib, by: scene.state.opened())

    #expect(scene.requests.last?.lowerBound == 512.kib)
  }
}
