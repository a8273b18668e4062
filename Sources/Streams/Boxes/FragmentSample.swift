/// One sample, as a fragment's `moof` describes it.
package struct FragmentSample: Equatable, Sendable {
  /// The number of the track in its file.
  package let track: Int
  /// The place of the sample's bytes in the fragment.
  package let bytes: Range<Int>
  /// The time of decoding, in ticks.
  package let time: Int
  /// Ticks from decoding to showing.
  package let composition: Int
  package let duration: Int
  package let isKey: Bool
  package let isDiscardable: Bool
}
