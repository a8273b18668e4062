/// The bytes that a reader has read in a row when it closes its file.
package struct ReadRun: Hashable, Sendable {
  /// The time since the run began.
  package var time: Duration
  /// Bytes; nil if the kernel has answered the reads by itself.
  package var bytes: Int?
  /// Whether it ends at the end of the file, and is a good part of it.
  package var reachesEnd: Bool
  /// Whether it is more than a look at the file.
  package var isBegun: Bool
}
