/// A number that names a thing. `Kind` says what kind of thing, so the compiler rejects the number
/// of a wait where that of a fetch is needed.
///
/// The first thing has the number 1.
package struct Identifier<Kind>: Hashable, Comparable, Sendable {
  package let value: Int

  package init(_ value: Int) {
    self.value = value
  }

  /// The number 0, which names nothing.
  package static var none: Self { Self(0) }

  /// The next number.
  package var next: Self { Self(value + 1) }

  package static func < (left: Self, right: Self) -> Bool { left.value < right.value }

  /// Hashes as `Int` does. The hash that Swift would derive costs each cached read 220
  /// instructions.
  package func _rawHashValue(seed: Int) -> Int { value._rawHashValue(seed: seed) }

  package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// Shows the number alone in the log.
extension Identifier: CustomStringConvertible {
  package var description: String { "\(value)" }
}

/// Lets tests write the number itself.
extension Identifier: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: Int) {
    self.init(value)
  }
}

/// Marks the numbers of waits.
package enum WaitKind {}
/// Marks the numbers of handles.
package enum HandleKind {}

/// The name of a waiting read or open; unique within one version.
package typealias WaitID = Identifier<WaitKind>
/// The name of an open handle, unique within one version.
package typealias HandleID = Identifier<HandleKind>
