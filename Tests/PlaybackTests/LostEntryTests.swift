import Playback
import Testing

/// The orders to a player whose entry has ended or cannot be opened, because bytes did not come.
@Suite(.timeLimit(.minutes(1)))
struct LostEntryTests {
  /// An outage, as far as it differs for the player.
  enum Outage: CaseIterable, Sendable {
    /// A read of the missing byte fails soon, or after a minute.
    case stopped, stalled
    case paused, offline

    var supply: Supply {
      switch self {
      case .stopped: refused
      case .stalled: film(isWaiting: true, reason: "no bytes arrive")
      case .paused: film(.paused)
      case .offline: film(.offline)
      }
    }

    /// Seconds after which a read of the missing byte fails.
    var patience: Int { self == .stalled ? 60 : 1 }
  }

  /// Its player was paused in time, or its read has failed.
  @Test(arguments: Outage.allCases, [5, 90, 600])
  func theSameEntryGoesOnAfterAnOutageOfAnyLength(outage: Outage, length: Int) {
    for isLost in [false, true] {
      var queue = isLost ? lost(by: outage.supply) : held(by: outage.supply)
      let start = isLost ? 50 : 10
      var actions = isLost ? queue.happened(.checked(path(1), outage.supply)) : []
      var asked: Int?
      for second in start + 1...start + length {
        actions += queue.happened(.supplied(outage.supply)) + queue.happened(.second(second))
        if actions.contains(where: isProbe) { asked = asked ?? second }
        #expect(
          actions.last { !isProbe($0) }.flatMap { shown([$0]) }?
            .hasSuffix("\n" + clock(second - start)) == true)
        if let since = asked, second - since >= outage.patience {
          actions += queue.happened(.probed(path(1), false))
          asked = nil
        }
        #expect(!actions.contains { $0 == .hold(false) || $0 == .next || $0 == .look })
        actions = []
      }
      let end = start + length
      actions =
        queue.happened(.supplied(film(ahead: 0))) + queue.happened(.second(end + 1))
        + (asked == nil ? [] : queue.happened(.probed(path(1), false)))
        + queue.happened(.second(end + 32)) + queue.happened(.probed(path(1), true))
      if isLost {
        #expect(actions.contains(.look))
        #expect(queue.happened(.holds([1, 2].map(path), current: 0)) == [.play(0)])
        #expect(queue.happened(.opens(path(1))).contains(.start(at: 40)))
      } else {
        #expect(actions.contains(.hold(false)))
      }
    }
  }

  // MARK: Ends

  /// How an entry ended at 40 of 100 seconds, and what follows.
  @Test(arguments: [
    ("an outage", refused, false), ("a pause", film(.paused), false),
    ("offline", film(.offline), false), ("a damaged film", film(ahead: nil), true),
    ("gone for good", film(reason: "status 410", isHopeless: true), true),
  ]) func aReadThatFailsInAnOutageIsNoEnd(_: String, supply: Supply, goesOn: Bool) {
    var queue = lost(by: supply)
    if goesOn {
      #expect(queue.happened(.checked(path(1), supply)).contains(.next))
      return
    }
    let actions = queue.happened(.checked(path(1), supply))
    #expect(actions.contains(.remember(key(1), 40)) && !actions.contains(.next))
    #expect(shown(queue.happened(.second(60)))?.contains("0:") ?? false)
    guard supply.condition != .offline else { return }
    if supply.condition == .paused { _ = queue.happened(.supplied(film())) }
    _ = queue.happened(.second(61))
    #expect(queue.happened(.probed(path(1), true)).contains(.look))
    #expect(queue.happened(.holds([1, 2].map(path), current: 0)) == [.play(0)])
    _ = queue.happened(.ended(.stopped))
    #expect(queue.happened(.opens(path(1))) == [.start(at: 40)])
    #expect(queue.happened(.loaded).contains(.seek(to: 40)))
  }

  /// The player was told of an error while the bytes were missing. It shows what it has, and then takes
  /// the error for the end.
  @Test func aFilmThatIsWholeByThenIsOpenedAgainAllTheSame() {
    var queue = held(by: refused)
    _ = queue.happened(.lasts(100))
    _ = queue.happened(.isAt(40))
    let whole = film(ahead: nil, isWhole: true)
    #expect(queue.happened(.supplied(whole)) == [.hold(false)])
    #expect(queue.happened(.isAtEnd(true)) == [.askPosition, .check(path(1))])
    _ = queue.happened(.checked(path(1), whole))
    #expect(queue.happened(.probed(path(1), true)).contains(.look))
    #expect(queue.happened(.holds([1, 2].map(path), current: 0)) == [.play(0)])
  }

  @Test func aFilmThatBreaksOffTwiceAtOnePlaceIsDamaged() {
    var queue = lost(by: refused)
    _ = queue.happened(.checked(path(1), refused))
    _ = queue.happened(.probed(path(1), true))
    _ = queue.happened(.holds([1, 2].map(path), current: 0))
    _ = queue.happened(.ended(.stopped))
    _ = queue.happened(.opens(path(1)))
    _ = queue.happened(.loaded)
    _ = queue.happened(.lasts(100))
    _ = queue.happened(.isAt(40))
    _ = queue.happened(.isAtEnd(true))
    #expect(queue.happened(.checked(path(1), film(ahead: nil))).contains(.next))
  }

  /// mpv jumps to the end of a film that breaks off before it has a picture to show.
  @Test func aJumpToTheEndIsNoPlace() {
    var queue = lost(by: refused)
    _ = queue.happened(.isAt(100))
    #expect(
      queue.happened(.checked(path(1), refused)).contains(.remember(key(1), 40)))
  }

  @Test func atItsTrueEndAnEntryIsFollowedByTheNext() {
    for supply in [film(isWhole: true), film(ahead: nil), nil] {
      var queue = playing(1, of: [1, 2])
      if let supply { _ = queue.happened(.supplied(supply)) }
      _ = queue.happened(.lasts(100))
      _ = queue.happened(.isAt(99))
      let actions =
        queue.happened(.isAtEnd(true)) + queue.happened(.checked(path(1), supply))
      #expect(actions.contains(.forget(key(1))) && actions.contains(.next))
      #expect(queue.happened(.ended(.stopped)) == [])
    }
  }

  @Test func aPlayerWithAnEndOfItsOwnIsToldNothingThereUnlessTheEndIsAnError() {
    for supply in [film(ahead: nil), refused] {
      var queue = PlayQueue(steers: false)
      _ = begin(&queue, with: [1, 2])
      _ = queue.happened(.opens(path(1)))
      _ = queue.happened(.loaded)
      _ = queue.happened(.isAtEnd(true))
      #expect(isProbed(queue.happened(.checked(path(1), supply))) == (supply == refused))
      #expect(queue.happened(.probed(path(1), true)).contains(.look) == (supply == refused))
    }
  }

  @Test func anEntryThatCannotBeOpenedInAnOutageIsTriedAgain() {
    var queue = playing(1, of: [1, 2, 3])
    _ = queue.happened(.opens(path(2)))
    #expect(queue.happened(.ended(.failed)) == [.check(path(2))])
    _ = queue.happened(.opens(path(3)))
    #expect(queue.happened(.checked(path(2), cold)) == [.look])
    #expect(queue.happened(.holds([1, 2, 3].map(path), current: 2)) == [.play(1)])
  }

  @Test func suchTriesAreSecondsApart() {
    var queue = playing(1, of: [1, 2, 3])
    _ = queue.happened(.second(5))
    for second in [5, 7, 9] {
      #expect(fail(2, &queue, because: cold).contains(.look) == (second == 5))
      if second > 5 {
        #expect(queue.happened(.second(second - 1)) == [])
        #expect(queue.happened(.second(second)) == [.look])
      }
      #expect(queue.happened(.holds([1, 2, 3].map(path), current: 2)) == [.play(1)])
    }
  }

  /// mpv goes on to the next entry by itself, which cannot be opened either.
  @Test func theEntryThatTheUserChoseIsTriedAndNotTheOneBehindIt() {
    for isQuick in [true, false] {
      var queue = playing(1, of: [1, 2, 3])
      _ = queue.happened(.opens(path(2)))
      _ = queue.happened(.ended(.failed))
      if !isQuick { _ = queue.happened(.checked(path(2), cold)) }
      _ = queue.happened(.opens(path(3)))
      #expect(queue.happened(.ended(.failed)) == [])
      if isQuick { _ = queue.happened(.checked(path(2), cold)) }
      #expect(queue.happened(.holds([1, 2, 3].map(path), current: 2)) == [.play(1)])
    }
  }

  @Test func whoeverGoesElsewhereMeanwhileStaysThere() {
    var queue = playing(1, of: [1, 2, 3])
    _ = fail(2, &queue, because: cold)
    _ = queue.happened(.holds([1, 2, 3].map(path), current: 2))
    _ = fail(2, &queue, because: cold)
    _ = queue.happened(.opens(path(3)))
    _ = queue.happened(.ended(.stopped))
    _ = queue.happened(.opens(path(1)))
    #expect(!(1...9).contains { !queue.happened(.second($0)).isEmpty })
  }

  /// One origin of several may answer with an error for ever.
  @Test func anEntryThatCannotBeOpenedForTenMinutesIsSkippedUnlessNoOriginAnswers() {
    for condition in [.online, .offline] as [PlayCondition] {
      var queue = playing(1, of: [1, 2, 3])
      _ = queue.happened(.condition(condition))
      for second in stride(from: 10, to: 700, by: 60) {
        _ = queue.happened(.second(second))
        _ = fail(2, &queue, because: cold)
        let isTried = queue.happened(.holds([1, 2, 3].map(path), current: 2)) == [.play(1)]
        #expect(isTried == (second < 610 || condition == .offline))
      }
    }
  }

  @Test func thePlaceIsKeptWhenTheFileCannotBeOpenedAgainAtOnce() {
    var queue = lost(by: refused)
    _ = queue.happened(.checked(path(1), refused))
    _ = queue.happened(.probed(path(1), true))
    _ = queue.happened(.holds([1, 2].map(path), current: 0))
    _ = queue.happened(.ended(.stopped))
    _ = fail(1, &queue, because: refused)
    _ = queue.happened(.opens(path(2)))
    _ = queue.happened(.loaded)
    #expect(queue.happened(.holds([1, 2].map(path), current: 1)) == [.play(0)])
    #expect(queue.happened(.opens(path(1))) == [.start(at: 40)])
  }

  // MARK: Offline

  @Test(
    arguments: [
      ([3, 4], false, 2), ([1, 2], false, nil), ([1], true, 0), ([], true, nil),
    ] as [([Int], Bool, Int?)])
  func offlineTheNextWholeEntryFollows(whole: [Int], loops: Bool, next: Int?) {
    var queue = PlayQueue(loops: loops)
    _ = begin(&queue, with: [1, 2, 3, 4])
    _ = queue.happened(.opens(path(2)))
    _ = queue.happened(.loaded)
    _ = queue.happened(.whole(Set(whole.map(path))))
    _ = queue.happened(.condition(.offline))
    _ = queue.happened(.supplied(film(.offline, isWhole: true, of: 2)))
    #expect(queue.happened(.isAtEnd(true)).contains(.look))
    let actions = queue.happened(.holds([1, 2, 3, 4].map(path), current: 1))
    if let next {
      #expect(actions == [.play(next)])
      return
    }
    #expect(shown(actions) == "offline: no other entry is complete in the cache")
    #expect(
      shown(queue.happened(.second(65)))
        == "offline: no other entry is complete in the cache\n1:05")
    #expect(queue.happened(.supplied(film(isWhole: true, of: 2))).contains(.next))
  }

  @Test func whoeverChoosesWhatIsNotCachedOfflineComesBackWithAWord() {
    var queue = playing(1, of: [1, 2, 3])
    _ = queue.happened(.condition(.offline))
    _ = queue.happened(.isAt(40))
    _ = queue.happened(.ended(.stopped))
    _ = fail(2, &queue, because: film(.offline, of: 2))
    #expect(queue.happened(.holds([1, 2, 3].map(path), current: 2)) == [.play(0)])
    #expect(queue.happened(.opens(path(1))).contains(.start(at: 40)))
    #expect(shown(queue.happened(.loaded))?.contains("no other entry is complete") == true)
    // Where nothing was played, it ends.
    var other = begun(with: [1, 2])
    _ = fail(1, &other, because: film(.offline))
    #expect(other.happened(.holds([1, 2].map(path), current: 1)).contains { isQuit($0) })
  }

  private func isQuit(_ action: PlayAction) -> Bool {
    if case .quit = action { true } else { false }
  }

  /// While the picture stands at the end of a whole entry, no program asks the origin.
  @Test func whileNoOriginAnswersAndNothingIsWholeTheNextEntryIsTried() {
    var queue = playing(1, of: [1, 2])
    _ = queue.happened(.condition(.offline))
    _ = queue.happened(.supplied(film(isWhole: true)))
    #expect(queue.happened(.isAtEnd(true)).contains(.look))
    #expect(queue.happened(.holds([1, 2].map(path), current: 0)) == [.next])
  }

  @Test func offlineItBeginsWithAWholeEntryUnlessTheUserHasChosenOne() {
    for (first, place) in [(nil, 2), (key(2), 1)] {
      var queue = PlayQueue(from: first)
      _ = queue.happened(.whole([path(3), path(4)]))
      _ = queue.happened(.condition(.offline))
      _ = queue.happened(.idle)
      _ = queue.happened(.listed(listing([1, 2, 3, 4])))
      #expect(queue.happened(.holds([], current: nil)).contains(.play(place)))
    }
  }
}
