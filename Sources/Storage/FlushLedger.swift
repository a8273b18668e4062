/// When to flush: 2 s after the first unflushed byte, or as soon as there are 32 MiB.
struct FlushLedger: Sendable {
  enum Step: Hashable, Sendable {
    case nothing
    /// Flush when the longest delay is over.
    case arm
    /// Flush at once.
    case flush
  }

  private let mostBytes: Int
  private var bytes = 0
  private var isArmed = false
  private var isDue = false

  init(mostBytes: Int = 32 << 20) {
    self.mostBytes = mostBytes
  }

  mutating func wrote(_ count: Int) -> Step {
    bytes += count
    if bytes >= mostBytes, !isDue {
      isDue = true
      return .flush
    }
    guard !isArmed else { return .nothing }
    isArmed = true
    return .arm
  }

  /// The delay is over: the next write starts a new one.
  mutating func elapsed() {
    isArmed = false
  }

  /// A flush begins, of everything so far.
  mutating func began() {
    bytes = 0
    isDue = false
  }
}
