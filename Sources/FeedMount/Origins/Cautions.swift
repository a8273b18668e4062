import Addresses
import Blocks
import NIOConcurrencyHelpers

/// The origins that sent bytes of another place in an answer that broke off. Later requests to them
/// ask for small pieces, so that the next wrong answer spoils few bytes.
///
/// Safe from any thread; its lock is a leaf.
final class Cautions: Sendable {
  /// The bytes of an origin that are asked for in small pieces after its last wrong answer.
  private static let reach = 1 << 30
  /// The most bytes to ask for at once.
  private static let piece = 1 << 20
  /// The most origins to remember.
  private static let maxOrigins = 256

  private let left = NIOLockedValueBox<[OriginName: Int]>([:])

  /// Notes that an answer from `url` broke off, and that it had continued at a wrong place before.
  func wasWrong(_ url: String) {
    guard let origin = (try? WebAddress(parsing: url))?.origin else { return }
    left.withLockedValue { left in
      if left.count >= Self.maxOrigins { left = [:] }
      left[origin] = Self.reach
    }
  }

  /// Returns the first part of `bytes` to ask for at `url`. It ends where a piece ends. So it never
  /// lies across two slices of a proxy whose slices are as large as a piece.
  func cut(_ bytes: ByteRange, at url: String) -> ByteRange {
    left.withLockedValue { left in
      guard !left.isEmpty, let origin = (try? WebAddress(parsing: url))?.origin,
        let rest = left[origin]
      else { return bytes }
      // Adds two overlaps of 4 KiB. Bytes before an edge that are only compared are no piece of
      // their own.
      let edge = ((bytes.lowerBound + (8 << 10)) / Self.piece + 1) * Self.piece
      let end = min(bytes.upperBound, edge, bytes.lowerBound + Self.piece)
      left[origin] = rest > end - bytes.lowerBound ? rest - (end - bytes.lowerBound) : nil
      return bytes.lowerBound..<end
    }
  }
}
