import TestSupport
import Testing

/// The length that a feed claims for its files.
enum Claim: CaseIterable, Sendable {
  case right, none, zero, one, tooLarge, tooSmall

  /// The claim of all feeds in the running test: see `EachClaim`.
  @TaskLocal static var current = Claim.right

  /// The minutes that a test may take with its claims: three in a sample of two, more in full counts.
  static let minutes = Scale.isFull ? 9 : 3

  /// The options that mounts of the running test need. Where a feed claims no length, feedfs would ask
  /// for sizes beside what the test counts.
  static var options: [String] {
    [.none, .zero, .one].contains(current) ? ["--sizes", "open"] : []
  }

  /// The attribute of an enclosure for a file of `size` bytes.
  func attribute(of size: Int) -> String {
    switch self {
    case .right: "length=\"\(size)\""
    case .none: ""
    case .zero: "length=\"0\""
    case .one: "length=\"1\""
    case .tooLarge: "length=\"\(2 * size + 20_000)\""
    // A claim below 16 KiB is not believed of any film.
    case .tooSmall: "length=\"\(max(size / 2, min(size, 16 << 10)))\""
    }
  }
}

/// Runs each test of a suite a second time, with a feed that claims no length or a wrong one. The
/// test's name selects the claim; full counts (`FEEDFS_SOAK`) run all of them.
struct EachClaim: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let wrong = Claim.allCases.filter { $0 != .right }
    let place = test.name.utf8.reduce(0) { $0 + Int($1) } % wrong.count
    for claim in [.right] + (Scale.isFull ? wrong : [wrong[place]]) {
      try await Claim.$current.withValue(claim) { try await function() }
    }
  }
}

extension Trait where Self == EachClaim {
  /// The promises hold whatever lengths the feed claims.
  static var whateverLengthTheFeedClaims: EachClaim { EachClaim() }
}
