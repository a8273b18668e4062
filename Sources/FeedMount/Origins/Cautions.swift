import Addresses
import Blocks
import Locks

/// The origins that gave a wrong answer: it continued at a wrong place, and then broke off. Later
/// requests to these origins ask for small pieces, so that the next wrong answer spoils few bytes.
///
/// Safe from any thread. Takes no other lock while it holds its own.
final class Cautions: Sendable {
  /// After an origin's last wrong answer, this many bytes are asked for in small pieces.
  private static let reach = 1 << 30
  /// The size of a small piece, in bytes.
  private static let piece = 1 << 20
  /// The largest number of remembered origins. When it is reached, all of them are forgotten.
  private static let maxOrigins = 256

  private let left = Locked<[OriginName: Int]>([:])

  /// Notes that an answer from `url` broke off, and that it had continued at a wrong place before.
  func wasWrong(_ url: String) {
    guard let origin = (try? WebAddress(parsing: url))?.origin else { return }
    left.withLock { left in
      if left.count >= Self.maxOrigins { left = [:] }
      left[origin] = Self.reach
    }
  }

  /// Returns the first part of `bytes` to ask for at `url`. It is at most one small piece if the
  /// origin had a wrong answer, else all of `bytes`. The part ends at a multiple of a piece's size,
  /// so that a proxy that caches slices of this size needs only one slice. Only a part that begins
  /// at most 8 KiB before such a multiple reaches beyond it.
  func cut(_ bytes: ByteRange, at url: String) -> ByteRange {
    left.withLock { left in
      guard !left.isEmpty, let origin = (try? WebAddress(parsing: url))?.origin,
        let rest = left[origin]
      else { return bytes }
      // 8 KiB are two overlaps. An overlap is a run of bytes that are only compared with cached
      // ones. A part that begins with an overlap shortly before an edge does not end at that edge.
      let edge = ((bytes.lowerBound + (8 << 10)) / Self.piece + 1) * Self.piece
      let end = min(bytes.upperBound, edge, bytes.lowerBound + Self.piece)
      left[origin] = rest > end - bytes.lowerBound ? rest - (end - bytes.lowerBound) : nil
      return bytes.lowerBound..<end
    }
  }
}
