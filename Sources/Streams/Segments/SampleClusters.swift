/// Puts the samples of a slot into clusters.
struct SampleClusters {
  private let map: ClusterMap
  /// The positions of the picture and of the sound in `StreamLayout.tracks`; a position is nil if
  /// the strand has no such track.
  private let numbers: [Int?]
  private var composer: ClusterComposer

  init(_ layout: StreamLayout, slot: Int) {
    let fragment = layout.fragments[slot]
    map = ClusterMap(layout, slot: slot)
    numbers = [true, false].map { isVideo in
      layout.tracks.firstIndex {
        $0.strand == fragment.strand && $0.description.isVideo == isVideo
      }
    }
    composer = ClusterComposer(slot: fragment.slot, most: LayoutRecipe.block)
  }

  /// - Parameters:
  ///   - samples: the next samples; their track is 0 for pictures and 1 for sound.
  ///   - arePacked: true if all samples are sound, whatever their track.
  mutating func add(
    _ samples: [MediaSample], arePacked: Bool = false
  ) throws(StreamError) -> [ArraySlice<UInt8>] {
    var pieces: [SlotPiece] = []
    for sample in samples {
      guard let number = numbers[arePacked ? 1 : sample.track] else { continue }
      try composer.append(map.block(of: sample, inTrack: number), to: &pieces)
    }
    return try pieces.portions(of: ByteRun(at: 0))
  }

  mutating func finish() throws(StreamError) -> [ArraySlice<UInt8>] {
    var pieces: [SlotPiece] = []
    try composer.finish(&pieces)
    return try pieces.portions(of: ByteRun(at: 0))
  }
}
