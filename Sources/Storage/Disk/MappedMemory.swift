import Locks

/// Keeps the number of mapped pages of all files small. For any thread. The lock is a leaf.
final class MappedMemory: Sendable {
  private let extents = Locked(MappedExtents<Mapping>())
  private let others: @Sendable () -> Int

  /// - Parameter others: returns the bytes of other memory that counts toward the same limit.
  init(beside others: @escaping @Sendable () -> Int) {
    self.others = others
  }

  /// Notes that `range` of `mapping` was lent, and gives pages back if there are too many. `range`
  /// must not be empty.
  func lent(_ range: Range<Int>, of mapping: Mapping) {
    let extent = MappedExtents<Mapping>.extent
    let taken = (others() + extent - 1) / extent
    let full = extents.withLock { $0.touched(range, by: mapping, beside: taken) }
    for mapping in full { mapping.release() }
  }

  /// Forgets `mapping`, so this object no longer keeps it alive.
  func forget(_ mapping: Mapping) {
    extents.withLock { $0.forget(mapping) }
  }
}

extension Mapping: Hashable {
  static func == (left: Mapping, right: Mapping) -> Bool {
    left === right
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// Counts how much of all mappings the kernel has filled with pages.
///
/// It counts in units of 2 MiB, the largest folio of the page cache. Since Linux 6.18 a fault maps
/// the whole folio, even if the read needs only a few bytes.
struct MappedExtents<Owner: Hashable & Sendable>: Sendable {
  /// The size of a unit in bytes.
  static var extent: Int { 2 << 20 }
  /// The limit for mapped units. Mapped pages count as memory of the process.
  private let most: Int
  private var count = 0
  private var last: [Owner: Int] = [:]

  init(most: Int = 4) {
    self.most = most
  }

  /// Notes that `range` was read, which must not be empty. If all mappings together reach the
  /// limit, returns their owners, which must empty them now. `taken` units of the limit are in use
  /// for other memory.
  mutating func touched(_ range: Range<Int>, by owner: Owner, beside taken: Int = 0) -> [Owner] {
    let first = range.lowerBound / Self.extent
    let end = (range.upperBound - 1) / Self.extent
    count += end - first + (last[owner] == first ? 0 : 1)
    last[owner] = end
    guard count >= max(1, most - taken) else { return [] }
    defer {
      count = 0
      last = [:]
    }
    return Array(last.keys)
  }

  /// Forgets `owner`, so that `touched` no longer returns it.
  mutating func forget(_ owner: Owner) {
    last[owner] = nil
  }
}
