import Addresses
import Blocks
import HTTP
import NIOConcurrencyHelpers

/// The origins that sent misplaced bytes in an answer that broke off. Later requests to them ask
/// for small pieces: the next wrong answer then spoils few bytes.
///
/// Safe from any thread; its lock is a leaf.
final class Cautions: Sendable {
  /// The bytes of an origin for which that lasts.
  private static let reach = 1 << 30
  /// The most bytes to ask for at once.
  private static let piece = 1 << 20
  /// The most origins at once.
  private static let most = 256

  private let left = NIOLockedValueBox<[OriginName: Int]>([:])

  /// Notes that an answer from `url` broke off, and had gone on at another place before.
  func wasWrong(_ url: String) {
    guard let origin = (try? WebAddress(parsing: url))?.origin else { return }
    left.withLockedValue { left in
      if left.count >= Self.most { left = [:] }
      left[origin] = Self.reach
    }
  }

  /// Returns the first part of `bytes` to ask for at `url`. It ends where a piece ends: it lies
  /// across no two of a proxy's slices where these are as large.
  func cut(_ bytes: ByteRange, at url: String) -> ByteRange {
    left.withLockedValue { left in
      guard !left.isEmpty, let origin = (try? WebAddress(parsing: url))?.origin,
        let rest = left[origin]
      else { return bytes }
      // Two overlaps of 4 KiB: bytes before an edge that are only compared are no piece of their
      // own.
      let edge = ((bytes.lowerBound + (8 << 10)) / Self.piece + 1) * Self.piece
      let end = min(bytes.upperBound, edge, bytes.lowerBound + Self.piece)
      left[origin] = rest > end - bytes.lowerBound ? rest - (end - bytes.lowerBound) : nil
      return bytes.lowerBound..<end
    }
  }
}
