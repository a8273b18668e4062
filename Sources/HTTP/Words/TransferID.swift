/// The identity of one transfer of a client.
package struct TransferID: Hashable, Sendable {
  let number: Int
}

/// The right to answer one request. Several transfers can send the same request. The bytes come
/// only from the transfer that has the claim.
///
/// Belongs to the client's thread.
final class Claim {
  private var holder: TransferID?

  /// Gives the claim to `id` if no transfer has it. Returns whether `id` has it now.
  func take(_ id: TransferID) -> Bool {
    if holder == nil { holder = id }
    return holder == id
  }

  func isHeld(by id: TransferID) -> Bool { holder == id }

  /// Takes the claim from its holder. The first answer to the next request then gets it.
  func free() { holder = nil }
}
