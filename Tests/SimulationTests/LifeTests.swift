import Glibc
import TestSupport
import Testing

/// 600 lives of a mount, of 40 steps each; 10,000 in a full count (`FEEDFS_SOAK`).
///
/// `FEEDFS_SEEDS=n` runs only the first n lives. `FEEDFS_SEED=n` repeats one life and tells its
/// story. A failing life is reported with as few steps as it needs to fail.
@Suite(.timeLimit(.minutes(20)))
struct LifeTests {
  private static let steps = 40
  /// More lanes than cores, because some finish sooner.
  private static let lanes = 4
  private static let seeds =
    number("FEEDFS_SEEDS").map { Array(0..<$0) } ?? Scale.trials(600, of: 10_000)

  @Test(.enabled(if: Scale.only == nil))
  func everyPromiseHoldsWhateverHappens() async throws {
    let complaints = try await withThrowingTaskGroup(of: String?.self, returning: [String].self) {
      group in
      for lane in 0..<Self.lanes {
        group.addTask { try await onOwnThread { Self.live(lane: lane) } }
      }
      var complaints: [String] = []
      for try await complaint in group { if let complaint { complaints.append(complaint) } }
      return complaints
    }

    for complaint in complaints { Issue.record("\(complaint)") }
  }

  @Test(.enabled(if: Scale.only != nil)) func oneLifeIsToldAgain() async throws {
    let seed = try #require(Scale.only)

    let complaint = try await onOwnThread { Self.live(seed) }

    #expect(complaint == nil, "\(complaint ?? "")")
  }

  /// Runs the lives of one lane; returns the first complaint, or nil.
  private static func live(lane: Int) -> String? {
    for place in stride(from: lane, to: seeds.count, by: lanes) {
      if let complaint = live(seeds[place]) { return complaint }
    }
    return nil
  }

  /// Runs one life; returns the failure and how to repeat it, or nil.
  private static func live(_ seed: Int) -> String? {
    let steps = Step.life(UInt64(seed), count: Self.steps)
    guard let complaint = Simulation(seed: UInt64(seed)).run(steps) else { return nil }
    let few = Shrinking(steps) { Simulation(seed: UInt64(seed)).run($0) != nil }.steps
    let last = Simulation(seed: UInt64(seed), isTelling: true)
    let final = last.run(few) ?? complaint
    return """
      \(complaint)
      FEEDFS_SEED=\(seed) SWIFT_DETERMINISTIC_HASHING=1 tells it again. \
      With \(few.count) steps: \(final)
      \(last.story.joined(separator: "\n"))
      """
  }

  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }
}
