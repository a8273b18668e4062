import Addresses
import Testing

@testable import HTTP

/// The head start of an origin's first kind of address.
@Suite(.timeLimit(.minutes(1)))
struct AddressRacesTests {
  private let films = OriginName(scheme: "https", host: "films.example", port: 443)
  private let feeds = OriginName(scheme: "https", host: "feeds.example", port: 443)

  @Test func aDeadKindOfAddressCostsItsHeadStartOnce() {
    var races = AddressRaces()
    #expect(races.headStart(at: films) <= .milliseconds(250))
    races.ended(at: films, first: .v6, winner: .v4)
    #expect(races.headStart(at: films) == .milliseconds(1))
    #expect(races.headStart(at: feeds) == .milliseconds(200))
  }

  @Test func aKindOfAddressThatAnswersAgainHasItsHeadStartAgain() {
    var races = AddressRaces()
    races.ended(at: films, first: .v6, winner: .v4)
    races.ended(at: films, first: .v6, winner: .v6)
    #expect(races.headStart(at: films) == .milliseconds(200))
  }

  @Test func inAnotherNetworkNothingIsKnown() {
    var races = AddressRaces()
    races.ended(at: films, first: .v6, winner: .v4)
    races.networkChanged()
    #expect(races.headStart(at: films) == .milliseconds(200))
  }

  @Test func anyNumberOfOriginsCostsLittleMemory() {
    var races = AddressRaces()
    for port in 1...10_000 {
      let origin = OriginName(scheme: "https", host: "films.example", port: port)
      races.ended(at: origin, first: .v6, winner: .v4)
      #expect(races.headStart(at: origin) == .milliseconds(1))
    }
    #expect(races.headStart(at: films) == .milliseconds(200))
  }
}
