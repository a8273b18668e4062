import Catalog
import Control
import Foundation
import TestSupport
import Testing

extension Promises {
  /// The first refreshes of a version that reads feeds by other rules than the one before.
  @Suite(.timeLimit(.minutes(2))) struct UpgradeTests {
    /// The rules that the snapshot names.
    enum Rules: String, CaseIterable, Sendable {
      case former, current

      var number: String {
        switch self {
        case .former: "\(PageFacts.currentRules - 1)"
        case .current: "\(PageFacts.currentRules)"
        }
      }
    }

    /// Without that one request, an origin that answers 304 would hide what the new rules find.
    @Test(arguments: DriveKind.all, Rules.allCases)
    func theFeedIsReadOnceWithoutConditionsAndThenWithThem(
      on drive: DriveKind, rules: Rules
    ) throws {
      let feed = try drive.drive()
      try feed.serve([PatternFile(name: "a", size: 10_000)])
      try feed.mount()
      try feed.unmount()
      try write(rules, below: feed.folder)
      let before = try feed.origin.log(below: "/feed").count
      try feed.mount()
      for _ in 1...3 { _ = try feed.refresh() }

      let requests = try feed.origin.log(below: "/feed").dropFirst(before)
      let conditional = requests.map { $0.headers["if-none-match"] != nil }
      #expect(conditional.count >= 3)
      #expect(conditional.first == (rules == .current))
      #expect(conditional.dropFirst().allSatisfy { $0 }, "\(conditional)")
      #expect(try feed.entries() == [1])
    }

    /// Makes the snapshot say that it was read by `rules`.
    private func write(_ rules: Rules, below folder: String) throws {
      let files = FileManager.default.enumerator(atPath: folder)
      let paths = (files?.compactMap { $0 as? String } ?? []).filter {
        $0.hasSuffix("/catalog.json")
      }
      let path = folder + "/" + (try #require(paths.first))
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let known = "\"rules\":\(PageFacts.currentRules)"
      #expect(paths.count == 1 && text.contains(known))
      let changed = text.replacing(known, with: "\"rules\":\(rules.number)")
      try Data(changed.utf8).write(to: URL(filePath: path))
    }
  }
}
