import Addresses
import Testing

@testable import HTTP

/// Rules for the reuse of connections, as tables: no socket is opened.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionsTests {
  private let begin = ContinuousClock.now
  private let films = OriginName(scheme: "http", host: "films.example", port: 80)
  private let feeds = OriginName(scheme: "http", host: "feeds.example", port: 80)

  private func at(_ seconds: Double) -> Connections.Instant { begin + .seconds(seconds) }
  private func id(_ number: Int) -> TransferID { TransferID(number: number) }

  /// Connections on sockets 1, 2, 3 …, used once and free, last heard from at these seconds.
  private func kept(heard: Double...) -> Connections {
    var connections = Connections()
    for (index, second) in heard.enumerated() {
      let socket = Int32(index + 1)
      connections.opened(socket, for: films, at: at(0))
      #expect(connections.uses(socket, by: id(index), of: films) == .new)
      connections.heard(id(index), isShared: false, at: at(second))
      #expect(connections.left(id(index)) == nil)
    }
    return connections
  }

  @Test func aConnectionIsNewOnceAndThenKept() {
    var connections = kept(heard: 1)
    #expect(connections.uses(1, by: id(7), of: films) == .reused)
  }

  @Test func afterASilenceNothingOlderIsUsedAgain() {
    var connections = kept(heard: 1, 5, 3)
    #expect(connections.suspect(films, since: at(4), mayBeDead: true) == [1, 3])
    #expect(connections.uses(2, by: id(7), of: films) == .reused)
    #expect(connections.uses(1, by: id(8), of: films) == .refused)
    #expect(connections.idle(of: films).isEmpty)
  }

  @Test func afterAnAnswerThatIsNoneNothingThatWasKeptIsUsedAgain() {
    var connections = kept(heard: 1, 5, 3)
    #expect(connections.suspect(films, mayBeDead: false) == [1, 2, 3])
  }

  @Test func whatIsUnderWayGoesOnAndNothingElseBeginsThere() {
    var connections = kept(heard: 1, 1)
    _ = connections.uses(1, by: id(7), of: films)

    #expect(connections.suspect(films, mayBeDead: true) == [2])
    #expect(connections.mayBeDead(id(7)))
    connections.heard(id(7), isShared: nil, at: at(9))
    #expect(connections.uses(1, by: id(8), of: films) == .refused)
    #expect(connections.left(id(7)) == 1)
  }

  /// HTTP/2: several transfers on one connection.
  @Test func theLastOfSeveralLeavesASuspectConnection() {
    var connections = kept(heard: 1)
    _ = connections.uses(1, by: id(7), of: films)
    _ = connections.uses(1, by: id(8), of: films)
    connections.suspect(theOneOf: id(8))

    #expect(connections.left(id(8)) == nil)
    #expect(connections.left(id(7)) == 1)
  }

  /// HTTP/2 connections on sockets 1, 2, 3 … with these numbers of transfers.
  private func shared(users: Int...) -> Connections {
    var connections = Connections()
    for (index, count) in users.enumerated() {
      let socket = Int32(index + 1)
      connections.opened(socket, for: films, at: at(0))
      for user in 0...count {
        _ = connections.uses(socket, by: id(100 * (index + 1) + user), of: films)
      }
      connections.heard(id(100 * (index + 1)), isShared: true, at: at(1))
      _ = connections.left(id(100 * (index + 1)))
    }
    return connections
  }

  @Test func aRequestGetsTheLeastBusyConnection() {
    #expect(shared(users: 3, 1, 2).streams(for: films, isApart: false) == 2)
    #expect(shared(users: 3, 0, 2).streams(for: films, isApart: false) == 1)
  }

  @Test func aLaneGetsAConnectionOfItsOwn() {
    #expect(shared(users: 3, 1, 2).streams(for: films, isApart: true) == 1)
  }

  @Test func thereAreNotMoreThanSixteenConnectionsForLanes() {
    var connections = shared(users: 1)
    for socket in 2...15 { connections.opened(Int32(socket), for: films, at: at(2)) }
    #expect(connections.streams(for: films, isApart: true) == 1)
    connections.opened(16, for: films, at: at(2))
    #expect(connections.streams(for: films, isApart: true) == 2)
  }

  @Test func aSuspectConnectionIsNotShared() {
    var connections = shared(users: 1, 4)
    connections.suspect(theOneOf: id(101))
    #expect(connections.streams(for: films, isApart: false) == 5)
  }

  @Test func overHTTP1NothingIsShared() {
    #expect(kept(heard: 1, 2).streams(for: films, isApart: false) == nil)
    #expect(shared(users: 1).streams(for: feeds, isApart: false) == nil)
  }

  @Test func othersAreNotConcerned() {
    var connections = kept(heard: 1)
    #expect(connections.suspect(feeds, mayBeDead: true).isEmpty)
    #expect(connections.uses(1, by: id(7), of: films) == .reused)
  }

  @Test func anotherNetworkConcernsAll() {
    var connections = kept(heard: 1)
    connections.opened(4, for: feeds, at: at(0))
    _ = connections.uses(4, by: id(9), of: feeds)
    _ = connections.left(id(9))
    #expect(connections.suspect(nil, mayBeDead: true) == [1, 4])
  }

  @Test func whatIsBeingOpenedIsNotShut() {
    var connections = Connections()
    connections.opened(4, for: films, at: at(0))
    #expect(connections.suspect(films, since: at(9), mayBeDead: true).isEmpty)
    #expect(connections.uses(4, by: id(1), of: films) == .new)
  }

  @Test func aDescriptorThatIsUsedAgainIsAnotherConnection() {
    var connections = kept(heard: 1)
    _ = connections.suspect(films, mayBeDead: true)
    connections.closed(1)
    connections.opened(1, for: films, at: at(5))
    #expect(connections.uses(1, by: id(7), of: films) == .new)
    #expect(!connections.mayBeDead(id(7)))
  }

  /// A proxy serves several origins over one connection.
  @Test func aConnectionServesTheOriginThatItIsUsedFor() {
    var connections = kept(heard: 1)
    _ = connections.uses(1, by: id(7), of: feeds)
    _ = connections.left(id(7))
    #expect(connections.idle(of: feeds).map(\.socket) == [1])
    #expect(connections.idle(of: films).isEmpty)
  }
}
