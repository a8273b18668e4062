import Testing

@testable import FeedMount

struct FeedRefresherTests {
  @Test(arguments: [(true, 29, false), (true, 30, true), (false, 300, false)])
  func whatDidNotAnswerIsAskedAgainWhenSomethingElseDoes(
    isUnanswered: Bool, seconds: Int, isDue: Bool
  ) {
    var report = FeedRefresher.Report()
    report.failures = 1
    report.isUnanswered = isUnanswered

    #expect(report.mayBeOver(after: .seconds(seconds)) == isDue)
  }
}
