/// Merges pictures and sound of a segment in the order of their decoding times, while they come.
///
/// Each track keeps its own order, even if its times go back. At equal times, the picture comes
/// first.
struct SampleOrder {
  /// The samples of a track that wait for those of the other one.
  private struct Track {
    var waiting: ArraySlice<(place: Int, sample: MediaSample)> = []
    /// The latest time so far. Samples that come later are never placed before it.
    var latest: Int?

    mutating func add(_ samples: [MediaSample]) {
      for sample in samples {
        let place = max(latest ?? sample.time, sample.time)
        latest = place
        waiting.append((place, sample))
      }
    }

    /// Returns the earliest place of the next sample: `.max` if none comes, nil if it is not known.
    func next(comes: Bool) -> Int? { waiting.first?.place ?? (comes ? latest : .max) }
  }

  private var picture = Track()
  private var sound = Track()

  mutating func add(_ samples: [MediaSample], isPicture: Bool) {
    if isPicture { picture.add(samples) } else { sound.add(samples) }
  }

  /// Returns the samples that no later one can precede, in order, and forgets them.
  ///
  /// - Parameters:
  ///   - pictureComes: whether more pictures may come.
  ///   - soundComes: whether more sound may come.
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
