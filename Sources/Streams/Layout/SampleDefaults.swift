/// The values that samples of a track have if a fragment does not tell others (the `trex` box).
package struct SampleDefaults: Equatable, Sendable {
  /// Ticks.
  package var duration = 0
  /// Bytes.
  package var size = 0
  /// The flags of ISO/IEC 14496-12 §8.8.3.1.
  package var flags = 0
}
