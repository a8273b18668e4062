/// The values of a track's samples where a fragment does not state them (the `trex` box).
package struct SampleDefaults: Equatable, Sendable {
  /// Ticks.
  package var duration: Int
  /// Bytes.
  package var size: Int
  /// The flags of ISO/IEC 14496-12 §8.8.3.1.
  package var flags: Int

  package init(duration: Int = 0, size: Int = 0, flags: Int = 0) {
    self.duration = duration
    self.size = size
    self.flags = flags
  }
}
