/// The samples of a segment that has no table of them.
package struct DemuxedSegment: Equatable, Sendable {
  /// The tracks that were found, picture first. A sample names its track by the place here.
  package var tracks: [TrackDescription] = []
  /// The samples by their time of decoding.
  package var samples: [MediaSample] = []
  /// Bytes of packed sound that are in no frame.
  package var unclaimed = 0

  /// The least time of showing, in ticks of `TimeStamp.scale`; nil without samples.
  package var start: Int? { samples.lazy.map { $0.time + $0.composition }.min() }

  /// The ticks from decoding to showing of the first picture at which decoding can begin; nil if there
  /// is none, or if its stamps say that it is shown before it is decoded.
  var delay: Int? {
    guard let track = tracks.firstIndex(where: \.isVideo),
      let first = samples.first(where: { $0.track == track && $0.isKey })
    else { return nil }
    return first.composition < 0 ? nil : first.composition
  }

  mutating func add(_ track: TrackDescription, _ samples: [MediaSample]) {
    tracks.append(track)
    self.samples += samples
  }

  /// Puts the samples in order. Those of one track stay as they are; of equals, the picture is first.
  mutating func sort() {
    let places = samples.indices.sorted { one, other in
      (samples[one].time, samples[one].track, one) < (
        samples[other].time, samples[other].track, other
      )
    }
    samples = places.map { samples[$0] }
  }
}
