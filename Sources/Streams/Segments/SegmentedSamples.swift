/// Makes the index of a strand out of a list of segments without tables of their samples: transport
/// streams and packed sound.
package struct SegmentedSamples {
  private let source: TrackSource
  /// The contents of the beginning of the first segment of each section, by the section.
  private let beginnings: [Int: DemuxedSegment]

  /// - Parameters:
  ///   - facts: of each segment. Those in `source.telling` have beginnings.
  ///   - isWhole: true if the beginnings are whole segments.
  package init(_ source: TrackSource, _ facts: [SegmentFacts]) throws(StreamFault) {
    guard facts.count == source.segments.count else { throw .malformed("segments") }
    self.source = source
    var beginnings: [Int: DemuxedSegment] = [:]
    for number in source.telling({ facts[$0].bytes != nil }) {
      let section = source.segments[number].section
      guard beginnings[section] == nil else { continue }
      let content = facts[number]
      beginnings[section] = try Self.demuxed(
        content.beginning[...], source.contents, near: 0,
        isWhole: content.beginning.count >= content.size - SegmentCipher.block)
    }
    self.beginnings = beginnings
    guard let first = beginnings.min(by: { $0.key < $1.key })?.value, !first.tracks.isEmpty else {
      throw .unsupported("none of its segments is there")
    }
    for (_, other) in beginnings.sorted(by: { $0.key < $1.key }) where !other.tracks.isEmpty {
      guard other.tracks.map(\.isVideo) == first.tracks.map(\.isVideo) else {
        throw .unsupported("other tracks follow in it, after a discontinuity")
      }
      for (own, next) in zip(first.tracks, other.tracks) {
        if let words = own.obstacle(to: next) {
          throw .unsupported("\(words), after a discontinuity")
        }
      }
    }
  }

  /// Returns true if a beginning shows all that is wanted of the segment's tracks.
  package static func isEnough(
    _ beginning: [UInt8], _ contents: TrackContents
  ) throws(StreamFault) -> Bool {
    let segment = try demuxed(beginning[...], contents, near: 0, isWhole: false)
    let hasPicture = segment.tracks.contains(where: \.isVideo)
    let hasSound = segment.tracks.contains { !$0.isVideo }
    return (hasPicture || !contents.contains(.picture)) && (hasSound || !contents.contains(.sound))
  }

  /// Takes a segment apart.
  ///
  /// - Parameters:
  ///   - near: a time in ticks near the segment's.
  ///   - tracks: those of the film; empty if it is not known yet.
  package static func demuxed(
    _ bytes: ArraySlice<UInt8>, _ contents: TrackContents, near: Int,
    as tracks: [TrackDescription] = [], isWhole: Bool = true
  ) throws(StreamFault) -> DemuxedSegment {
    switch StreamContainer(beginning: bytes) {
    case .packedAudio: try PackedAudio.read(bytes, near: near, as: tracks)
    case .transport, .mp4, .webM, .text, .unknown:
      try TransportReader.read(bytes, contents, near: near, as: tracks, isWhole: isWhole)
    }
  }

  /// The least time stamp of each section, in ticks.
  package var stamps: [Int: Int] { beginnings.compactMapValues(\.start) }

  /// Returns the index.
  ///
  /// - Parameters:
  ///   - stamps: the least time stamp of each section of the whole stream, in ticks.
  ///   - keys: the number of keys of the strands before this one.
  package func index(
    _ facts: [SegmentFacts], stamps: [Int: Int], keys: Int
  ) throws(StreamFault) -> StrandIndex {
    var sections: [Int] = []
    for (number, section) in source.sections.enumerated() {
      let clock = SectionClock(section, first: stamps[number] ?? 0)
      sections.append(
        try MediaTime.nanoseconds(clock.place(of: 0), timescale: TimeStamp.scale))
    }
    guard let (first, beginning) = beginnings.min(by: { $0.key < $1.key }) else {
      throw .malformed("segments")
    }
    var tracks: [StrandIndex.Track] = []
    for (number, description) in beginning.tracks.enumerated() {
      var description = description
      let shown = beginning.samples.filter { $0.track == number }.map { $0.time + $0.composition }
      let span = (shown.max() ?? 0) - (shown.min() ?? 0)
      var lasting: Int?
      if shown.count > 1, span > 0 {
        lasting = try MediaTime.nanoseconds(span, timescale: TimeStamp.scale) / (shown.count - 1)
      }
      if description.isVideo { description.defaultDuration = lasting }
      let earliest = try MediaTime.nanoseconds(shown.min() ?? 0, timescale: TimeStamp.scale)
      tracks.append(
        StrandIndex.Track(
          source: number, description: description,
          earliest: try MediaTime.sum(earliest, sections[first]), sampleDuration: lasting))
    }
    var fragments: [StrandIndex.Fragment] = []
    for (number, segment) in source.segments.enumerated() {
      fragments.append(
        source.fragment(
          of: number, facts[number], start: segment.start.nanoseconds,
          duration: segment.duration.nanoseconds, keys: keys))
    }
    return StrandIndex(
      format: .samples, initialisation: [], tracks: tracks, fragments: fragments,
      end: source.end?.nanoseconds ?? 0, sections: sections)
  }
}

extension DemuxedSegment {
  /// Returns the samples with the track numbers of a strand, whose tracks are `tracks`. A segment may
  /// lack a track that others have.
  package func samples(in tracks: [TrackDescription]) -> [MediaSample] {
    let places = self.tracks.map { own in tracks.firstIndex { $0.isVideo == own.isVideo } }
    if places == Array(tracks.indices) { return samples }
    return samples.compactMap { sample in
      guard let place = places[sample.track] else { return nil }
      return MediaSample(
        track: place, time: sample.time, composition: sample.composition,
        duration: sample.duration, isKey: sample.isKey, isDiscardable: sample.isDiscardable,
        bytes: sample.bytes)
    }
  }
}
