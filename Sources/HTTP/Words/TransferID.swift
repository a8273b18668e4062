/// Names one transfer of a client.
package struct TransferID: Hashable, Sendable {
  let number: Int
}

/// Which of the transfers that ask the same thing has its answer: the bytes come from that one alone.
///
/// Belongs to the client's thread.
final class Claim {
  private var holder: TransferID?

  /// Whether `id` has it, or has it from now on.
  func take(_ id: TransferID) -> Bool {
    if holder == nil { holder = id }
    return holder == id
  }

  func isHeld(by id: TransferID) -> Bool { holder == id }
}
