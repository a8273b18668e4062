import NIOConcurrencyHelpers

/// An open that waits until the disk has said what it has of the file: whoever ends the wait first answers.
final class DiskOpen: Sendable {
  private let hasEnded = NIOLockedValueBox(false)

  /// False: somebody else has ended it.
  func end() -> Bool {
    hasEnded.withLockedValue { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
  }
}
