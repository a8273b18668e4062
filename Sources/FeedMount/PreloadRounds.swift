/// When it is looked at again whether what is fetched for nobody comes: less and less often while it does
/// not, since it may never, and nobody waits for it.
struct PreloadRounds: Sendable {
  private static let longest: Duration = .seconds(60)

  private var delay: Duration = .seconds(1)
  private var bytes = 0

  /// How long to wait; no longer than a second where somebody does wait.
  func next(isAwaited: Bool) -> Duration {
    isAwaited ? .seconds(1) : delay
  }

  /// So much is kept now of what is fetched.
  mutating func saw(_ bytes: Int) {
    delay = bytes == self.bytes ? min(delay * 2, Self.longest) : .seconds(1)
    self.bytes = bytes
  }
}
