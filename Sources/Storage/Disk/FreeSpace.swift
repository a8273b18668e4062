/// The part of the disk that must stay free (`--min-free`).
package enum FreeSpaceRule: Hashable, Codable, Sendable {
  /// A share of the whole file system in percent, 0 … 100.
  case percent(Double)
  case bytes(Int)

  package static let standard = percent(5)

  /// Bytes that must stay free on a disk of `total` bytes.
  package func minimum(ofDisk total: Int) -> Int {
    switch self {
    case .percent(let percent) where percent >= 100: total
    case .percent(let percent) where percent > 0: Int(Double(total) * (percent / 100))
    case .percent: 0
    case .bytes(let bytes): max(0, bytes)
    }
  }
}

/// Tells whether the disk has room. It is asked before each write, but looks at the disk only now
/// and then.
///
/// Between two looks, granted bytes count as used.
struct FreeSpace: Sendable {
  /// The answer of the file system, in bytes.
  struct Look: Sendable {
    let free: Int
    let total: Int
  }

  private static let longestTrust = Duration.milliseconds(100)
  private static let maxGranted = 8 << 20  // bytes: a small part of any sensible minimum

  private let rule: FreeSpaceRule
  private var look: Look?
  private var lookedAt: ContinuousClock.Instant?
  private var granted = 0

  init(_ rule: FreeSpaceRule) {
    self.rule = rule
  }

  /// True if the last look is too old to rely on.
  func mustLook(at now: ContinuousClock.Instant) -> Bool {
    guard let lookedAt else { return true }
    return now - lookedAt >= Self.longestTrust || granted >= Self.maxGranted
  }

  /// True if the file system has answered.
  var isKnown: Bool { look != nil }

  /// Notes a new look. It is nil if the file system did not answer, and then the disk counts as
  /// full.
  mutating func saw(_ look: Look?, at now: ContinuousClock.Instant) {
    self.look = look
    lookedAt = now
    granted = 0
  }

  /// Asks whether `bytes` more may be written. If so, counts them and returns true.
  mutating func grant(_ bytes: Int) -> Bool {
    guard let look else { return false }
    let spare = look.free - granted - rule.minimum(ofDisk: look.total)
    guard spare >= bytes else { return false }
    granted += bytes
    return true
  }
}
