import Host
import Settings
import Testing

@testable import CommandTools

struct SubscriptionRemarksTests {
  @Test(
    arguments: [
      (["a", "b"], []),
      (["x", "y", "x", "x"], ["several subscriptions have the name x, but only one gets the"]),
      (["a/b"], ["a subscription gets the folder a"]), ([], []),
    ] as [([String], [String])])
  func namesThatDoNotBecomeFoldersAreTold(names: [String], says: [String]) {
    let remarks = Subscriptions.remarks(
      on: names.map { Subscription(url: "https://example.org/", name: $0) })
    #expect(remarks.count == says.count)
    for (remark, words) in zip(remarks, says) { #expect(remark.hasPrefix(words), "\(remark)") }
  }

  @Test func ofANewOneOnlyWhatIsNewIsTold() {
    let old = ["x", "a/b"].map { (name: String) in
      Subscription(url: "https://example.org/\(name)", name: name)
    }
    func told(_ name: String?) -> [String] {
      Subscriptions.remarks(
        on: Subscription(url: "https://example.org/new", name: name), beside: old)
    }
    #expect(told("x") == ["several subscriptions have the name x, but only one gets the folder x"])
    #expect(told("c/d").count == 1 && told("y").isEmpty && told(nil).isEmpty)
  }

  @Test(arguments: ["", " ", ".", ".."])
  func aNameThatLeavesNothingForAFolderIsRefused(name: String) throws {
    let error = try #require(throws: CommandError.self) { try Subscriptions.check(name: name) }
    #expect(error.code == .usage)
  }

  @Test(arguments: ["/", "a/b", "untitled", "talks"])
  func aNameThatBecomesAFolderIsTaken(name: String) throws {
    try Subscriptions.check(name: name)
  }
}
