/// A coded picture, or a piece of coded sound, as it was taken out of a stream.
///
/// Times are ticks of the track's `TrackDescription.timescale`.
package struct MediaSample: Equatable, Sendable {
  /// The place of the sample's track in the stream's list of tracks.
  package let track: Int
  /// The time of decoding.
  package let time: Int
  /// The ticks from the time of decoding to the time of showing.
  package var composition = 0
  /// The ticks that the sample lasts; 0 if its stream does not say so.
  package var duration = 0
  /// True if decoding can begin here.
  package let isKey: Bool
  /// True if no other sample needs this one.
  package var isDiscardable = false
  package let bytes: ArraySlice<UInt8>
}
