import Foundation
import Storage
import SystemPackage
import Testing

@testable import FeedMount
@testable import Resolving

/// The budget of resolutions, as a value and on the disk.
@Suite(.timeLimit(.minutes(1)))
struct ResolutionBudgetTests {
  private static let start = 1_767_225_600

  /// Takes `count` at once; returns how many were given.
  private func take(
    _ count: Int, of budget: inout ResolutionBudget, for asker: PageAsker, at now: Int,
    site: String = "a.example"
  ) -> Int {
    (0..<count).count { _ in budget.take(site, for: asker, at: now) == nil }
  }

  @Test func anHourHasThirtyOfWhichTenAreForPlayers() {
    var budget = ResolutionBudget()
    #expect(take(200, of: &budget, for: .other, at: Self.start) == 20)
    #expect(take(200, of: &budget, for: .player, at: Self.start) == 10)
    #expect(budget.take("a.example", for: .player, at: Self.start) == Self.start + 3600)
    #expect(budget.take("a.example", for: .other, at: Self.start + 3599) == Self.start + 3600)
    #expect(take(200, of: &budget, for: .other, at: Self.start + 3600) == 20)
  }

  @Test func playersMayTakeAllAndThenNobodyGetsMore() {
    var budget = ResolutionBudget()
    #expect(take(40, of: &budget, for: .player, at: Self.start) == 30)
    #expect(take(1, of: &budget, for: .other, at: Self.start + 1) == 0)
  }

  @Test func eachSiteHasItsOwn() {
    var budget = ResolutionBudget()
    #expect(take(20, of: &budget, for: .other, at: Self.start) == 20)
    #expect(take(20, of: &budget, for: .other, at: Self.start, site: "b.example") == 20)
  }

  /// One a minute: 20 at first, then none until the first is an hour old, and then one a minute.
  @Test func thePeriodSlides() {
    var budget = ResolutionBudget()
    let given = (0..<180).filter { minute in
      budget.take("a.example", for: .other, at: Self.start + minute * 60) == nil
    }
    #expect(given == Array(0..<20) + Array(60..<80) + Array(120..<140))
    #expect(
      budget.take("a.example", for: .other, at: Self.start + 140 * 60) == Self.start + 180 * 60)
  }

  @Test func aClockThatIsSetBackLocksNobodyOut() {
    var budget = ResolutionBudget()
    #expect(take(30, of: &budget, for: .player, at: Self.start) == 30)
    #expect(take(1, of: &budget, for: .player, at: Self.start - 7 * 86_400) == 1)
  }

  @Test func itIsTheSameAfterItWasWrittenAndRead() {
    var budget = ResolutionBudget()
    _ = take(3, of: &budget, for: .other, at: Self.start)
    _ = take(2, of: &budget, for: .player, at: Self.start + 5, site: "b.example")
    #expect(ResolutionBudget(text: budget.text) == budget)
    #expect(budget.text.hasPrefix("feedfs resolutions 1\n\(Self.start) other a.example\n"))
  }

  @Test(arguments: [
    "", "feedfs resolutions 2\n1 other a\n", "\u{0}\u{0}",
    "feedfs resolutions 1\nx other a.example\n",
    "feedfs resolutions 1\n-5 other a.example\n", "feedfs resolutions 1\n5 nobody a.example\n",
    "feedfs resolutions 1\n99999999999999999999 other a.example\n",
  ])
  func whatCannotBeReadCountsNothing(text: String) {
    #expect(ResolutionBudget(text: text) == ResolutionBudget())
  }

  @Test func theTextStaysSmallWhateverSitesAFeedNames() {
    var budget = ResolutionBudget()
    for number in 0..<10_000 {
      _ = budget.take("\(number).example", for: .other, at: Self.start)
    }
    #expect(budget.text.utf8.count < 100_000)
  }

  @Test(arguments: [
    ("https://www.video.example/watch?v=1", "video.example"),
    ("https://m.video.example:8443/1", "video.example"), ("http://127.0.0.1:80/", "127.0.0.1"),
    ("https://media.example/", "media.example"), ("nothing", ""),
  ])
  func aSiteIsItsHost(page: String, site: String) {
    #expect(ResolutionBudget.site(of: page) == site)
  }

  @Test(arguments: [
    (["mpv", "bash"], PageAsker.player), (["vlc"], .player), (["myplayer", "feedfs"], .player),
    (["cat", "bash"], .other), (["file", "find"], .other), (["jellyfin", "systemd"], .other),
    ([], .other), (["", ""], .other), (["ffprobe", "mpv"], .other),
  ])
  func aPlayerIsKnownByItsName(processes: [String], asker: PageAsker) {
    #expect(PageAsker(of: processes) == asker)
  }

  // MARK: On the disk

  @Test func allProcessesShareItAndItStays() throws {
    let folder = FilePath(NSTemporaryDirectory() + "feedfs-budget-\(UUID())")
    defer { try? FileManager.default.removeItem(atPath: folder.string) }
    // Two ledgers, like two mounts; a third is like a restart.
    let ledgers = [
      Ledger<ResolutionBudget>(in: folder, on: .real),
      Ledger<ResolutionBudget>(in: folder, on: .real),
    ]
    let given = (0..<50).count {
      number in
      ledgers[number % 2].take { $0.take("a.example", for: .other, at: Self.start) } == nil
    }
    #expect(given == 20)
    let later = Ledger<ResolutionBudget>(in: folder, on: .real)
    #expect(
      later.take { $0.take("a.example", for: .other, at: Self.start + 60) } == Self.start + 3600)
    #expect(later.take { $0.take("a.example", for: .player, at: Self.start + 60) } == nil)
    let mode =
      try FileManager.default.attributesOfItem(
        atPath: folder.appending("resolutions").string)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func aDiskThatTakesNothingDoesNotLiftTheLimit() {
    let ledger = Ledger<ResolutionBudget>(in: "/proc/nowhere", on: .real)
    let given = (0..<50).count { _ in
      ledger.take { $0.take("a.example", for: .other, at: Self.start) } == nil
    }
    #expect(given == 20)
  }
}
