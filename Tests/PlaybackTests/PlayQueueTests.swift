import Playback
import Testing

/// The messages to a player about its feed, and to the player's user.
@Suite(.timeLimit(.minutes(1)))
struct PlayQueueTests {
  /// A player's list, its place and the feed; and the list that results.
  struct Edit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The player's list when it is queried.
    var list: [Int]
    var current: Int?
    let feed: [Int]
    /// The player's list afterwards.
    let after: [Int]

    init(_ description: String, _ list: [Int], at current: Int?, _ feed: [Int], _ after: [Int]) {
      testDescription = description
      (self.list, self.current, self.feed, self.after) = (list, current, feed, after)
    }
  }

  private static let edits = [
    Edit("a new page", [1, 2, 3], at: 2, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
    Edit("a new entry at the top", [1, 2, 3], at: 0, [4, 1, 2, 3], [4, 1, 2, 3]),
    Edit("several new ones at the top", [1, 2, 3], at: 0, [5, 4, 1, 2, 3], [5, 4, 1, 2, 3]),
    Edit("a new one in between", [1, 2, 3], at: 1, [1, 4, 2, 3], [1, 4, 2, 3]),
    Edit(
      "new ones at all places", [1, 2, 3], at: 1, [4, 1, 5, 6, 2, 3, 7], [4, 1, 5, 6, 2, 3, 7]),
    Edit("one that left", [1, 2, 3], at: 0, [1, 3], [1, 3]),
    Edit("several that left", [1, 2, 3], at: 2, [3], [3]),
    Edit("what plays has left", [1, 2, 3], at: 1, [1, 3], [1, 2, 3]),
    Edit("all have left", [1, 2, 3], at: 1, [], [2]),
    Edit("some came and some left", [1, 2, 3], at: 2, [4, 1, 3, 5], [4, 1, 3, 5]),
    Edit("another order is no news", [1, 2, 3], at: 0, [3, 2, 1], [1, 2, 3]),
    Edit("the user has shuffled", [3, 1, 2], at: 0, [1, 4, 2, 3], [3, 1, 4, 2]),
    Edit("what its user took out stays out", [1, 3], at: 0, [1, 2, 3, 4], [1, 3, 4]),
    Edit("what its user put in stays", [1, 99, 2, 3], at: 0, [1, 3, 4], [1, 99, 3, 4]),
  ]

  @Test(arguments: edits) func theListFollowsTheFeed(edit: Edit) {
    var queue = begun(with: [1, 2, 3])
    _ = queue.happened(.opens(path(1)))
    guard queue.happened(.listed(listing(edit.feed))).contains(.look) else {
      #expect(Set(edit.feed) == [1, 2, 3])
      return
    }
    let actions = queue.happened(.holds(edit.list.map(path), current: edit.current))
    #expect(applied(actions, to: edit.list.map(path)) == edit.after.map(path))
  }

  @Test func theListBeginsWhereItsUserWants() {
    var queue = PlayQueue(from: key(2))
    // A message to a player that is still starting is lost.
    #expect(queue.happened(.listed(listing([3, 2, 1]))) == [])
    #expect(queue.happened(.idle) == [.look])
    #expect(
      queue.happened(.holds([], current: nil)) == [.append([3, 2, 1].map(entry)), .play(1)])
  }

  @Test func thePlayersListIsAskedForOnceAtATime() {
    var queue = begun(with: [1, 2])
    #expect(queue.happened(.listed(listing([1, 2, 3]))).contains(.look))
    #expect(!queue.happened(.listed(listing([1, 2, 3, 4]))).contains(.look))
    let actions = queue.happened(.holds([path(1), path(2)], current: 0))
    #expect(actions.contains(.append([entry(3), entry(4)])))
    #expect(queue.happened(.listed(nil)) == [])
  }

  @Test(arguments: [
    ([1, 2, 3, 4], "the next page of the feed was loaded"),
    ([4, 1, 2, 3], "new in the feed: Title 4"),
    ([4, 5, 1, 2, 3], "2 new in the feed"), ([1, 2], nil),
  ]) func newsAreSaid(feed: [Int], words: String?) {
    var queue = playing(1, of: [1, 2, 3])
    #expect(shown(queue.happened(.listed(listing(feed)))) == words)
  }

  @Test func whatIsSaidWaitsUntilThereIsAPicture() {
    var queue = begun(with: [1])
    #expect(queue.happened(.condition(.offline)) == [])
    #expect(queue.happened(.opens(path(1))) == [])
    #expect(queue.happened(.loaded) == [.show("offline, playing from the cache")])
    #expect(queue.happened(.condition(.offline)) == [])
    #expect(queue.happened(.condition(.paused)) == [.show("paused: feedfs fetches nothing")])
    #expect(queue.happened(.condition(.online)) == [.show("online again")])
  }

  // MARK: Removed entries

  @Test func whatPlaysIsPlayedToItsEndThoughTheFeedHasItNoMore() {
    var queue = playing(2, of: [1, 2, 3])
    #expect(queue.happened(.listed(listing([1, 3]))) == [.look])
    #expect(queue.happened(.holds([1, 2, 3].map(path), current: 1)) == [])
    _ = queue.happened(.ended(.end))
    #expect(queue.happened(.opens(path(3))) == [.look])
    #expect(
      shown(queue.happened(.loaded)) == "an entry was removed from the feed; playing continues")
    #expect(queue.happened(.holds([1, 2, 3].map(path), current: 2)) == [.remove(1)])
  }

  @Test func whatTheMountListedForAsLongAsItPlayedIsMissedWhenItWasLeft() {
    var queue = playing(2, of: [1, 2, 3])
    _ = queue.happened(.ended(.stopped))
    _ = queue.happened(.opens(path(3)))
    #expect(queue.happened(.loaded) == [])
    #expect(
      queue.happened(.listed(listing([1, 3]))) == [
        .look, .show("an entry was removed from the feed; playing continues"),
      ])
  }

  @Test func whatCannotBeOpenedIsJudgedWhenTheFeedWasLookedAt() {
    for (feed, words) in [
      ([1, 3], "an entry was removed from the feed; playing continues"),
      ([1, 2, 3], "0002.mp4 cannot be played, skipping it"),
    ] {
      var queue = playing(1, of: [1, 2, 3])
      _ = queue.happened(.ended(.end))
      _ = queue.happened(.opens(path(2)))
      #expect(queue.happened(.ended(.failed)) == [.check(path(2))])
      _ = queue.happened(.checked(path(2), nil))
      _ = queue.happened(.opens(path(3)))
      #expect(queue.happened(.loaded) == [])
      let isSame = feed.count == 3
      #expect(shown(queue.happened(.listed(isSame ? nil : listing(feed)))) == words)
    }
  }

  /// After an entry that it cannot open, mpv goes forwards, even when its user went back.
  @Test(arguments: [(PlayEvent.Reason.stopped, 3, true), (.stopped, 1, false), (.end, 3, false)])
  func whoeverGoesBackOverWhatCannotBeOpenedIsBroughtFurtherBack(
    reason: PlayEvent.Reason, next: Int, goesBack: Bool
  ) {
    var queue = playing(3, of: [1, 2, 3])
    _ = queue.happened(.ended(reason))
    _ = queue.happened(.opens(path(2)))
    _ = queue.happened(.ended(.failed))
    #expect(queue.happened(.opens(path(next))).contains(.back) == goesBack)
    _ = queue.happened(.loaded)
    #expect(!queue.happened(.opens(path(3))).contains(.back))
  }

  // MARK: The end of the list

  @Test func thePlayerIsLetGoAtTheEndOfAFeedThatIsWhole() {
    var queue = playing(1, of: [1], isWhole: true)
    _ = queue.happened(.ended(.end))
    #expect(queue.happened(.idle) == [.quit(code: 0)])
  }

  @Test func anIdlePlayerThatHasPlayedNothingYetIsNotAtItsEnd() {
    var queue = PlayQueue()
    #expect(queue.happened(.idle) == [])
    _ = begin(&queue, with: [1], isWhole: true)
    #expect(queue.happened(.idle) == [])
  }

  @Test func aPageThatComesLateIsWaitedFor() {
    var queue = playing(2, of: [1, 2])
    _ = queue.happened(.ended(.end))
    #expect(
      queue.happened(.idle) == [.show("looking for more entries on the next page of the feed")])
    #expect(queue.happened(.listed(nil)) == [])
    #expect(queue.happened(.listed(listing([1, 2, 3, 4]))).contains(.look))
    #expect(
      queue.happened(.holds([path(1), path(2)], current: nil))
        == [.append([entry(3), entry(4)]), .play(2)])
  }

  @Test func whoeverWaitsForAPageDoesNotWaitForEver() {
    var queue = playing(1, of: [1])
    _ = queue.happened(.ended(.end))
    _ = queue.happened(.idle)
    let looks = (1...30).prefix { _ in queue.happened(.listed(nil)) == [] }
    #expect(looks.count == 10)
    // The player does not wait at all for a page that cannot come or does not exist.
    for event in [PlayEvent.condition(.paused), .condition(.offline), .listed(listing([1], true))] {
      var queue = playing(1, of: [1])
      _ = queue.happened(event)
      _ = queue.happened(.ended(.end))
      #expect(queue.happened(.idle).contains(.quit(code: 0)))
    }
  }

  @Test(arguments: [([1, 2], 2), ([2], 3)])
  func anEndWithFailuresSaysSo(failing: [Int], code: Int) {
    var queue = begun(with: [1, 2], isWhole: true)
    for number in 1...2 {
      _ = queue.happened(.opens(path(number)))
      if failing.contains(number) {
        _ = queue.happened(.ended(.failed))
        _ = queue.happened(.checked(path(number), nil))
      } else {
        _ = queue.happened(.loaded)
        _ = queue.happened(.ended(.end))
      }
    }
    #expect(queue.happened(.idle).contains(.quit(code: code)))
  }

  @Test func aRingOfWhichNothingCanBePlayedEnds() {
    var queue = PlayQueue(loops: true)
    _ = begin(&queue, with: [1])
    _ = queue.happened(.opens(path(1)))
    _ = queue.happened(.ended(.failed))
    #expect(queue.happened(.idle) == [])
    #expect(queue.happened(.checked(path(1), nil)).contains(.quit(code: 2)))
  }
}
