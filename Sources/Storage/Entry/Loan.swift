package import Blocks

/// How a request to lend bytes ended.
package enum Loan: Hashable, Sendable {
  /// The bytes were handed on, and taken.
  case lent
  /// These blocks are not there, or no longer: they count as absent from now on.
  case lost([BlockIndex])
}
