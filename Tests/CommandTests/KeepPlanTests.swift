import FeedReading
import TestSupport
import Testing

@testable import FeedMount

/// The entries that `keep` fetches, and those that it deletes again.
struct KeepPlanTests {
  @Test(
    arguments: [
      (nil, nil, 16 << 20), (1 << 20, 4, 16 << 20), (30 << 20, 4, 60 << 20),
      (nil, 100, 250_000_000),
      (30 << 20, 3600, 60 << 20), (Int.max, nil, Int.max - 1), (nil, -4, 16 << 20),
      (nil, .infinity, 2_500_000_000_000),
    ] as [(Int?, Double?, Int)])
  func aBodyWithoutLengthMayBeSoLong(claimed: Int?, duration: Double?, most: Int) {
    #expect(KeepPlan.maxWithoutEnd(claimed: claimed, duration: duration) == most)
  }

  @Test func theLeastOfItIsPromised() {
    #expect(KeepPlan.minWithoutEnd == Figure.withoutEnd.bytes)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let rule: KeepRule?
    var played: Set<Int> = []
    var pinned: Set<Int> = []
    var unfit: Set<Int> = []
    var resting: Set<Int> = []
    /// The entries that `keep` has fetched before, and those that the user has cleared.
    var fetched: Set<Int> = []
    var cleared: Set<Int> = []
    // The plan that follows.
    var keeps: Set<Int> = []
    var fetches: [Int] = []
    var watches: Set<Int> = []
    var deletes: Set<Int> = []

    init(_ description: String, _ rule: KeepRule?, _ change: (inout Row) -> Void) {
      (testDescription, self.rule) = (description, rule)
      change(&self)
    }
  }

  /// The rows are about four entries. The last one is the newest.
  static let rows: [Row] = [
    Row("nothing is kept, so nothing is deleted", nil) {
      ($0.played, $0.fetched) = ([1], [1, 2])
    },
    Row("the rule for all feeds is taken back", .nothing) { ($0.played, $0.fetched) = ([1], [1]) },
    Row("the newest", .newest(2)) {
      ($0.keeps, $0.fetches, $0.watches) = ([3, 4], [4, 3], [3, 4])
    },
    Row("more than there are", .newest(9)) {
      ($0.keeps, $0.fetches, $0.watches) = ([1, 2, 3, 4], [4, 3, 2, 1], [1, 2, 3, 4])
    },
    Row("what was played goes, and the next older one comes", .newest(2)) {
      ($0.played, $0.fetched) = ([4], [3, 4])
      ($0.keeps, $0.fetches, $0.watches, $0.deletes) = ([2, 3], [3, 2], [2, 3], [4])
    },
    Row("a new one takes the place of the oldest, which goes once it was played", .newest(2)) {
      $0.fetched = [2, 3]
      ($0.keeps, $0.fetches, $0.watches) = ([3, 4], [4, 3], [2, 3, 4])
    },
    Row("what came otherwise is not deleted", .newest(1)) {
      ($0.played, $0.fetched) = ([1, 2], [4])
      ($0.keeps, $0.fetches, $0.watches) = ([4], [4], [4])
    },
    Row("all that nobody has played", .unplayed) {
      ($0.played, $0.fetched) = ([1, 3], [1, 2, 3])
      ($0.keeps, $0.fetches, $0.watches, $0.deletes) = ([2, 4], [4, 2], [2, 4], [1, 3])
    },
    Row("all, for good", .all) {
      ($0.played, $0.fetched) = ([1, 3], [1, 2, 3])
      ($0.keeps, $0.fetches) = ([1, 2, 3, 4], [4, 3, 2, 1])
    },
    Row("what is pinned is the user's, and is not deleted", .newest(2)) {
      ($0.played, $0.pinned, $0.fetched) = ([4], [3, 4], [3, 4])
      ($0.keeps, $0.fetches, $0.watches) = ([2, 3], [3, 2], [2, 3])
    },
    Row("what the feed has dropped is kept no longer, and goes once it was played", .newest(1)) {
      ($0.unfit, $0.played, $0.fetched) = ([3, 4], [3], [3, 4])
      ($0.keeps, $0.fetches, $0.watches, $0.deletes) = ([2], [2], [2, 4], [3])
    },
    Row("what the user has cleared does not come again", .unplayed) {
      $0.cleared = [2, 4]
      ($0.keeps, $0.fetches, $0.watches) = ([1, 3], [3, 1], [1, 3])
    },
    Row("what is refused keeps its place, and is not asked for", .newest(2)) {
      $0.resting = [4]
      ($0.keeps, $0.fetches, $0.watches) = ([3, 4], [3], [3, 4])
    },
  ]

  @Test(arguments: rows) func theRuleAndWhatWasPlayedDecide(row: Row) {
    let entries = (1...4).map { number in
      KeepPlan.Entry(
        number: number, date: 100 * number, isPlayed: row.played.contains(number),
        isPinned: row.pinned.contains(number), isUnfit: row.unfit.contains(number),
        isResting: row.resting.contains(number))
    }
    let memory = KeepPlan.Memory(fetched: row.fetched, cleared: row.cleared)
    let plan = KeepPlan(row.rule, entries.shuffled(), memory)
    #expect(plan.kept == row.keeps)
    #expect(plan.fetches == row.fetches)
    #expect(plan.watched == row.watches)
    #expect(plan.released == row.deletes)
    #expect(plan.memory.cleared == row.cleared)
    // A plan that is made again says the same.
    let again = KeepPlan(row.rule, entries, plan.memory)
    #expect(again == plan)
  }

  @Test func whatIsListedNoLongerIsForgotten() {
    let entries = [KeepPlan.Entry(number: 2, date: 0)]
    let plan = KeepPlan(.newest(3), entries, KeepPlan.Memory(fetched: [1, 2]))
    #expect(plan.memory.fetched == [2] && plan.kept == [2])
    #expect(KeepPlan(nil, entries, KeepPlan.Memory(fetched: [1, 2])).memory == KeepPlan.Memory())
  }

  /// As the rule `newest` has it. A feed that is read for the first time may give all one date.
  @Test func ofEntriesOfOneDateTheLowerNumberIsNewer() {
    let entries = [3, 1, 2].map { KeepPlan.Entry(number: $0, date: 7) }
    #expect(KeepPlan(.newest(2), entries, KeepPlan.Memory()).fetches == [1, 2])
  }

  @Test(arguments: [
    ("3", KeepRule.newest(3)), ("all", .all), ("unplayed", .unplayed), ("none", .nothing),
  ])
  func aRuleIsReadAsItIsWritten(text: String, rule: KeepRule) {
    #expect(KeepRule(parsing: text) == rule && rule.text == text)
  }

  @Test(arguments: ["0", "-1", "x", "", "3 "])
  func anythingElseIsNoRule(text: String) {
    #expect(KeepRule(parsing: text) == nil)
  }
}
