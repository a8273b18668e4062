import Catalog
import Testing

@testable import FeedMount
@testable import Filling

/// How far a user is with an entry after a program has closed it.
@Suite(.timeLimit(.minutes(1)))
struct PlayRuleTests {
  /// Bytes of a film of 1,000 seconds.
  private static let length = 100_000_000

  private struct Row {
    var seconds: Double
    /// The part of the film that was read in a row; nil: the kernel answered the reads.
    var part: Double?
    var isPlayer: Bool
    var duration: Double? = 1000
    var isBegun = true
    var mark: EntryMark?
  }

  private static let rows: [Row] = [
    // A player.
    Row(seconds: 1000, part: 1, isPlayer: true, mark: .played),
    Row(seconds: 500, part: 1, isPlayer: true, mark: .played),
    Row(seconds: 500, part: 0.5, isPlayer: true, mark: .started),
    Row(seconds: 10, part: 0.2, isPlayer: true, mark: .started),
    Row(seconds: 10, part: 0.001, isPlayer: true, isBegun: false, mark: nil),
    // It has buffered the whole film, and was closed after ten seconds.
    Row(seconds: 10, part: 1, isPlayer: true, mark: .started),
    // A copy, whole or broken off, and a media server that streams.
    Row(seconds: 10, part: 1, isPlayer: false, mark: nil),
    Row(seconds: 10, part: 0.3, isPlayer: false, mark: nil),
    Row(seconds: 499, part: 1, isPlayer: false, mark: nil),
    Row(seconds: 900, part: 1, isPlayer: false, mark: .played),
    Row(seconds: 300, part: 0.3, isPlayer: false, mark: .started),
    // The duration is not known: the film counts as one of 1 MB/s, so of 100 seconds.
    Row(seconds: 60, part: 1, isPlayer: false, duration: nil, mark: .played),
    Row(seconds: 40, part: 1, isPlayer: false, duration: nil, mark: nil),
    // The kernel has answered the reads.
    Row(seconds: 950, part: nil, isPlayer: true, mark: .played),
    Row(seconds: 400, part: nil, isPlayer: true, mark: .started),
    Row(seconds: 950, part: nil, isPlayer: false, mark: nil),
    Row(seconds: 950, part: nil, isPlayer: true, duration: nil, mark: .started),
  ]

  @Test(arguments: rows.indices)
  func aCopyIsNoPlaying(index: Int) {
    let row = Self.rows[index]
    let run = ReadRun(
      time: .seconds(row.seconds), bytes: row.part.map { Int($0 * Double(Self.length)) },
      reachesEnd: row.part == 1, isBegun: row.isBegun)
    let rule = PlayRule(duration: row.duration, length: Self.length)
    #expect(rule.mark(after: run, isPlayer: row.isPlayer) == row.mark)
  }
}
