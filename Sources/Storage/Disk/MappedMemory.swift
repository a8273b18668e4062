import NIOConcurrencyHelpers

/// Keeps the number of mapped pages of all files small. For any thread. The lock is a leaf.
final class MappedMemory: Sendable {
  private let extents = NIOLockedValueBox(MappedExtents<Mapping>())
  private let others: @Sendable () -> Int

  /// - Parameter others: returns the bytes of other memory, which takes room from the mapped pages.
  init(beside others: @escaping @Sendable () -> Int) {
    self.others = others
  }

  /// Notes that `range` of `mapping` was lent, and gives pages back if there are many. `range` must
  /// not be empty.
  func lent(_ range: Range<Int>, of mapping: Mapping) {
    let extent = MappedExtents<Mapping>.extent
    let taken = (others() + extent - 1) / extent
    let full = extents.withLockedValue { $0.touched(range, by: mapping, beside: taken) }
    for mapping in full { mapping.release() }
  }

  /// Forgets `mapping`, so this object no longer keeps it alive.
  func forget(_ mapping: Mapping) {
    extents.withLockedValue { $0.forget(mapping) }
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
  /// Bytes of one unit.
  static var extent: Int { 2 << 20 }
  /// The most units that may be mapped. The limit exists because mapped pages count as memory of
  /// the process.
  private let most: Int
  private var count = 0
  private var last: [Owner: Int] = [:]

  init(most: Int = 4) {
    self.most = most
  }

  /// Notes that `range` was read, and returns the owners of the mappings to empty now. `range` must
  /// not be empty. Other memory takes the room of `taken` units.
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
