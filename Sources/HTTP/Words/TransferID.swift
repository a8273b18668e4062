/// The identity of one transfer of a client.
package struct TransferID: Hashable, Sendable {
  let number: Int
}

/// The right to the answer among transfers that ask the same: the bytes come from its holder alone.
///
/// Belongs to the client's thread.
final class Claim {
  private var holder: TransferID?

  /// Gives the claim to `id` if it is free; returns whether `id` holds it.
  func take(_ id: TransferID) -> Bool {
    if holder == nil { holder = id }
    return holder == id
  }

  func isHeld(by id: TransferID) -> Bool { holder == id }
}
