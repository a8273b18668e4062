/// The bytes that a reader has read in a row, since it opened the file or last sought.
package struct ReadRun: Hashable, Sendable {
  /// The time since the run began.
  package var time: Duration
  /// The number of bytes; nil if the kernel answers the reads without the daemon.
  package var bytes: Int?
  /// Whether the run ends at the end of the file, and has a tenth of it at least.
  package var reachesEnd: Bool
  /// Whether the run has gone past the first fetch. If the kernel answers the reads: whether the
  /// file was open long enough to count as playing.
  package var isBegun: Bool
}
