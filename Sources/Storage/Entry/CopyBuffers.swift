import NIOConcurrencyHelpers

/// Memory for copies that are needed for a moment, used over and over. For any thread; the lock is a
/// leaf, and not held while a buffer is used.
final class CopyBuffers: Sendable {
  /// Buffers that are kept: as many as threads answer reads. Each is as long as the longest read.
  private static let most = 5

  private let free = NIOLockedValueBox<[[UInt8]]>([])

  /// Calls `body` with at least `count` bytes, whatever is in them.
  func with<Result>(_ count: Int, _ body: (inout [UInt8]) -> Result) -> Result {
    var buffer = free.withLockedValue { $0.popLast() } ?? []
    if buffer.count < count { buffer = [UInt8](repeating: 0, count: count) }
    let result = body(&buffer)
    free.withLockedValue { [buffer] free in
      if free.count < Self.most { free.append(buffer) }
    }
    return result
  }
}
