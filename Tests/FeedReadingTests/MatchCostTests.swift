import Testing

@testable import FeedReading

/// The cost of a match is counted in steps that do not depend on the computer.
struct MatchCostTests {
  @Test(arguments: [
    ("a", MatchCost.Reach.next), (".", .next), ("é", .next), (#"\d"#, .next), (#"\b"#, .next),
    ("a*", .next), (".*+", .next), ("[ax]+?", .next), ("[}]", .next), ("}+", .next), ("}", .next),
    ("", .next), (#"\p{L}"#, .next), (#"\x{ff}"#, .next), ("a{,5}", .next), ("a{0,5}", .next),
    // A back reference.
    (#"\1"#, .group), (#"\9"#, .group), (#"\g{2}"#, .group), (#"\k<n>"#, .group), (#"\0"#, .next),
    // It may begin a look back.
    ("(", .next), ("(?<=", .back), ("(?=", .back), ("(?P=n)", .back), ("(?R)", .back),
    // A repeat.
    ("a{3}", .repeated(3)), ("a{3,}", .repeated(3)), ("[}]{12,15}?", .repeated(12)),
    ("é{2100}+", .repeated(2100)), (#"\p{L}{4}"#, .repeated(4)),
    // A number in braces counts as a repeat, whatever it means.
    (#"\x{61}"#, .repeated(61)),
  ])
  func anItemTellsHowFarItMayLook(item: String, reach: MatchCost.Reach) {
    #expect(MatchCost.Reach(Array(item.utf8).span) == reach)
  }

  @Test func aNumberThatIsLongerThanAnyTextIsCutOff() {
    let item = Array(("a{" + String(repeating: "9", count: 500) + "}").utf8)
    guard case .repeated(let times) = MatchCost.Reach(item.span) else {
      Issue.record("no repeat")
      return
    }
    #expect(times < 1 << 30)
  }

  /// The steps of an item that is tried at place 100 of 180 bytes, after one at place 90. The longest
  /// group has matched 30 bytes.
  @Test(arguments: [
    (MatchCost.Reach.next, 0, 6), (.group, 0, 21), (.back, 0, 12), (.repeated(20), 0, 16),
    (.repeated(500), 0, 46), (.next, 7, 6), (.next, 8, 7), (.next, 800, 106),
  ])
  func anItemCostsAStepAndHalfOfItsBytes(reach: MatchCost.Reach, groups: Int, steps: Int) {
    var cost = MatchCost(steps: 1000, groups: groups)
    cost.tries(.next, at: 90, of: 90, longest: 0)
    let before = cost.left
    cost.tries(reach, at: 100, of: 80, longest: 30)
    #expect(before - cost.left == steps)
  }

  @Test func theWayBackCostsAsMuchAsTheWayThere() {
    var cost = MatchCost(steps: 100, groups: 0)
    cost.tries(.next, at: 40, of: 60, longest: 0)
    cost.tries(.next, at: 0, of: 100, longest: 0)
    #expect(cost.left == 100 - 21 - 21)
  }

  /// PCRE2 tells of each item, of where it is tried, and of what the groups before it have matched.
  @Test(arguments: [
    ("x", 1..<10), ("x{1000}", 500..<2000), ("(x{1000})x", 1000..<2500),
    (#"(x{1000})\1"#, 1500..<3000), ("x{1000}(?<=xx)", 1060..<2100),
  ])
  func aMatchTakesItsSteps(expression: String, taken: Range<Int>) throws {
    var steps = 40_000
    let outcome = try Expression(expression).match(
      String(repeating: "x", count: 4096), steps: &steps)
    #expect(outcome == .matches)
    #expect(taken.contains(40_000 - steps), "\(40_000 - steps)")
  }

  @Test func aMatchEndsWhenItsStepsAreUsedUp() throws {
    var steps = 100
    let text = String(repeating: "a", count: 400)
    #expect(try Expression("(a|b)*c$|a").match(text + "c", steps: &steps) == .unclear)
    #expect(steps == 0)
  }
}
