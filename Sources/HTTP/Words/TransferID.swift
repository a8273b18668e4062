/// The identity of one transfer of a client.
package struct TransferID: Hashable, Sendable {
  let number: Int
}

/// The right to answer one request. Several transfers may send that request, and the bytes come
/// only from the transfer that holds the claim.
///
/// Belongs to the client's thread.
final class Claim {
  private var holder: TransferID?

  /// Gives the claim to `id` if it is free. Returns whether `id` holds it.
  func take(_ id: TransferID) -> Bool {
    if holder == nil { holder = id }
    return holder == id
  }

  func isHeld(by id: TransferID) -> Bool { holder == id }

  /// Lets the first answer to the next request take the claim.
  func free() { holder = nil }
}
