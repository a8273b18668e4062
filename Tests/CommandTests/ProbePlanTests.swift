import Foundation
import HTTP
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import FeedMount

/// Which size is asked for next, and when.
@Suite(.timeLimit(.minutes(1)))
struct ProbePlanTests {
  private typealias Plan = ProbePlan<String, Int>
  private static let most = Int(Duration.seconds(1) / Plan.pace)

  private func wish(
    _ name: String, at origin: String = "a", modified: Int = 0, isBeside: Bool = false
  ) -> Plan.Wish {
    Plan.Wish(name: name, origin: origin, isBeside: isBeside, modified: modified)
  }

  /// Lets each question be answered at once until nothing is asked before `end`. Returns the names
  /// with the times of their questions.
  private func run(
    _ plan: inout Plan, from start: Duration = .zero, to end: Duration,
    answer: (String) -> Plan.End = { _ in .known }
  ) -> [(name: String, at: Duration)] {
    var (now, asked) = (start, [(name: String, at: Duration)]())
    while now < end {
      switch plan.next(at: now, mayAsk: true) {
      case .ask(let name, let origin):
        asked.append((name, now))
        plan.ended(name, of: origin, answer(name), at: now)
      case .wait(let time):
        #expect(time > now)
        now = time
      case .nothing: return asked
      }
    }
    return asked
  }

  @Test func theNewestComesFirstAndWhatLiesBesideFilmsLast() {
    var plan = Plan()
    plan.wants(
      [
        wish("old", modified: 1), wish("new", modified: 3),
        wish("text", modified: 9, isBeside: true),
        wish("middle", modified: 2),
      ], of: 1)
    plan.wants([wish("other feed", modified: 4)], of: 2)
    let names = run(&plan, to: .seconds(60)).map(\.name)
    #expect(names == ["other feed", "new", "middle", "old", "text"])
  }

  @Test func anOriginIsAskedTwiceASecondAndOthersBesideIt() {
    var plan = Plan()
    plan.wants((0..<20).map { wish("\($0)", at: $0 % 2 == 0 ? "a" : "b") }, of: 1)
    let asked = run(&plan, to: .seconds(60))
    #expect(asked.count == 20)
    #expect(asked.map(\.at).max() == .milliseconds(4500), "ten of each, half a second apart")
    #expect(Self.most == Figure.sizesASecond.count)
    #expect(Plan.maxAtOnce == Figure.background.count)
  }

  @Test func aSlowOriginHasTwoQuestionsAtMost() {
    var plan = Plan()
    plan.wants((0..<9).map { wish("\($0)") }, of: 1)
    var asked: [String] = []
    for second in 0..<9 {
      if case .ask(let name, _) = plan.next(at: .seconds(second), mayAsk: true) {
        asked.append(name)
      }
    }
    #expect(asked.count == 2)
    plan.ended(asked[0], of: "a", .known, at: .seconds(9))
    guard case .ask = plan.next(at: .seconds(9), mayAsk: true) else {
      Issue.record("the place is free")
      return
    }
  }

  @Test func nothingIsAskedWhereNothingMayBe() {
    var plan = Plan()
    plan.wants([wish("x")], of: 1)
    #expect(plan.next(at: .zero, mayAsk: false) == .nothing)
    #expect(plan.next(at: .zero, mayAsk: true) == .ask("x", of: "a"))
    plan.ended("x", of: "a", .takenBack, at: .zero)
    #expect(plan.next(at: .seconds(1), mayAsk: false) == .nothing)
    #expect(plan.next(at: .seconds(1), mayAsk: true) == .ask("x", of: "a"), "it was not answered")
  }

  /// Minutes that the origin asks for, and the minutes for which it is left alone.
  @Test(arguments: [(nil, 60), (1, 60), (60 * 24, 60 * 24)] as [(Int?, Int)])
  func aBusyOriginIsLeftAloneForAnHourOrAsLongAsItAsks(wait: Int?, rest: Int) {
    var plan = Plan()
    plan.wants([wish("x"), wish("y"), wish("z", at: "b")], of: 1)
    let asked = run(&plan, to: .seconds(60 * rest + 2)) { name in
      name == "x" ? .busy(wait.map { .seconds(60 * $0) }) : .known
    }
    #expect(asked.prefix(2).map(\.name) == ["x", "z"])
    #expect(asked.dropFirst(2).first?.at == .seconds(60 * rest))
    #expect(Plan.busyPause == Figure.sizesPause.time)
  }

  @Test func aSilentOriginIsAskedEverMoreSeldom() {
    var plan = Plan()
    plan.wants([wish("x")], of: 1)
    let times = run(&plan, to: .seconds(4 * 3600)) { _ in .silent }.map {
      Int(($0.at / .seconds(60)).rounded())
    }
    #expect(times == [0, 1, 3, 7, 15, 31, 63, 123, 183])
  }

  @Test func whatWasRefusedIsAskedOnce() {
    var plan = Plan()
    plan.wants([wish("gone", modified: 2), wish("film", modified: 1)], of: 1)
    let asked = run(&plan, to: .seconds(24 * 3600)) { $0 == "gone" ? .refused : .known }
    #expect(asked.map(\.name) == ["gone", "film"], "it holds up no other")
    plan.wants([wish("gone"), wish("gone at another address")], of: 1)
    let later = run(&plan, from: .seconds(90_000), to: .seconds(180_000))
    #expect(later.map(\.name) == ["gone at another address"])
  }

  @Test(arguments: [
    (501, Plan.End.refused), (505, .refused), (500, .silent), (502, .silent), (504, .silent),
  ])
  private func aServerThatNeverAnswersSuchAQuestionIsNotSilent(status: Int, end: Plan.End) {
    #expect(Plan.End(TransferEnd.serverError(status: status)) == end)
    #expect(Plan.End(HTTPError.status(url: "u", status)) == end)
  }

  @Test func anotherListingTakesTheOthersPlace() {
    var plan = Plan()
    plan.wants([wish("a"), wish("b")], of: 1)
    #expect(plan.next(at: .zero, mayAsk: true) == .ask("a", of: "a"))
    plan.wants([wish("a"), wish("c")], of: 1)
    plan.ended("a", of: "a", .known, at: .seconds(1))
    #expect(run(&plan, from: .seconds(1), to: .seconds(60)).map(\.name) == ["c"])
    plan.wants([], of: 1)
    #expect(plan.next(at: .seconds(99), mayAsk: true) == .nothing)
  }

  @Test func anOriginThatIsUsedUpWaitsForTheNextDay() {
    var plan = Plan()
    plan.wants([wish("x"), wish("z", at: "b")], of: 1)
    plan.closed("a", until: .seconds(600))
    #expect(run(&plan, to: .seconds(700)).map(\.at) == [.zero, .seconds(600)])
  }

  // MARK: The budget of a day

  private static let morning = 1_767_225_600

  @Test func anOriginIsAskedFiveHundredTimesADay() {
    var budget = ProbeBudget()
    let given = (0..<600).count { budget.take("https://a", at: Self.morning + $0) == nil }
    #expect(given == Figure.sizesADay.count)
    #expect(budget.take("https://a", at: Self.morning + 4000) == Self.morning + 86_400)
    #expect(budget.take("https://b", at: Self.morning + 4000) == nil)
    #expect(budget.take("https://a", at: Self.morning + 86_400) == nil)
    #expect(budget.take("https://a", at: Self.morning - 86_400) == nil, "the clock was set back")
  }

  @Test func theBudgetHoldsThroughARestartAndForAllMounts() throws {
    let folder = FilePath(FileManager.default.temporaryDirectory.path)
      .appending("sizes-\(UUID())")
    defer { try? FileManager.default.removeItem(atPath: folder.string) }
    let ledgers = [
      Ledger<ProbeBudget>(in: folder, on: .real), Ledger<ProbeBudget>(in: folder, on: .real),
    ]
    let given = (0..<600).count { number in
      ledgers[number % 2].take { $0.take("https://a", at: Self.morning) } == nil
    }
    #expect(given == Figure.sizesADay.count)
    #expect(
      Ledger<ProbeBudget>(in: folder, on: .real).take { $0.take("https://a", at: Self.morning + 1) }
        != nil)
  }

  @Test(arguments: [
    "", "x", "feedfs sizes 1\nx y z\n1 2\n-1 -5 https://a\n", "feedfs sizes 9\n1 1 a",
  ])
  func aDamagedBudgetIsAnEmptyOne(text: String) {
    #expect(ProbeBudget(text: text) == ProbeBudget())
  }
}
