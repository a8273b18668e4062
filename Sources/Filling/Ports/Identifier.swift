/// A number that identifies one thing of a kind, for example a wait or a fetch. `Kind` makes the
/// numbers of each kind a type of their own, so the compiler rejects the number of a wait where the
/// number of a fetch is needed.
///
/// The first number that is given is 1.
package struct Identifier<Kind>: Hashable, Comparable, Sendable {
  package let value: Int

  package init(_ value: Int) {
    self.value = value
  }

  /// The number 0, which identifies nothing.
  package static var none: Self { Self(0) }

  /// The next number.
  package var next: Self { Self(value + 1) }

  package static func < (left: Self, right: Self) -> Bool { left.value < right.value }

  /// Hashes as `Int` does. The hash that Swift derives would cost each cached read 220
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

/// The `Kind` of the identifiers of waits.
package enum WaitKind {}
/// The `Kind` of the identifiers of handles.
package enum HandleKind {}

/// The identifier of a waiting read or open; unique within one version.
package typealias WaitID = Identifier<WaitKind>
/// The identifier of an open handle; unique within one version.
package typealias HandleID = Identifier<HandleKind>
