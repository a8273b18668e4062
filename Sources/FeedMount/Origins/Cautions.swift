import Addresses
import Blocks
import Locks

/// The origins with a wrong answer: it continued at a wrong place, and then broke off. Later
/// requests to them ask for small pieces, so that the next wrong answer spoils few bytes.
///
/// Safe from any thread; its lock is a leaf.
final class Cautions: Sendable {
  /// After an origin's last wrong answer, this many bytes are asked for in small pieces.
  private static let reach = 1 << 30
  /// Bytes of a small piece.
  private static let piece = 1 << 20
  /// The limit for remembered origins. At the limit all are forgotten.
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

  /// Returns the first part of `bytes` to ask for at `url`: one small piece at most if the origin
  /// had a wrong answer, else all of `bytes`. The part ends at a multiple of a piece's size, so
  /// that a proxy with slices of that size needs only one of them. Only a part that begins shortly
  /// before such an edge reaches across it.
  func cut(_ bytes: ByteRange, at url: String) -> ByteRange {
    left.withLock { left in
      guard !left.isEmpty, let origin = (try? WebAddress(parsing: url))?.origin,
        let rest = left[origin]
      else { return bytes }
      // 8 KiB are two overlaps. The bytes of an overlap are only compared. If a part begins with an
      // overlap before an edge, it does not end at that edge.
      let edge = ((bytes.lowerBound + (8 << 10)) / Self.piece + 1) * Self.piece
      let end = min(bytes.upperBound, edge, bytes.lowerBound + Self.piece)
      left[origin] = rest > end - bytes.lowerBound ? rest - (end - bytes.lowerBound) : nil
      return bytes.lowerBound..<end
    }
  }
}
