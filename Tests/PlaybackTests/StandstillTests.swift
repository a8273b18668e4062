import Playback
import Testing

/// The orders to a player while the bytes of its film do not come.
@Suite(.timeLimit(.minutes(1)))
struct StandstillTests {
  /// News of the playing film, and whether the player is then paused.
  struct News: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let supply: Supply
    let isHeld: Bool

    init(_ description: String, _ supply: Supply, isHeld: Bool) {
      (testDescription, self.supply, self.isHeld) = (description, supply, isHeld)
    }
  }

  private static let news = [
    News("bytes come slowly", film(ahead: 10_000), isHeld: false),
    News(
      "the origin is away, and much is cached", film(ahead: 9_000_000, reason: "x"), isHeld: false
    ),
    News(
      "the origin is away, and little is cached", film(ahead: 500_000, reason: "x"), isHeld: true),
    News("paused, and much is cached", film(.paused, ahead: 9_000_000), isHeld: false),
    News("paused, and little is cached", film(.paused, ahead: 500_000), isHeld: true),
    News("offline, and little is cached", film(.offline, ahead: 500_000), isHeld: true),
    News("offline, and all is cached", film(.offline, isWhole: true), isHeld: false),
    News("paused, and cached to the end", film(.paused, ahead: nil), isHeld: false),
    News(
      "the file is gone for good", film(reason: "status 410", isHopeless: true), isHeld: false),
  ]

  @Test(arguments: news) func aPlayerIsPausedBeforeItComesToMissingBytes(news: News) {
    var queue = playing(1, of: [1, 2])
    let actions = queue.happened(.supplied(news.supply))
    #expect(actions.contains(.hold(true)) == news.isHeld)
    // It is held once, unless its user lets it go on.
    #expect(!queue.happened(.supplied(news.supply)).contains(.hold(true)))
    _ = queue.happened(.isPaused(true))
    _ = queue.happened(.isPaused(false))
    #expect(queue.happened(.supplied(news.supply)).contains(.hold(true)) == news.isHeld)
  }

  /// Readers that the kernel answers by itself are not where the daemon believes. So the place of the
  /// picture counts, and the buffer of the player is in front of it.
  @Test(
    arguments: [
      (byte: 4_500_000, isHeld: true), (3_500_000, false), (5_200_000, true), (nil, true),
    ] as [(byte: Int?, isHeld: Bool)])
  func thePlaceOfThePictureCounts(byte: Int?, isHeld: Bool) {
    var queue = playing(1, of: [1, 2])
    _ = queue.happened(.isAtByte(byte))
    #expect(queue.happened(.supplied(refused)).contains(.hold(true)) == isHeld)
  }

  @Test func whoeverSeeksBackToCachedBytesWatchesThem() {
    var queue = playing(1, of: [1, 2])
    _ = queue.happened(.isAtByte(4_900_000))
    #expect(queue.happened(.supplied(film(.paused))) == [.hold(true)])
    _ = queue.happened(.isAtByte(4_300_000))
    #expect(queue.happened(.supplied(film(.paused))) == [])
    _ = queue.happened(.isAtByte(3_000_000))
    #expect(queue.happened(.supplied(film(.paused))) == [.hold(false)])
    _ = queue.happened(.isAtByte(4_300_000))
    #expect(queue.happened(.supplied(film(.paused))) == [.hold(true)])
  }

  /// The feed does not say how long the film is, but the player does.
  @Test func aFilmWithoutADurationIsHeldInTimeToo() {
    for (seconds, isHeld) in [(nil, false), (100.0, true)] as [(Double?, Bool)] {
      var queue = playing(1, of: [1])
      if let seconds { _ = queue.happened(.lasts(seconds)) }
      _ = queue.happened(.isAtByte(4_300_000))
      var supply = refused
      supply.rate = nil
      #expect(queue.happened(.supplied(supply)).contains(.hold(true)) == isHeld)
    }
  }

  @Test func whoeverHasPausedThePlayerIsLeftAlone() {
    var queue = playing(1, of: [1, 2])
    _ = queue.happened(.isPaused(true))
    #expect(queue.happened(.supplied(refused)) == [])
    #expect(queue.happened(.supplied(film(ahead: 9_000_000))) == [])
  }

  @Test(arguments: [
    (refused, "waiting for example.org: connection refused"),
    (film(.paused), "paused: feedfs fetches nothing until `feedfs resume`"),
    (film(.offline), "offline: the rest is not cached; `feedfs online` fetches it"),
  ]) func theReasonAndAClockStayOnTheScreen(supply: Supply, words: String) {
    var queue = held(by: supply)
    for (second, clock) in [(11, "0:01"), (12, "0:02"), (100, "1:30"), (610, "10:00")] {
      #expect(shown(queue.happened(.second(second))) == "\(words)\n\(clock)")
    }
  }

  @Test func aMountThatIsGoneIsSaidInsteadOfAReason() {
    var queue = held(by: refused)
    _ = queue.happened(.silent)
    #expect(shown(queue.happened(.second(11))) == "the mount does not answer\n0:01")
    _ = queue.happened(.supplied(refused))
    #expect(shown(queue.happened(.second(12)))?.contains("connection refused") == true)
  }

  @Test func aReadThatWaitsIsSaidOnceItIsSeenTwice() {
    var queue = playing(1, of: [1])
    let waiting = film(isWaiting: true)
    _ = queue.happened(.second(1))
    _ = queue.happened(.supplied(waiting))
    #expect(queue.happened(.second(2)) == [])
    _ = queue.happened(.supplied(waiting))
    #expect(shown(queue.happened(.second(3))) == "waiting for example.org\n0:01")
    _ = queue.happened(.supplied(film(ahead: 50_000)))
    #expect(queue.happened(.second(4)) == [])
  }

  // MARK: Going on

  @Test func itGoesOnWhenAByteCame() {
    var queue = held(by: refused)
    #expect(queue.happened(.second(11)).contains(.probe(path(1), at: probed)))
    #expect(!isProbed(queue.happened(.second(12))))
    #expect(queue.happened(.probed(path(1), false)) == [])
    #expect(isProbed(queue.happened(.second(13))))
    #expect(queue.happened(.probed(path(1), true)) == [.hold(false)])
    #expect(queue.happened(.second(14)) == [])
  }

  @Test func itGoesOnWhenTheMountSaysThatBytesCame() {
    var queue = held(by: refused)
    #expect(queue.happened(.supplied(film(ahead: 9_000_000))) == [.hold(false)])
  }

  @Test func anOriginIsAskedLessOftenAfterTenMinutesAndInAPauseNever() {
    for (start, pause) in [(20, 1), (700, 30)] {
      var queue = held(by: refused)
      #expect(isProbed(queue.happened(.second(start))))
      _ = queue.happened(.probed(path(1), false))
      let next = (start...start + 60).first { isProbed(queue.happened(.second($0))) }
      #expect(next == start + pause)
    }
    for condition in [.paused, .offline] as [PlayCondition] {
      var queue = held(by: film(condition))
      #expect(!(11...900).contains { isProbed(queue.happened(.second($0))) })
    }
  }

  @Test func whoeverGoesToAnotherEntryIsNotHeldThere() {
    var queue = held(by: refused)
    #expect(isProbed(queue.happened(.second(11))))
    let actions = queue.happened(.opens(path(2)))
    #expect(actions.contains(.hold(false)) && actions.contains(.endProbe))
    #expect(queue.happened(.second(12)) == [])
    // The answer for the first entry is no answer for this one.
    _ = queue.happened(.loaded)
    let other = film(reason: "connection refused", of: 2)
    #expect(queue.happened(.supplied(other)) == [.hold(true)])
    _ = queue.happened(.second(13))
    #expect(queue.happened(.probed(path(1), true)) == [])
    #expect(queue.happened(.probed(path(2), true)) == [.hold(false)])
  }

  // MARK: A player that hangs

  @Test func aPlayerThatWantsToLeaveItsFileHasItsReadsEnded() {
    var queue = playing(1, of: [1])
    #expect(queue.happened(.look) == [.ask])
    #expect(queue.happened(.answers(isStopping: false)) == [])
    #expect(queue.happened(.look) == [.ask])
    #expect(queue.happened(.answers(isStopping: true)) == [.release])
    // It has no file any more.
    _ = queue.happened(.ended(.stopped))
    #expect(queue.happened(.look) == [])
    #expect(queue.happened(.answers(isStopping: true)) == [])
  }

  @Test func aPlayerThatDoesNotAnswerWhileItStandsHasItsReadsEnded() {
    var queue = held(by: refused)
    #expect((1...3).map { _ in queue.happened(.look) } == [[.ask], [.ask], [.release]])
    var busy = playing(1, of: [1])
    #expect((1...9).allSatisfy { _ in busy.happened(.look) == [.ask] })
  }

  @Test func aSeekOutOfAReadThatWaitsEndsIt() {
    for isWaiting in [true, false] {
      var queue = held(by: film(isWaiting: isWaiting, reason: "no bytes arrive"))
      #expect(queue.happened(.seeks) == [.askPosition] + (isWaiting ? [.release] : []))
    }
    var queue = playing(1, of: [1])
    _ = queue.happened(.supplied(film(isWaiting: true)))
    #expect(queue.happened(.seeks) == [.askPosition])
  }
}
