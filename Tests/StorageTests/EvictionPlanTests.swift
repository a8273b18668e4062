import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(1)))
struct EvictionPlanTests {
  private let ends = RetainedEnds(head: 100, tail: 50, index: 50)

  @Test func theLongestUnusedGoesFirstWhateverFeedItIsOf() {
    let plan = EvictionPlan(
      [
        "a": [file("1-x", used: 5), file("2-x", used: 1)],
        "b": [file("3-x", used: 3)],
      ], listed: ["a": ["1-", "2-"]], ends: ends)

    #expect(plan.steps.map(\.name) == ["2-x", "3-x", "1-x"])
  }

  @Test func whatNoFeedListsAnyMoreGoesBefore() {
    let plan = EvictionPlan(
      ["a": [file("1-x", used: 1), file("gone-x", used: 9)]], listed: ["a": ["1-"]], ends: ends)

    #expect(plan.steps.map(\.name) == ["gone-x", "1-x"])
    #expect(plan.steps.map(\.keepsEnds) == [false, true])
    #expect(plan.steps.map(\.gain) == [1_000, 800])
  }

  @Test func whatHasOnlyItsEndsStays() {
    let plan = EvictionPlan(
      ["a": [file("1-x", used: 1, bytes: 200)]], listed: ["a": ["1-"]], ends: ends)

    #expect(plan.steps.isEmpty)
  }

  @Test func ofAFeedThatNobodyHasMountedAllGoes() {
    let plan = EvictionPlan(["b": [file("1-x", used: 1, bytes: 200)]], listed: [:], ends: ends)

    #expect(plan.steps.map(\.keepsEnds) == [false])
  }

  @Test func whatIsNoFileOfOursIsLeftAlone() {
    let plan = EvictionPlan(["a": [file("", used: 1)]], listed: ["a": []], ends: ends)

    #expect(plan.steps.isEmpty)
  }

  private func file(_ name: String, used: Int, bytes: Int = 1_000) -> CachedFile {
    CachedFile(name: name, bytes: bytes, used: used)
  }
}
