package import Blocks

/// The result of a request to lend bytes.
package enum Loan: Hashable, Sendable {
  /// The bytes were lent.
  case lent
  /// These blocks were missing, or are lost from now on. Nothing was lent.
  case lost([BlockIndex])
}
