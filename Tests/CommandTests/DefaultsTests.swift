import Blocks
import Catalog
import Filling
import HTTP
import TestSupport
import Testing

@testable import FeedMount
@testable import Host

/// The numbers of a mount that was given no options.
struct DefaultsTests {
  @Test func aReadWaitsForAMinute() {
    #expect(NetworkOptions().readTimeout == Figure.readTimeout.time)
    #expect(FillRules().waits.readTimeout == Figure.readTimeout.time)
  }

  @Test(arguments: [60.0, 40, 20, 4]) func aTransferMayBeSilentForAPartOfThat(timeout: Double) {
    var options = NetworkOptions()
    options.readTimeout = .seconds(timeout)
    let part = Duration.seconds(timeout) * Figure.stallShare.share

    #expect(options.configuration(for: []).stallTimeout == min(Figure.stallTimeout.time, part))
    #expect(options.configuration(for: []).headTimeout == options.readTimeout)
  }

  @Test func aFeedIsAskedAsOftenAsPromised() {
    let schedule = FeedChoice("https://example.org/").schedule

    #expect(schedule.base == Figure.refreshInterval.time)
    #expect(schedule.minWait == Figure.minRefreshWait.time)
    #expect(schedule.maxWait == Figure.maxRefreshWait.time)
  }

  @Test func anAnswerThatStatesNoLifetimeHoldsForSomeMinutes() {
    let version = Representation(length: 1, validator: .none)
    let body = KnownBody(version, type: nil, freshFor: nil, at: 0)

    #expect(.seconds(body.freshFor) == Figure.freshness.time)
  }

  @Test func bytesThatDoNotComeAreLookedForOnceAMinuteInTheEnd() {
    var timer = PreloadTimer()
    for _ in 0..<20 { timer.saw(0) }

    #expect(timer.next(isAwaited: false) == Figure.pinRetry.time)
  }

  @Test func aPlayerWaitsForASidecarForSomeSeconds() {
    #expect(SidecarFiles.timeout == Figure.sidecar.time)
  }

  @Test func anotherNetworkIsNoticedSoon() {
    #expect(.milliseconds(NetworkWatch.settling) < Figure.networkChange.time)
  }
}
