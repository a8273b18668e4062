/// Brings pictures and sound of a segment into the order of decoding while they come.
///
/// Each track keeps its own order, also if its times go back. A picture comes before sound of the same
/// time.
struct SampleOrder {
  /// The samples of a track that wait for those of the other one.
  private struct Track {
    var waiting: ArraySlice<(place: Int, sample: MediaSample)> = []
    /// The latest time so far. Later samples are never put before it.
    var latest: Int?

    mutating func add(_ samples: [MediaSample]) {
      for sample in samples {
        let place = max(latest ?? sample.time, sample.time)
        latest = place
        waiting.append((place, sample))
      }
    }

    /// The least place that the next sample can have; nil if that is not known.
    func next(comes: Bool) -> Int? { waiting.first?.place ?? (comes ? latest : .max) }
  }

  private var picture = Track()
  private var sound = Track()

  mutating func add(_ samples: [MediaSample], isPicture: Bool) {
    if isPicture { picture.add(samples) } else { sound.add(samples) }
  }

  /// Returns the samples that no other can come before, in order, and forgets them.
  ///
  /// - Parameters:
  ///   - pictureComes: whether there may be more pictures.
  ///   - soundComes: whether there may be more sound.
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
