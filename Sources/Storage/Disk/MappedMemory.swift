import Locks

/// Limits the memory of this process that consists of pages of mapped files. For any thread.
final class MappedMemory: Sendable {
  private let extents = Locked(MappedExtents<Mapping>())
  private let others: @Sendable () -> Int

  /// - Parameter others: returns the number of bytes of other memory that counts toward the same
  ///   limit.
  init(beside others: @escaping @Sendable () -> Int) {
    self.others = others
  }

  /// Notes that `range` of `mapping` was lent. If too many pages are mapped now, releases the pages
  /// of all mappings. `range` must not be empty.
  func lent(_ range: Range<Int>, of mapping: Mapping) {
    let extent = MappedExtents<Mapping>.extent
    let taken = (others() + extent - 1) / extent
    let full = extents.withLock { $0.touched(range, by: mapping, beside: taken) }
    for mapping in full { mapping.release() }
  }

  /// Forgets `mapping`, so that this object does not keep it alive any more.
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

/// Counts how much memory the pages of all mappings take up.
///
/// It counts in units of 2 MiB, the size of the largest folio of the page cache. Since Linux 6.18 a
/// page fault maps a whole folio, even if the read needs only a few bytes of it.
struct MappedExtents<Owner: Hashable & Sendable>: Sendable {
  /// The size of a unit in bytes.
  static var extent: Int { 2 << 20 }
  /// The limit for the number of mapped units. Mapped pages count as memory of the process.
  private let most: Int
  private var count = 0
  private var last: [Owner: Int] = [:]

  init(most: Int = 4) {
    self.most = most
  }

  /// Notes that `range` of the mapping of `owner` was read. If all mappings together reach the
  /// limit, returns their owners, and the caller must release their pages now. `taken` units of the
  /// limit are in use for other memory. `range` must not be empty.
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

  /// Forgets `owner`, so that `touched` does not return it any more.
  mutating func forget(_ owner: Owner) {
    last[owner] = nil
  }
}
