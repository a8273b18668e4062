import Testing

@testable import Filling

struct FillReportTests {
  private func report(_ scene: Scene) -> FillReport {
    scene.state.report(at: scene.now)
  }

  @Test func itTellsWhereReadersAreAndHowFarTheyHaveBytes() {
    var scene = Scene(length: 1.mib, cached: 0..<256.kib)
    let handle = scene.state.opened()
    #expect(report(scene).readers == [])
    scene.note(0..<64.kib, by: handle)

    #expect(report(scene).readers == [FillReport.Reader(position: 64.kib, ahead: 192.kib)])
  }

  @Test func whatHasComeOfABlockIsAheadToo() {
    var scene = Scene(length: 1.mib)
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    scene.begin(1)
    scene.give(0..<100.kib, in: 1)

    let report = report(scene)
    #expect(report.readers == [FillReport.Reader(position: 4.kib, ahead: 96.kib)])
    #expect(
      report.fetches == [
        FillReport.Fetch(bytes: 0..<firstFetch, position: 100.kib, hasBegun: true)
      ])
    #expect(report.waiting == 0 && report.speed > 0)
  }

  @Test func itTellsWhenWhatFailedIsTriedAgain() {
    var scene = Scene(length: 1.mib)
    let handle = scene.state.opened()
    scene.read(0..<4.kib, by: handle)
    #expect(report(scene).retryIn == nil && report(scene).waiting == 1)
    scene.end(1, .busy(after: .seconds(30)))

    #expect(report(scene).retryIn == .seconds(30))
    scene.pass(.seconds(20))
    #expect(report(scene).retryIn == .seconds(10))
  }

  @Test func theRateAtWhichItPlaysIsThatOfItsDuration() {
    var scene = Scene(length: 1.mib)
    #expect(report(scene).playRate == nil)
    scene.state.duration = .seconds(8)

    #expect(report(scene).playRate == 128.kib)
  }
}
