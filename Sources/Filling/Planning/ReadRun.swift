/// The bytes that a reader has read in a row, since it opened the file or since its last seek.
package struct ReadRun: Hashable, Sendable {
  /// The time since the run began.
  package var time: Duration
  /// The number of bytes read; nil if the kernel answers the reads without the daemon.
  package var bytes: Int?
  /// Whether the run reaches the end of the file, and has at least a tenth of the file's bytes.
  package var reachesEnd: Bool
  /// Whether the run has gone past the first fetch. If the kernel answers the reads: whether the
  /// file was open long enough to count as playing.
  package var isBegun: Bool
}
