import Glibc
import Testing

/// Lives of a mount, of 40 steps each: 2,500, or 10,000 where the full counts are made (`FEEDFS_SOAK`).
///
/// `FEEDFS_SEEDS=n` lives through the first n only; `FEEDFS_SEED=n` lives through one again, and tells
/// what happens in it. A life that fails is told with as few steps as it needs to fail.
@Suite(.timeLimit(.minutes(20)))
struct LifeTests {
  private static let steps = 40
  /// More than there are cores: some of them are done sooner.
  private static let lanes = 4
  private static let seeds =
    number("FEEDFS_SEEDS") ?? (getenv("FEEDFS_SOAK") == nil ? 2_500 : 10_000)

  @Test(.enabled(if: LifeTests.number("FEEDFS_SEED") == nil))
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

  @Test(.enabled(if: LifeTests.number("FEEDFS_SEED") != nil)) func oneLifeIsToldAgain() async throws
  {
    let seed = try #require(Self.number("FEEDFS_SEED"))

    let complaint = try await onOwnThread { Self.live(seed) }

    #expect(complaint == nil, "\(complaint ?? "")")
  }

  /// The first complaint of one in so many lives; nil: there is none.
  private static func live(lane: Int) -> String? {
    for seed in stride(from: lane, to: seeds, by: lanes) {
      if let complaint = live(seed) { return complaint }
    }
    return nil
  }

  /// What went wrong, and how to see it again; nil: nothing.
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

  static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }
}
