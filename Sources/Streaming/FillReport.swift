package import Blocks

/// What fills a file, and who reads it: for the status.
package struct FillReport: Hashable, Sendable {
  /// Who reads.
  package struct Reader: Hashable, Sendable {
    /// Where he would read next.
    package let position: Int
    /// Bytes from there on that he need not wait for.
    package let ahead: Int
  }

  /// What is under way.
  package struct Fetch: Hashable, Sendable {
    /// What was asked for.
    package let bytes: ByteRange
    /// Up to where bytes have come.
    package let position: Int
    /// Whether its answer has begun.
    package let hasBegun: Bool
  }

  /// By position.
  package var readers: [Reader] = []
  package var fetches: [Fetch] = []
  /// Bytes a second that come.
  package var speed = 0
  /// Bytes a second at which the file plays, where that is known.
  package var playRate: Int?
  /// Reads that wait.
  package var waiting = 0
  /// When what failed is asked for again; nil: nothing has failed.
  package var retryIn: Duration?
  /// The origin has another version now.
  package var isSuperseded = false
  /// The origin sends it from its beginning on only.
  package var lacksRanges = false

  package init() {}
}
