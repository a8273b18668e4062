/// Merges pictures and sound of a segment in the order of their decoding times, while they arrive.
///
/// Each track keeps its own order, even if its times go back. At equal times, the picture comes
/// first.
struct SampleOrder {
  /// The samples of a track that wait for samples of the other track.
  private struct Track {
    var waiting: ArraySlice<(place: Int, sample: MediaSample)> = []
    /// The latest time of a sample so far. Samples that arrive later are never placed before it.
    var latest: Int?

    mutating func add(_ samples: [MediaSample]) {
      for sample in samples {
        let place = max(latest ?? sample.time, sample.time)
        latest = place
        waiting.append((place, sample))
      }
    }

    /// Returns the earliest time at which the next sample can be placed: `.max` if no more samples
    /// arrive, nil if this time is not known.
    func next(comes: Bool) -> Int? { waiting.first?.place ?? (comes ? latest : .max) }
  }

  private var picture = Track()
  private var sound = Track()

  mutating func add(_ samples: [MediaSample], isPicture: Bool) {
    if isPicture { picture.add(samples) } else { sound.add(samples) }
  }

  /// Returns the samples that no sample still to come can precede, in order, and removes them.
  ///
  /// - Parameters:
  ///   - pictureComes: whether more pictures can come.
  ///   - soundComes: whether more sound can come.
  mutating func next(pictureComes: Bool, soundComes: Bool) -> [MediaSample] {
    var samples: [MediaSample] = []
    while true {
      let shown = picture.next(comes: pictureComes)
      let heard = sound.next(comes: soundComes)
      if let first = picture.waiting.first, let heard, first.place <= heard {
        samples.append(first.sample)
        picture.waiting.removeFirst()
      } else if let first = sound.waiting.first, let shown, first.place < shown {
        samples.append(first.sample)
        sound.waiting.removeFirst()
      } else {
        return samples
      }
    }
  }
}
