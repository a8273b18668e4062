import Testing

@testable import HTTP

/// Whether the Last-Modified of an answer tells versions apart.
@Suite(.timeLimit(.minutes(1)))
struct StatedDateTests {
  /// - Parameter sent: the Date; without one the answer came an hour after 12:45:26.
  private func date(_ modified: String?, at sent: String? = nil) -> StatedDate? {
    var head = ResponseHead(status: 200)
    if let modified { head.add("Last-Modified", "Tue, 15 Nov 1994 \(modified) GMT") }
    if let sent { head.add("Date", "Tue, 15 Nov 1994 \(sent) GMT") }
    return StatedDate(head, now: 784_903_526 + 3600)
  }

  @Test(arguments: [
    ("12:45:26", "12:45:26", true), ("12:45:26", "12:46:25", true), ("12:45:26", "12:46:26", false),
    ("12:45:26", "12:40:00", true), ("12:45:26", "13:45:26", false), ("12:45:26", nil, false),
    // RFC 9110 §6.6.1: without a Date it is the time at which the answer came.
    ("13:45:20", nil, true),
  ])
  func aDateOfTheLastMinuteIsWeak(modified: String, sent: String?, isWeak: Bool) throws {
    #expect(try #require(date(modified, at: sent)).isWeak == isWeak)
  }

  @Test func noDateAndNonsenseAreNone() {
    #expect(date(nil, at: "12:45:26") == nil)
    #expect(StatedDate(ResponseHead(status: 200, ["Last-Modified": "soon"])) == nil)
  }

  /// Last-Modified and Date of a later answer, after one of 12:45:26 at 12:45:26.
  @Test(arguments: [
    ("12:45:26", "12:45:28", true), ("12:45:26", "12:50:00", true), ("12:45:26", "12:45:26", false),
    // It may be the time of the answer.
    ("12:45:26", "12:45:27", false), ("12:45:28", "12:45:28", false), ("12:45:26", nil, true),
  ])
  func aLaterAnswerWithTheSameDateConfirmsIt(
    modified: String, sent: String?, isConfirmed: Bool
  ) throws {
    let earlier = try #require(date("12:45:26", at: "12:45:26"))
    #expect(try #require(date(modified, at: sent)).confirms(earlier) == isConfirmed)
  }
}
