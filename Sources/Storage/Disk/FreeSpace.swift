/// The space of the disk that must stay free (`--min-free`).
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

/// Decides whether the disk has room. It is asked before each write, but looks at the disk only now
/// and then. In between, granted bytes count as used.
struct FreeSpace: Sendable {
  /// The answer of the file system, in bytes.
  struct Look: Sendable {
    let free: Int
    let total: Int
  }

  private static let maxTrust = Duration.milliseconds(100)
  private static let maxGranted = 8 << 20  // bytes: a small part of any sensible minimum

  private let rule: FreeSpaceRule
  private var look: Look?
  private var lookedAt: ContinuousClock.Instant?
  /// Bytes that count as used although the last look did not find them so.
  private var granted = 0
  /// The value of `granted` when the present look was asked for; nil if no look is under way.
  private var grantedBefore: Int?

  init(_ rule: FreeSpaceRule) {
    self.rule = rule
  }

  /// Returns true if the last look is too old to rely on. Then the caller must look, and call
  /// `saw`. Until that call, the last look counts, and this returns false if there is one.
  mutating func mustLook(at now: ContinuousClock.Instant) -> Bool {
    guard grantedBefore == nil || look == nil else { return false }
    let isOld = lookedAt.map { now - $0 >= Self.maxTrust || granted >= Self.maxGranted } ?? true
    if isOld { grantedBefore = granted }
    return isOld
  }

  /// True if the file system has answered.
  var isKnown: Bool { look != nil }

  /// Notes a new look. It is nil if the file system did not answer, and then the disk counts as
  /// full. `pending` is the number of bytes that were granted before, and are still on their way to
  /// the disk.
  mutating func saw(_ look: Look?, pending: Int = 0, at now: ContinuousClock.Instant) {
    self.look = look
    lookedAt = now
    granted = pending + granted - (grantedBefore ?? granted)
    grantedBefore = nil
  }

  /// Returns whether `bytes` more may be written, and counts them if so.
  mutating func grant(_ bytes: Int) -> Bool {
    guard let look else { return false }
    let spare = look.free - granted - rule.minimum(ofDisk: look.total)
    guard spare >= bytes else { return false }
    granted += bytes
    return true
  }
}
