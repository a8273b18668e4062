package import Blocks

/// The result of a request to lend bytes.
package enum Loan: Hashable, Sendable {
  /// The bytes were lent.
  case lent
  /// Nothing was lent, or the kernel could not read what was lent. These blocks are missing, or
  /// were dropped because their bytes were wrong or could not be read.
  case lost([BlockIndex])
}
