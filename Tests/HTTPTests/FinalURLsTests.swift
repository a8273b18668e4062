import TestSupport
import Testing

@testable import HTTP

/// The pauses of redirectors whose targets are silent.
struct FinalURLsTests {
  @Test func aRedirectorOfASilentTargetIsAskedAgainAfterAPause() {
    let now = ContinuousClock.now
    var urls = FinalURLs()
    #expect(urls.pause(of: "http://e.org/") == nil)
    urls.asked("http://e.org/", at: now)

    #expect(urls.pause(of: "http://e.org/") == now + Figure.redirectorPause.time)
    #expect(TransferLoop.shortSilence == Figure.silentTarget.time)
  }
}
