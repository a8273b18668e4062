/// A coded picture, or a piece of coded sound, from a transport stream or packed audio.
///
/// Times are in ticks of the track's `TrackDescription.timescale`.
package struct MediaSample: Equatable, Sendable {
  /// The position of the sample's track in the list of tracks that comes with the sample.
  package let track: Int
  /// The decoding time.
  package let time: Int
  /// The presentation time minus the decoding time, in ticks.
  package var composition = 0
  /// The duration of the sample in ticks; 0 if its stream does not tell it.
  package var duration = 0
  /// True if decoding can begin with this sample.
  package let isKey: Bool
  /// True if no other sample needs this sample for decoding.
  package var isDiscardable = false
  package let bytes: ArraySlice<UInt8>
}
