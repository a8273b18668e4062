import NIOConcurrencyHelpers

/// What all rings together may keep in memory: each that has something, an equal part.
///
/// For any thread; its lock is a leaf.
final class MemoryBudget: Sendable {
  private let total: Int
  private let least: Int
  private let rings = NIOLockedValueBox(0)

  /// There is one memory, however many feeds a process has mounted.
  static let ofProcess = MemoryBudget(total: 24 << 20, least: 512 << 10)

  /// - Parameters:
  ///   - total: bytes.
  ///   - least: bytes that a ring has even where that is more in all: what one read of the kernel and its
  ///     read-ahead take.
  init(total: Int, least: Int) {
    self.total = total
    self.least = least
  }

  /// Another ring has something from now on.
  func join() {
    rings.withLockedValue { $0 += 1 }
  }

  func leave() {
    rings.withLockedValue { $0 -= 1 }
  }

  /// Bytes that one ring may keep at this moment.
  var part: Int {
    max(least, total / max(1, rings.withLockedValue(\.self)))
  }
}
