import Locks

/// The memory that all rings together may use. Each ring that is not empty gets an equal part.
///
/// For any thread; the lock is a leaf.
final class MemoryBudget: Sendable {
  private let total: Int
  private let least: Int
  private let rings = Locked(0)

  /// The one budget of the process, for all its feeds.
  static let ofProcess = MemoryBudget(total: 24 << 20, least: 512 << 10)

  /// - Parameters:
  ///   - total: the bytes for all rings together.
  ///   - least: the bytes that each ring gets, even if the sum exceeds `total`: as many as one read
  ///     of the kernel with its read-ahead.
  init(total: Int, least: Int) {
    self.total = total
    self.least = least
  }

  /// Notes that another ring is no longer empty.
  func join() {
    rings.withLock { $0 += 1 }
  }

  func leave() {
    rings.withLock { $0 -= 1 }
  }

  /// The bytes that one ring may use at this moment.
  var part: Int {
    max(least, total / max(1, rings.withLock(\.self)))
  }
}
