/// The values that apply to samples of a track unless a fragment tells other values (the `trex`
/// box).
package struct SampleDefaults: Equatable, Sendable {
  /// The duration of a sample in ticks.
  package var duration = 0
  /// The size of a sample in bytes.
  package var size = 0
  /// The flags of a sample (ISO/IEC 14496-12 §8.8.3.1).
  package var flags = 0
}
