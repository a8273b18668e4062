import Blocks
import HTTP
import NIOConcurrencyHelpers

/// Which origins have given wrong bytes behind a break: what they are asked for next comes in small pieces, so
/// that an answer that goes wrong does so for few bytes.
///
/// Safe from any thread; its lock is a leaf.
final class Cautions: Sendable {
  /// For how many bytes of an origin that lasts.
  private static let reach = 1 << 30
  /// Bytes that are asked for at once, at most.
  private static let piece = 1 << 20
  /// Origins at once.
  private static let most = 256

  private let left = NIOLockedValueBox<[OriginName: Int]>([:])

  /// An answer from `url` went on elsewhere behind a break.
  func wasWrong(_ url: String) {
    guard let origin = (try? WebURL(parsing: url))?.origin else { return }
    left.withLockedValue { left in
      if left.count >= Self.most { left = [:] }
      left[origin] = Self.reach
    }
  }

  /// The first part of `bytes` to ask for at `url`. It ends where a piece ends, so that none lies across two
  /// of a proxy's slices where these are as large.
  func cut(_ bytes: ByteRange, at url: String) -> ByteRange {
    left.withLockedValue { left in
      guard !left.isEmpty, let origin = (try? WebURL(parsing: url))?.origin, let rest = left[origin]
      else { return bytes }
      // Two overlaps of 4 KiB: bytes that are only compared before an edge are no piece of their own.
      let edge = ((bytes.lowerBound + (8 << 10)) / Self.piece + 1) * Self.piece
      let end = min(bytes.upperBound, edge, bytes.lowerBound + Self.piece)
      left[origin] = rest > end - bytes.lowerBound ? rest - (end - bytes.lowerBound) : nil
      return bytes.lowerBound..<end
    }
  }
}
