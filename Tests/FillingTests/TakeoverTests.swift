import Blocks
import TestSupport
import Testing

@testable import Filling

/// Free lanes take over the rest of a fetch that is too slow for the film.
@Suite(.timeLimit(.minutes(1)))
struct TakeoverTests {
  /// A film of 329 KB/s whose reader waits for a fetch that has brought `count` bytes at once.
  private func scene(
    bringing count: Int = 150_000, isScanner: Bool = false, seconds: Int? = 200, whole: Bool = false
  ) -> Scene {
    var scene = Scene(length: 65_800_000)
    scene.state.duration = seconds.map { .seconds($0) }
    let handle = scene.state.opened(isScanner: isScanner)
    scene.read(0..<16.kib, by: handle)
    scene.begin(1, whole: whole ? 65_800_000 : nil)
    scene.pass(.milliseconds(5))
    scene.give(0..<count, in: 1)
    scene.read(128.kib..<256.kib, by: handle)
    return scene
  }

  @Test func itsRestIsCutAndDividedAndNoByteIsAskedForTwice() throws {
    var scene = scene(bringing: 50_000)
    var came = 50_000
    func more(_ count: Int) {
      for _ in 0..<count {
        scene.pass(.milliseconds(100))
        scene.give(came..<came + 15_000, in: 1)
        came += 15_000
      }
    }
    more(3)
    #expect(scene.requests == [0..<firstFetch], "it is not known to be slow yet")

    more(3)

    let others = scene.requests.dropFirst()
    let cut = try #require(others.map(\.lowerBound).min())
    #expect(cut > came && cut <= came + 165_000 + 64.kib, "\(cut)")
    #expect(others.map(\.upperBound).max() == firstFetch)
    #expect(others.map(\.count).reduce(0, +) == firstFetch - cut)
    #expect(others.count >= 2 && others.count <= 3)
    #expect(scene.cancelled == [])

    scene.give(came..<cut, in: 1)
    #expect(scene.cancelled == [1])
    #expect(serveAll(&scene))
  }

  /// nginx sends the bytes of a second at once, and those of another request, too.
  @Test func aFetchThatIsSilentIsReplacedOnceOthersCome() throws {
    var alone = scene()
    for _ in 0..<20 { alone.pass(.milliseconds(100)) }
    #expect(alone.cancelled == [], "nothing has shown that the origin serves more than one")

    var scene = scene()
    while scene.requests.count == 1 { scene.pass(.milliseconds(20)) }
    let others = scene.underWay.dropFirst()
    #expect(others.count >= 2 && scene.cancelled == [])
    for fetch in others { scene.serve(fetch) }
    scene.pass(.milliseconds(100))
    #expect(scene.cancelled == [1])
    #expect(scene.requests.contains { $0.contains(150_000) && $0.lowerBound > 0 })
    #expect(serveAll(&scene))
  }

  /// An origin that serves one fetch at once. A refusal must not keep the reader from bytes that the
  /// fetch would bring.
  @Test func aCutIsTakenBackIfTheOriginServesNoMore() throws {
    var scene = scene()
    for _ in 0..<5 { scene.pass(.milliseconds(100)) }
    let others = scene.underWay.dropFirst()
    #expect(others.count >= 2)
    for fetch in others where scene.state.accepts(fetch) {
      scene.end(fetch, .busy(after: .seconds(30)))
    }

    #expect(scene.underWay == [1])
    let asked = scene.requests.count
    for _ in 0..<20 { scene.pass(.milliseconds(100)) }
    scene.give(150_000..<firstFetch, in: 1)
    scene.end(1, .complete)
    #expect(scene.state.isThere(0..<firstFetch))
    #expect(scene.requests.count == asked || scene.requests[asked].lowerBound >= firstFetch)
    #expect(scene.cancelled.count < others.count)
  }

  /// Serves what is under way. Returns true if the head is there, and all requests after that lie
  /// behind it.
  private func serveAll(_ scene: inout Scene) -> Bool {
    let asked = scene.requests.count
    for fetch in scene.underWay { scene.serve(fetch) }
    return scene.state.isThere(0..<firstFetch)
      && scene.requests.dropFirst(asked).allSatisfy { $0.lowerBound >= firstFetch }
  }

  @Test(arguments: [
    ("a scanner reads", true, Int?(200), false),
    ("the film's rate is not known", false, nil, false),
    ("the film needs less", false, 2000, false),
    ("the origin sends whole bodies", false, 200, true),
  ])
  func nothingIsDividedIf(_ reason: String, isScanner: Bool, seconds: Int?, whole: Bool) {
    var scene = scene(isScanner: isScanner, seconds: seconds, whole: whole)
    for _ in 0..<30 { scene.pass(.milliseconds(100)) }
    #expect(scene.requests.count == 1, "\(reason)")
  }

  @Test func nothingIsDividedThatComesFastEnough() {
    var scene = scene()
    for step in 0..<8 {
      scene.pass(.milliseconds(100))
      scene.give(150_000 + step * 40_000..<190_000 + step * 40_000, in: 1)
    }
    #expect(scene.requests.count == 1)
  }

  /// nginx with `limit_rate 150k`, which counts in whole seconds: a real film of 329 KB/s. The picture
  /// begins with the first 200,000 bytes, and the player reads on as fast as it can.
  @Test(arguments: [
    (milliseconds: 1, phase: 0), (1, 50), (1, 500), (1, 950), (50, 0), (50, 500), (50, 900),
  ])
  func aFilmThatOneConnectionIsTooSlowForDoesNotStand(milliseconds: Int, phase: Int) {
    let line = PlannerRun.Line(
      latency: .milliseconds(milliseconds), rate: 153_600, total: 1e12, comesInSeconds: true)
    #expect(stand(line, after: .milliseconds(phase)) == .zero)
  }

  /// The bytes behind the first fetch are asked for when the reader comes to its end. What they take
  /// then is a round trip.
  @Test(arguments: [1, 20, 50])
  func norIfItsBytesComeEvenly(milliseconds: Int) {
    let line = PlannerRun.Line(
      latency: .milliseconds(milliseconds), rate: 153_600, total: 1e12)
    #expect(stand(line, after: .zero) <= line.latency * 2)
  }

  /// The first mebibytes come fast, so the fetches have become long.
  @Test(arguments: [1, 50])
  func norIfItBecomesSlowLater(milliseconds: Int) {
    let slow = PlannerRun.Line(
      latency: .milliseconds(milliseconds), rate: 153_600, total: 1e12)
    var fast = slow
    fast.rate = 5e6
    #expect(stand(fast, after: .zero, becoming: slow) == .zero)
  }

  /// Returns for how long the picture stands in two minutes of the film.
  private func stand(
    _ line: PlannerRun.Line, after phase: Duration, becoming later: PlannerRun.Line? = nil
  ) -> Duration {
    let rate = 329e3
    let length = 39_480_000
    var run = PlannerRun(length: length, line: line, seed: 1)
    run.state.duration = .seconds(120)
    run.packet = 4 << 10
    run.now += phase
    let start = run.now
    if let later { run.change = (run.now + .milliseconds(800), later) }
    run.opens(.copying, reads: length)
    var begun: Duration?
    var late = Duration.zero
    run.runWatching { run in
      guard let reader = run.readers.first else { return }
      // mpv needs a second from its start to its first picture.
      let begin = 200_000
      if reader.position >= begin, run.now >= start + .seconds(1) { begun = begun ?? run.now }
      guard let begun else { return }
      // The picture is at the reader's place now, or it stands until the reader is there.
      let due = begun + .seconds(Double(reader.position - begin) / rate)
      late = max(late, run.now - due)
    }
    #expect(run.complaint == nil)
    print("a slow film: \(late) late, \(run.requests) requests, \(run.fetched - run.read) too many")
    return late
  }
}
