import Addresses
import TestSupport
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

  // MARK: Dead addresses

  private let silent = IPAddress(v4: 0x0a00_0001)
  private let other = IPAddress(v4: 0x0a00_0002)
  private let now = ContinuousClock.now

  @Test func aDeadAddressIsNotTriedForSomeMinutes() {
    var races = AddressRaces()
    races.died([silent], at: films, now)
    #expect(races.dead(at: films, now) == [silent])
    #expect(races.dead(at: feeds, now).isEmpty)
    let end = now + Figure.deadAddress.time
    #expect(races.dead(at: films, end - .seconds(1)) == [silent])
    #expect(races.dead(at: films, end).isEmpty)
  }

  @Test func whereNoOtherAnswersAndInAnotherNetworkNoneIsDead() {
    var races = AddressRaces()
    races.died([silent, other], at: films, now)
    races.died([silent], at: feeds, now)
    races.revive(films)
    #expect(races.dead(at: films, now).isEmpty)
    #expect(races.dead(at: feeds, now) == [silent])
    races.networkChanged()
    #expect(races.dead(at: feeds, now).isEmpty)
  }

  @Test(arguments: [(nil, 250), (10, 250), (200, 400), (5000, 1000)] as [(Int?, Int)])
  func onALongLineTheNextAddressIsTriedLater(latency: Int?, pause: Int) {
    #expect(AddressRaces.pause(latency.map { .milliseconds($0) }) == .milliseconds(pause))
  }

  @Test(arguments: [nil, 10, 5000] as [Int?])
  func aHostThatTakesTheConnectionHasASecondForTLS(latency: Int?) {
    let pause = AddressRaces.pause(latency.map { .milliseconds($0) }, isInTLS: true)
    #expect(pause == .seconds(1))
  }

  @Test func anyNumberOfDeadAddressesCostsLittleMemory() {
    var races = AddressRaces()
    for bits in 1...10_000 { races.died([IPAddress(v4: UInt32(bits))], at: films, now) }
    #expect((1...256).contains(races.dead(at: films, now).count))
  }
}
