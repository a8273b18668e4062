import FoundationEssentials
import TestSupport
import Testing

@testable import Playback

/// The saved play position of an entry.
@Suite(.timeLimit(.minutes(1)))
struct PlayPositionTests {
  /// A way to leave an entry of 100 seconds, and the position that is saved.
  struct Leaving: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let seconds: Double
    let reason: PlayEvent.Reason
    let outcome: PlayAction?

    init(
      _ description: String, at seconds: Double, _ reason: PlayEvent.Reason, _ outcome: PlayAction?
    ) {
      testDescription = description
      (self.seconds, self.reason, self.outcome) = (seconds, reason, outcome)
    }
  }

  private static let leavings = [
    Leaving("played to its end", at: 99.5, .end, .forget(key(1))),
    Leaving("left in the credits", at: 96, .stopped, .forget(key(1))),
    Leaving("left in the middle", at: 50, .stopped, .remember(key(1), 50)),
    Leaving("breaks off, which players take for its end", at: 50, .end, .remember(key(1), 50)),
    Leaving("just looked at", at: 2, .stopped, nil),
  ]

  @Test(arguments: leavings) func thePlaceIsKeptWhereItIsWorthIt(leaving: Leaving) {
    var queue = playing(1, of: [1, 2])
    _ = queue.happened(.lasts(100))
    #expect(queue.happened(.isAt(leaving.seconds)) == [])
    #expect(queue.happened(.ended(leaving.reason)) == [leaving.outcome].compactMap(\.self))
  }

  @Test func thePlaceIsKeptEveryFifteenSeconds() {
    var queue = playing(1, of: [1])
    _ = queue.happened(.lasts(600))
    let kept = (1...40).flatMap { queue.happened(.isAt(Double($0))) }
    let pace = Figure.positionPace.time / .seconds(1)
    #expect(kept == [.remember(key(1), pace), .remember(key(1), 2 * pace)])
    // A paused player stays at one position, which is saved once.
    #expect((1...60).flatMap { _ in queue.happened(.isAt(40)) } == [.remember(key(1), 40)])
  }

  @Test func aPlayerThatIsGoneLeavesItsPlace() {
    var queue = playing(1, of: [1])
    _ = queue.happened(.isAt(30))
    #expect(queue.happened(.closed) == [.remember(key(1), 30)])
    #expect(queue.happened(.closed) == [])
  }

  @Test func anEntryThatBreaksOffSaysSo() {
    var queue = playing(1, of: [1, 2])
    _ = queue.happened(.lasts(100))
    _ = queue.happened(.isAt(40))
    _ = queue.happened(.ended(.end))
    _ = queue.happened(.opens(path(2)))
    #expect(shown(queue.happened(.loaded)) == "0001.mp4 ended too early, skipping the rest")
  }

  @Test func aPlaceIsOfferedOrTaken() {
    var queue = PlayQueue(positions: [key(1): 200])
    _ = begin(&queue, with: [1])
    #expect(queue.happened(.opens(path(1))) == [])
    #expect(
      queue.happened(.loaded)
        == [.show("you stopped at 3:20 the last time; `feedfs play --resume` begins there")])

    queue = PlayQueue(resumes: true, positions: [key(1): 200])
    _ = begin(&queue, with: [1, 2])
    #expect(queue.happened(.opens(path(1))) == [.start(at: 200)])
    #expect(queue.happened(.loaded) == [.seek(to: 200), .show("resuming at 3:20")])
    #expect(queue.happened(.opens(path(2))) == [])
    #expect(queue.happened(.loaded) == [])
  }

  /// Otherwise a loop of one entry would break off for ever.
  @Test func anEntryThatBrokeOffBeginsAnewWhenItComesAgain() {
    var queue = PlayQueue(loops: true, resumes: true)
    _ = begin(&queue, with: [1])
    _ = queue.happened(.opens(path(1)))
    _ = queue.happened(.loaded)
    _ = queue.happened(.lasts(100))
    _ = queue.happened(.isAt(40))
    #expect(queue.happened(.ended(.end)) == [.remember(key(1), 40)])
    #expect(shown(queue.happened(.loaded)) == "0001.mp4 ended too early, skipping the rest")
  }

  @Test func theOldestPlacesAreGivenUp() {
    var positions = Positions()
    for number in 1...1_200 { positions.remember(key(number), 10, now: number) }
    positions.remember(key(300), 20, now: 2_000)
    #expect(positions.all.count == 1_000 && positions[key(200)] == nil)
    #expect(positions[key(300)] == 20 && positions[key(1_200)] == 10)
    #expect(positions.last(of: [entry(1_200), entry(300), entry(7)]) == key(300))
    positions.forget(key(300))
    #expect(positions[key(300)] == nil && positions.last(of: [entry(7)]) == nil)
  }

  @Test func thePlacesThatTheFirstVersionSavedAreRead() throws {
    let saved = Data(try FirstVersion.file("positions.json"))
    let positions = try JSONDecoder().decode(Positions.self, from: saved)
    let feed = "http://127.0.0.1:47811/shows"
    let watched = PlayedEntry.Key(feed: feed, number: 15, id: "id of watched.mp4")
    let late = PlayedEntry.Key(feed: feed, number: 17, id: "id of late.mp4")
    #expect(positions.seconds == [watched: 33.5, late: 15])
    #expect(positions.all.map(\.entry) == [watched, late])
  }
}
