package import Blocks

/// How far ahead of one reader to fetch.
///
/// Nothing before the reader has read on past its first fetch, so that a scanner of heads costs one
/// small request a file. Then each fetch is twice as long as the one before, and the next one starts
/// when a quarter of the last is still ahead, so that the connection does not idle. A seek starts
/// the window anew.
package struct PrefetchWindow: Sendable {
  /// Bytes by which a read may lie before or after the expected place and still continue: up to four
  /// of the kernel's read-ahead requests are on their way here at once (posix_fadvise doubles them),
  /// and they overtake each other.
  private static let slack = 1 << 20

  private let rules: FillRules
  /// Where the reader began to read on; nil before its first read.
  private var runStart: Int?
  /// Where a reader that reads on would read next.
  private(set) var next = 0
  /// Bytes of the next fetch.
  private(set) var size: Int

  package init(rules: FillRules) {
    self.rules = rules
    size = rules.smallestWindow
  }

  /// Whether anything may be fetched ahead.
  package var isOpen: Bool {
    next - (runStart ?? next) > rules.firstFetch
  }

  /// Whether a byte at `offset` will be read soon, if the reader goes on as it did.
  package func covers(_ offset: Int) -> Bool {
    isOpen && offset >= next - Self.slack && offset < next + 2 * size
  }

  /// Whether a byte at `offset` lies around the reader's place.
  ///
  /// Readers of one file share the kernel's pages, so each of them asks here for parts of it only, and
  /// seems to seek.
  package func isNear(_ offset: Int) -> Bool {
    abs(offset - next) < Self.slack
  }

  /// Takes note of a read; returns true if it was a seek.
  package mutating func noted(_ read: ByteRange) -> Bool {
    let isSeek = abs(read.lowerBound - next) > Self.slack
    guard isSeek || runStart == nil else {
      next = max(next, read.upperBound)
      return false
    }
    runStart = read.lowerBound
    next = read.upperBound
    size = rules.smallestWindow
    return isSeek
  }

  /// What to fetch, given that everything from `next` to `edge` is held or under way.
  /// No more than `most` bytes.
  package mutating func fetch(beyond edge: Int, length: Int, most: Int) -> ByteRange? {
    guard isOpen, edge < length, edge - next <= size / 4 else { return nil }
    size = min(size * 2, most)
    return edge..<min(edge + size, length)
  }
}
