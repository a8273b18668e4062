import Locks

/// The limit for the memory that all `MemoryRing`s use together. Each ring that is not empty gets
/// an equal part of it.
///
/// For any thread. A thread that holds the lock takes no other lock.
final class MemoryBudget: Sendable {
  private let total: Int
  private let least: Int
  private let rings = Locked(0)

  /// The one budget of the process, for all its feeds.
  static let ofProcess = MemoryBudget(total: 24 << 20, least: 512 << 10)

  /// - Parameters:
  ///   - total: the bytes for all rings together.
  ///   - least: the bytes that each ring gets, even if the sum exceeds `total`. They are enough for
  ///     one read of the kernel with its read-ahead.
  init(total: Int, least: Int) {
    self.total = total
    self.least = least
  }

  /// Notes that one more ring is not empty any more.
  func join() {
    rings.withLock { $0 += 1 }
  }

  func leave() {
    rings.withLock { $0 -= 1 }
  }

  /// The number of bytes that each ring is allowed to use at this moment.
  var part: Int {
    max(least, total / max(1, rings.withLock(\.self)))
  }
}
