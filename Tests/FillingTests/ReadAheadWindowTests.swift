import TestSupport
import Testing

@testable import Filling

/// One reader's window: its opening, its depth, and the fetches into it.
@Suite(.timeLimit(.minutes(1)))
struct ReadAheadWindowTests {
  @Test func itIsOpenOnceItsReaderWentPastTheFirstFetch() {
    #expect(firstFetch == Figure.firstFetch.bytes)
    #expect(FillRules().heads.scannedHead == Figure.scannedHead.bytes)
    var window = ReadAheadWindow(rules: FillRules())
    #expect(!window.isOpen)
    _ = window.noted(0..<firstFetch, at: .zero)
    #expect(!window.isOpen)
    _ = window.noted(firstFetch..<firstFetch + 1, at: .zero)
    #expect(window.isOpen)
  }

  @Test(arguments: [
    (from: 0, to: 40.mib, hasEnded: true), (from: 40.mib - tenth, to: 40.mib, hasEnded: true),
    (from: 41.mib - tenth, to: 40.mib, hasEnded: false), (from: 0, to: 39.mib, hasEnded: false),
  ])
  func whoReadItsLastTenthInARowHasPlayedItToItsEnd(from: Int, to: Int, hasEnded: Bool) {
    var window = ReadAheadWindow(rules: FillRules())
    _ = window.noted(from..<from + 1, at: .zero)
    _ = window.noted(from + 1..<to, at: .zero)

    #expect(window.hasReachedEnd(of: 40.mib) == hasEnded)
  }

  /// The part of 40 MiB that a reader has read before it is at the end.
  private static let tenth = Int(Double(40.mib) * Figure.playedShare.share)

  @Test(arguments: [
    (to: 1.mib, isSeek: false), (to: 4.mib, isSeek: true), (to: 3.mib, isSeek: false),
  ])
  func aReadWithinAMebibyteOfTheExpectedPlaceReadsOn(to offset: Int, isSeek: Bool) {
    var window = ReadAheadWindow(rules: FillRules())
    _ = window.noted(0..<1.mib, at: .zero)
    _ = window.noted(1.mib..<2.mib, at: .zero)

    #expect(window.noted(offset..<offset + 1, at: .zero) == isSeek)
  }

  /// Bytes that were read of a film of 100 kB/s in so many seconds, and the window.
  @Test(arguments: [
    // A player that has filled its buffer, however fast.
    (read: 3_000_000, seconds: 1, isSparing: false, depth: 6_000_000),
    (read: 3_000_000, seconds: 30, isSparing: false, depth: 6_000_000),
    // A copy.
    (read: 20_000_000, seconds: 10, isSparing: false, depth: 120_000_000),
    // Where bytes are dear, nothing is a copy.
    (read: 20_000_000, seconds: 10, isSparing: true, depth: 3_000_000),
    (read: 3_000_000, seconds: 1, isSparing: true, depth: 3_000_000),
  ])
  func ofAFilmWhoseRateIsKnownItIsAMinute(read: Int, seconds: Int, isSparing: Bool, depth: Int) {
    let rules = FillRules()
    #expect(rules.ahead.readAhead == Figure.filmAhead.time)
    #expect(rules.ahead.minAhead == Figure.minFilmAhead.bytes)
    #expect(rules.ahead.sparingAhead == Figure.sparingAhead.time)
    #expect(rules.ahead.minSparingAhead == Figure.minSparingAhead.bytes)
    var window = ReadAheadWindow(rules: rules)
    _ = window.noted(0..<1, at: .seconds(7))
    _ = window.noted(1..<read, at: .seconds(7))
    let now = Duration.seconds(7 + seconds)
    #expect(window.depth(lanes: 4, rate: 100_000, isSparing: isSparing, at: now) == depth)
  }

  @Test(arguments: [
    // A minute of a film at 1 MiB/s; more than that of one at 10 kB/s; never more than 256 MiB.
    (read: 40.mib, seconds: 40, lanes: 1, depth: 60.mib),
    (read: 40.mib, seconds: 4_000, lanes: 1, depth: 4.mib),
    (read: 400.mib, seconds: 10, lanes: 1, depth: 256.mib),
    // At first the window is as deep as the bytes read, for each lane.
    (read: 1.mib, seconds: 1, lanes: 1, depth: 2.mib),
    (read: 1.mib, seconds: 1, lanes: 4, depth: 8.mib),
  ])
  func itIsAsDeepAsItsReaderIsFast(read: Int, seconds: Int, lanes: Int, depth: Int) {
    var window = ReadAheadWindow(rules: FillRules())
    _ = window.noted(0..<1, at: .seconds(7))
    _ = window.noted(1..<read, at: .seconds(7 + seconds))

    #expect(window.depth(lanes: lanes, rate: nil, at: .seconds(7 + seconds)) == depth)
  }

  @Test func itIsDeepEnoughForTheFilmThoughItsReaderIsSlowYet() {
    var window = ReadAheadWindow(rules: FillRules())
    _ = window.noted(0..<40.mib, at: .zero)

    #expect(window.depth(lanes: 1, rate: 1.mib, at: .seconds(1_000)) == 60.mib)
  }

  @Test func itIsFilledInPiecesUntilItIsFullAndAgainWhenHalfIsUsedUp() {
    var window = ReadAheadWindow(rules: FillRules())
    _ = window.noted(0..<20.mib, at: .zero)
    var edge = 20.mib
    var pieces: [Int] = []
    while let bytes = window.fetch(beyond: edge, depth: 20.mib, lanes: 1, pause: 0, length: 99.mib)
    {
      #expect(bytes.lowerBound == edge)
      edge = bytes.upperBound
      pieces.append(bytes.count)
    }
    #expect(pieces == [8.mib, 8.mib, 4.mib])
    #expect(!window.isDue)

    _ = window.noted(20.mib..<30.mib - 1, at: .zero)
    #expect(!window.isDue)
    _ = window.noted(30.mib - 1..<30.mib, at: .zero)
    #expect(window.isDue)
  }

  @Test func nothingIsFetchedForAFewBytesButTheLast() {
    var window = ReadAheadWindow(rules: FillRules())
    _ = window.noted(0..<20.mib, at: .zero)

    #expect(
      window.fetch(beyond: 24.mib - 1, depth: 4.mib, lanes: 1, pause: 0, length: 99.mib) == nil)
    #expect(
      window.fetch(beyond: 24.mib - 1, depth: 4.mib, lanes: 1, pause: 0, length: 24.mib)
        == 24.mib - 1..<24.mib)
    #expect(window.fetch(beyond: 24.mib, depth: 4.mib, lanes: 1, pause: 0, length: 24.mib) == nil)
    #expect(!window.isDue)
  }

  @Test(arguments: [
    (left: 64.mib, pause: 0, piece: 2.mib, size: 2.mib),
    (left: 6.mib, pause: 0, piece: 2.mib, size: 1536.kib),
    (left: 64.mib, pause: 8.mib, piece: 16.mib, size: 16.mib),
    (left: 40.mib, pause: 8.mib, piece: 16.mib, size: 10.mib),
    (left: 16.mib, pause: 8.mib, piece: 16.mib, size: 8.mib),
    (left: 2.mib, pause: 0, piece: 2.mib, size: 1.mib),
  ])
  func manyLanesShareTheEnd(left: Int, pause: Int, piece: Int, size: Int) {
    var window = ReadAheadWindow(rules: FillRules())
    _ = window.noted(0..<20.mib, at: .zero)
    let bytes = window.fetch(
      beyond: 20.mib, depth: 64.mib, lanes: 4, pause: pause, piece: piece,
      length: 20.mib + left)

    #expect(bytes?.count == size)
  }

  @Test func aSeekBeginsAnew() {
    var window = ReadAheadWindow(rules: FillRules())
    _ = window.noted(0..<20.mib, at: .zero)
    _ = window.fetch(beyond: 20.mib, depth: 64.mib, lanes: 1, pause: 0, length: 99.mib)
    #expect(window.covers(24.mib))
    #expect(!window.covers(28.mib))
    let isSeek = window.noted(50.mib..<50.mib + 1, at: .zero)

    #expect(isSeek)
    #expect(!window.isOpen)
    #expect(!window.covers(24.mib))
    #expect(!window.covers(50.mib))
  }
}
