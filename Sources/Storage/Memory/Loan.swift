package import Blocks

/// The result of a request to lend bytes.
package enum Loan: Hashable, Sendable {
  /// The bytes were lent, and taken.
  case lent
  /// These blocks are missing, or are lost from now on.
  case lost([BlockIndex])
}
