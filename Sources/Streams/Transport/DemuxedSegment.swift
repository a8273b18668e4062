/// The samples of a segment without a table of samples: a transport stream, or packed audio.
package struct DemuxedSegment: Equatable, Sendable {
  /// The tracks that were found, picture first. `MediaSample.track` is a position in this list.
  package var tracks: [TrackDescription] = []
  /// The samples in the order of their decoding times.
  package var samples: [MediaSample] = []
  /// The number of bytes of packed audio that are in no frame.
  package var unclaimed = 0

  /// The earliest presentation time, in ticks of `TimeStamp.scale`; nil without samples.
  package var start: Int? { samples.lazy.map { $0.time + $0.composition }.min() }

  /// The presentation time minus the decoding time of the first key picture, in ticks. Nil if there
  /// is no key picture, or if the difference is negative.
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

  /// Sorts the samples by decoding time. At equal times, the picture comes first.
  mutating func sort() {
    let places = samples.indices.sorted { one, other in
      (samples[one].time, samples[one].track, one) < (
        samples[other].time, samples[other].track, other
      )
    }
    samples = places.map { samples[$0] }
  }
}
