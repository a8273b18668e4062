import Addresses
import Testing

@testable import HTTP

/// The origins that are asked over HTTP/3.
@Suite(.timeLimit(.minutes(1)))
struct HTTP3OriginsTests {
  private let films = OriginName(scheme: "https", host: "films.example", port: 443)
  private let now = ContinuousClock.now

  private func origins(
    _ announcement: String..., by origin: OriginName? = nil, libraryHasHTTP3: Bool = true,
    usesProxy: Bool = false
  ) -> HTTP3Origins {
    var origins = HTTP3Origins(libraryHasHTTP3: libraryHasHTTP3, usesProxy: usesProxy)
    origins.announced(announcement, by: origin ?? films, at: now)
    return origins
  }

  @Test func anOriginThatAnnouncesItIsAskedOverIt() {
    #expect(origins("h3=\":443\"; ma=60").contains(films, at: now + .seconds(59)))
    #expect(origins("h2=\":443\", h3=\":443\"").contains(films, at: now + .seconds(86_399)))
    #expect(origins("h3=\"films.example:443\"").contains(films, at: now))
  }

  @Test func anAnnouncementEnds() {
    #expect(!origins("h3=\":443\"; ma=60").contains(films, at: now + .seconds(60)))
    #expect(!origins("h3=\":443\"").contains(films, at: now + .seconds(86_400)))
  }

  @Test(arguments: [
    "", "clear", "h3", "h3=:443", "h3=\":444\"", "h3=\"other.example:443\"", "h3-29=\":443\"",
    "h2=\":443\"", "h3=\":443\"; ma=", "h3=\":443\"; ma=-1", "h3=\":443\"; ma=0",
  ])
  func whatAnnouncesNothingOfThisHostAndPortCountsForNothing(announcement: String) {
    #expect(!origins(announcement).contains(films, at: now))
  }

  @Test func aLaterAnnouncementCounts() {
    var origins = origins("h3=\":443\"")
    origins.announced(["clear"], by: films, at: now)
    #expect(!origins.contains(films, at: now))
  }

  @Test func anAnswerWithoutTheFieldChangesNothing() {
    var origins = origins("h3=\":443\"")
    origins.announced([], by: films, at: now)
    #expect(origins.contains(films, at: now))
  }

  @Test func aLibraryThatCannotSpeakItIsNeverToldTo() {
    #expect(!origins("h3=\":443\"", libraryHasHTTP3: false).contains(films, at: now))
  }

  @Test func throughAProxyItIsNotUsed() {
    #expect(!origins("h3=\":443\"", usesProxy: true).contains(films, at: now))
  }

  @Test func withoutTLSItIsNotUsed() {
    let plain = OriginName(scheme: "http", host: "films.example", port: 443)
    #expect(!origins("h3=\":443\"", by: plain).contains(plain, at: now))
  }

  @Test func afterARequestWithoutAnAnswerItIsNotUsed() {
    var origins = origins("h3=\":443\"")
    origins.failed(films)
    #expect(!origins.contains(films, at: now))
  }
}
