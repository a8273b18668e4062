import TestSupport
import Testing

@testable import FeedMount

struct FeedRefresherTests {
  @Test(arguments: [(true, 10, 20), (true, 30, 0), (true, 300, 0), (false, 300, nil)])
  func whatDidNotAnswerIsAskedAgainWhenSomethingElseDoes(
    isUnanswered: Bool, seconds: Int, wait: Int?
  ) {
    var report = FeedRefresher.Report()
    report.isUnanswered = isUnanswered

    #expect(report.comeback(after: .seconds(seconds)) == wait.map { .seconds($0) })
    #expect(wait.map { .seconds(seconds + $0) >= Figure.comeback.time } ?? !isUnanswered)
  }
}
