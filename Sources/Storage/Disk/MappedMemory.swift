import NIOConcurrencyHelpers

/// Keeps the mappings of all files together small. For any thread; the lock is a leaf.
final class MappedMemory: Sendable {
  private let stretches = NIOLockedValueBox(MappedStretches<Mapping>())

  /// `range` of `mapping`, not empty, was lent: gives pages back where that is much.
  func lent(_ range: Range<Int>, of mapping: Mapping) {
    let full = stretches.withLockedValue { $0.touched(range, by: mapping) }
    for mapping in full { mapping.release() }
  }

  /// `mapping` is looked at no more: it is not kept for what was lent of it.
  func forget(_ mapping: Mapping) {
    stretches.withLockedValue { $0.forget(mapping) }
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

/// Counts how much of the mappings the kernel has filled with pages, over all files.
///
/// In stretches of 2 MiB, the largest folio of the page cache: since Linux 6.18 a fault maps the whole
/// folio, however little was asked for.
struct MappedStretches<Owner: Hashable & Sendable>: Sendable {
  /// Bytes.
  static var stretch: Int { 2 << 20 }
  /// Stretches that may be mapped: mapped pages count as memory of the process.
  private let most: Int
  private var count = 0
  private var last: [Owner: Int] = [:]

  init(most: Int = 4) {
    self.most = most
  }

  /// `range`, not empty, was looked at; returns whose mappings are to be emptied now.
  mutating func touched(_ range: Range<Int>, by owner: Owner) -> [Owner] {
    let first = range.lowerBound / Self.stretch
    let end = (range.upperBound - 1) / Self.stretch
    count += end - first + (last[owner] == first ? 0 : 1)
    last[owner] = end
    guard count >= most else { return [] }
    defer {
      count = 0
      last = [:]
    }
    return Array(last.keys)
  }

  /// `owner` is not to be named any more.
  mutating func forget(_ owner: Owner) {
    last[owner] = nil
  }
}
