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
