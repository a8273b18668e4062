package import Blocks

/// The result of a request to lend bytes.
package enum Loan: Hashable, Sendable {
  /// The bytes were lent.
  case lent
  /// These blocks were missing, or were lost because the kernel could not read them.
  case lost([BlockIndex])
}
