import Settings
import Testing

@testable import CommandTools

struct SubscriptionRemarksTests {
  @Test(
    arguments: [
      (["a", "b"], []),
      (["x", "y", "x", "x"], ["several subscriptions are called x; only one gets the"]),
      (["a/b"], ["a subscription gets the folder a"]), ([], []),
    ] as [([String], [String])])
  func namesThatDoNotBecomeFoldersAreTold(names: [String], says: [String]) {
    let remarks = Subscriptions.remarks(
      on: names.map { Subscription(url: "https://example.org/", name: $0) })
    #expect(remarks.count == says.count)
    for (remark, words) in zip(remarks, says) { #expect(remark.hasPrefix(words), "\(remark)") }
  }
}
