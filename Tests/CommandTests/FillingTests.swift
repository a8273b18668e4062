import Addresses
import Control
import Testing

@testable import FeedMount
@testable import Filling
@testable import HTTP

struct FillingTests {
  private let origin = OriginName(scheme: "https", host: "example.org", port: 443)

  private func file(
    _ report: FillReport, trouble: String? = nil, _ reach: HTTP.OriginStatus.Reach = .reachable,
    from others: [OriginName] = []
  ) -> FileStatus {
    let sources = others + [origin]
    var status = HTTP.OriginStatus()
    status.reach = reach
    var file = FileStatus(name: "0001.mp4", title: "", size: 100, cached: 10, state: .partial)
    file.take(
      report, from: sources, trouble: trouble,
      [origin.description: OriginReport(origin, status, at: .now)])
    return file
  }

  private func report(begun: Bool, speed: Int = 0, waiting: Int = 0, retryIn: Duration? = nil)
    -> FillReport
  {
    var report = FillReport()
    report.fetches = [FillReport.Fetch(bytes: 10..<50, position: 20, hasBegun: begun)]
    report.speed = speed
    report.waiting = waiting
    report.retryIn = retryIn
    return report
  }

  @Test func aFileFillsAsLongAsBytesCome() {
    let file = file(report(begun: true, speed: 1000, waiting: 1))

    #expect(file.state == .filling && file.speed == 1000 && file.waiting == 1)
    #expect(file.fetches == [FetchStatus(from: 10, until: 50, position: 20)])
    #expect(file.host == nil && file.reason == nil)
  }

  @Test func whoWaitsInVainIsToldWhatForAndUntilWhen() {
    let failed = file(
      report(begun: false, waiting: 1, retryIn: .milliseconds(3_980)), trouble: "status 503")
    #expect(failed.state == .waiting && failed.host == "example.org")
    #expect(failed.reason == "status 503" && failed.retryIn == 4.0)

    let stalled = file(report(begun: true, waiting: 1))
    #expect(stalled.state == .waiting && stalled.reason == "no bytes arrive")

    let away = file(
      report(begun: false, waiting: 1), trouble: "status 503",
      .unreachable(reason: "connection refused", nextProbe: .now + .seconds(2), probes: 3))
    #expect(away.reason == "connection refused" && (1.5...2.1).contains(away.retryIn ?? 0))
  }

  /// The head of its film is known before any of its pieces come.
  @Test func aStreamWaitsForWhicheverOfItsOriginsIsAway() {
    let playlist = OriginName(scheme: "https", host: "list.example", port: 443)
    let away = HTTP.OriginStatus.Reach.unreachable(
      reason: "connection refused", nextProbe: .now + .seconds(2), probes: 3)
    let waits = file(report(begun: true), trouble: nil, away, from: [playlist])
    #expect(waits.state == .waiting && waits.reason == "connection refused")
    #expect(waits.host == "example.org")

    let comes = file(report(begun: true, speed: 1000), trouble: nil, away, from: [playlist])
    #expect(comes.state == .filling && comes.reason == nil)
    let nobodyKnows = file(report(begun: true, waiting: 1), from: [playlist])
    #expect(nobodyKnows.reason == "no bytes arrive" && nobodyKnows.host == "list.example")
  }

  @Test func aPortIsToldThatTheSchemeDoesNotImply() {
    let waiting = report(begun: true, waiting: 1)
    for (scheme, port, told) in [
      ("http", 8080, "a.example:8080"), ("http", 80, "a.example"), ("https", 80, "a.example:80"),
    ] {
      let origin = OriginName(scheme: scheme, host: "a.example", port: port)
      #expect(file(waiting, from: [origin]).host == told)
    }
  }

  @Test func ofWhatNobodyWantsNothingIsTold() {
    var report = FillReport()
    report.retryIn = .seconds(3)
    let file = file(report, trouble: "status 503")

    #expect(file.state == .partial && file.reason == nil && file.retryIn == nil)
  }

  @Test func howFarAReaderHasBytesIsToldInSecondsWhereTheRateIsKnown() {
    var report = report(begun: true, speed: 1)
    report.readers = [FillReport.Reader(position: 5, ahead: 2_000)]
    #expect(file(report).readers == [ReaderStatus(position: 5, ahead: 2_000, seconds: nil)])
    report.playRate = 100
    #expect(file(report).readers == [ReaderStatus(position: 5, ahead: 2_000, seconds: 20)])
  }
}
