/// One sample, as the `moof` box of a fragment describes it.
package struct FragmentSample: Equatable, Sendable {
  /// The number of the track in the fragment's file.
  package let track: Int
  /// The range of the sample's bytes in the fragment.
  package let bytes: Range<Int>
  /// The decoding time, in ticks of the track's timescale.
  package let time: Int
  /// The presentation time minus the decoding time, in ticks.
  package let composition: Int
  package let duration: Int
  package let isKey: Bool
  package let isDiscardable: Bool
}
