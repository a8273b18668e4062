import Testing

@testable import HTTP

/// The requests that share a connection of HTTP/2, and the others.
@Suite(.timeLimit(.minutes(1)))
struct SharingTests {
  private func isApart(
    _ priority: RangeRequest.Priority, _ others: [Duration?], isLimited: Bool = false
  ) -> Bool {
    Sharing.isApart(
      priority, beside: others, latency: .milliseconds(50), isLimited: isLimited)
  }

  @Test func aReaderWhoWaitsNeverWaitsForAConnection() {
    #expect(!isApart(.demand, []))
    #expect(!isApart(.demand, [.seconds(1), nil]))
  }

  @Test func aLaneHasAConnectionOfItsOwn() {
    #expect(isApart(.ahead, [.seconds(1)]))
    #expect(isApart(.ahead, [nil]))
    #expect(isApart(.ahead, [.milliseconds(10), .milliseconds(101)]))
  }

  @Test func theSuccessorOfARequestThatIsNearlyDoneFollowsItsConnection() {
    #expect(!isApart(.ahead, []))
    #expect(!isApart(.ahead, [.milliseconds(100), .milliseconds(10)]))
  }

  @Test func whatNobodyWaitsForOpensNothing() {
    #expect(!isApart(.background, [nil]))
  }

  @Test(arguments: [RangeRequest.Priority.demand, .ahead, .background])
  func underALimitNothingIsShared(priority: RangeRequest.Priority) {
    #expect(isApart(priority, [], isLimited: true))
  }
}
