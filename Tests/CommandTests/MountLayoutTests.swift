import FeedReading
import Testing

@testable import FeedMount

/// Which feed lies at the root of a mount of subscriptions, and what has to be done when they change.
struct MountLayoutTests {
  @Test(
    arguments: [
      // The feeds of one mount after another, and the one that has the root at the end.
      ([["a"]], "a"), ([["a", "b"]], nil),
      ([["a"], ["a", "b"]], "a"), ([["a"], ["b", "a"]], "a"),
      // The others keep their folders while the feed of the root is away, and when it is back.
      ([["a"], ["a", "b"], ["b"]], "a"), ([["a"], ["a", "b"], ["b"], ["b", "a"]], "a"),
      // A folder does not become the root when it is the last.
      ([["a", "b"], ["a"]], nil), ([["a", "b"], ["b"], ["b", "c"]], nil),
      // Nothing is left of what was here: the mount point begins anew.
      ([["a"], ["a", "b"], ["c"]], "c"), ([["a"], ["c", "d"]], nil), ([["a", "b"], ["c"]], "c"),
    ] as [([[String]], String?)])
  func theRootIsTheFeedThatHadItFirst(mounts: [[String]], root: String?) {
    var layout = MountLayout()
    for feeds in mounts { layout.begin(with: feeds) }
    #expect(layout.root == root)
    let last = Set(mounts.last ?? [])
    #expect(last.isSubset(of: Set(layout.folders + [root].compactMap(\.self))))
    #expect(!layout.folders.contains { $0 == root })
  }

  @Test func aFeedThatJoinsHasAFolderAndNeverTheRoot() {
    var layout = MountLayout()
    layout.begin(with: ["a", "b"])
    layout.join("c")
    layout.begin(with: ["c"])
    #expect(layout.root == nil && layout.folders == ["a", "b", "c"])
  }

  // MARK: Steps

  private typealias Member = SubscriptionChange.Member

  private func choice(_ host: String, name: String? = nil) -> FeedChoice {
    var choice = FeedChoice("http://\(host)/")
    choice.name = name
    return choice
  }

  private func key(_ host: String) -> String { "http://\(host)/" }

  @Test func nothingIsDoneWhileNothingHasChanged() {
    let members = [Member(key: key("a")), Member(key: key("b"), wish: "B")]
    #expect(
      SubscriptionChange.steps(from: members, to: [choice("b", name: "B"), choice("a")]) == [])
  }

  @Test func whatIsMissingLeavesAndWhatIsNewJoins() {
    let members = [Member(key: key("a")), Member(key: key("b"))]
    #expect(
      SubscriptionChange.steps(from: members, to: [choice("c"), choice("b"), choice("c")]) == [
        .leave(key("a")), .join(choice("c")),
      ])
  }

  @Test func aFeedThatLeavesIsToldSoOnceAndMayStay() {
    let members = [Member(key: key("a"), isLeaving: true)]
    #expect(SubscriptionChange.steps(from: members, to: []) == [])
    #expect(
      SubscriptionChange.steps(from: members, to: [choice("a", name: "A")]) == [
        .stay(key("a")), .rename(key("a"), to: "A"),
      ])
  }

  @Test func aNameGivenTakenBackOrChangedRenames() {
    for (before, after) in [(nil, "A"), ("A", nil), ("A", "B")] as [(String?, String?)] {
      #expect(
        SubscriptionChange.steps(
          from: [Member(key: key("a"), wish: before)], to: [choice("a", name: after)])
          == [.rename(key("a"), to: after)])
    }
  }

  @Test func otherRulesAreTakenAtOnce() throws {
    var (member, other) = (Member(key: key("a")), choice("a"))
    other.rules.newest = 3
    #expect(
      SubscriptionChange.steps(from: [member], to: [other])
        == [.sift(key("a"), by: other.rules)])
    member.rules = other.rules
    #expect(SubscriptionChange.steps(from: [member], to: [other]) == [])
    #expect(
      SubscriptionChange.steps(from: [member], to: [choice("a")])
        == [.sift(key("a"), by: EntryRules())])
  }

  @Test func whatIsKeptChangesAtOnce() {
    var (member, other) = (Member(key: key("a")), choice("a"))
    other.keep = .newest(3)
    #expect(
      SubscriptionChange.steps(from: [member], to: [other]) == [.keep(key("a"), .newest(3))])
    member.keep = .newest(3)
    #expect(SubscriptionChange.steps(from: [member], to: [other]) == [])
    #expect(SubscriptionChange.steps(from: [member], to: [choice("a")]) == [.keep(key("a"), nil)])
  }

  @Test func otherSettingsAreNoChange() {
    var other = choice("a")
    other.refreshInterval = .seconds(60)
    #expect(SubscriptionChange.steps(from: [Member(key: key("a"))], to: [other]) == [])
  }

  @Test func anotherLoginIsTheSameFeed() {
    let other = FeedChoice("http://me:secret@a/")
    #expect(SubscriptionChange.steps(from: [Member(key: key("a"))], to: [other]) == [])
  }
}
