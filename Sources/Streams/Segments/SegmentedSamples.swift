/// Makes the index of a strand from a list of segments without tables of samples: transport streams
/// and packed audio.
package struct SegmentedSamples {
  private let source: TrackSource
  /// The tracks and samples at the beginning of each section, by the number of the section.
  private let beginnings: [Int: DemuxedSegment]
  /// The streams of each section, if the segments are transport streams; else nil.
  private var choices: [Int: ProgramChoice]?
  /// The first samples of tracks that the first section can lack, with the sections of these
  /// samples.
  private var later: [(section: Int, segment: DemuxedSegment)] = []

  /// - Parameters:
  ///   - facts: the facts of each segment. Segments in `source.telling` have a beginning.
  package init(
    _ source: TrackSource, _ facts: [SegmentFacts]
  ) throws(StreamError) {
    guard facts.count == source.segments.count else { throw .malformed("segments") }
    self.source = source
    if Self.arePackets(source, facts) {
      (beginnings, choices, later) = try Self.packets(source, facts)
      return
    }
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
      throw .unsupported("the origin has none of the segments of the stream")
    }
    for (_, other) in beginnings.sorted(by: { $0.key < $1.key }) where !other.tracks.isEmpty {
      guard other.tracks.map(\.isVideo) == first.tracks.map(\.isVideo) else {
        throw .unsupported("the stream has other tracks after a discontinuity")
      }
      for (own, next) in zip(first.tracks, other.tracks) {
        if let words = own.obstacle(to: next) {
          throw .unsupported("\(words), after a discontinuity")
        }
      }
    }
  }

  /// Whether the beginning of a segment shows a track of each wanted kind.
  package static func isEnough(
    _ beginning: [UInt8], _ contents: TrackContents
  ) throws(StreamError) -> Bool {
    let segment = try demuxed(beginning[...], contents, near: 0, isWhole: false)
    let hasPicture = segment.tracks.contains(where: \.isVideo)
    let hasSound = segment.tracks.contains { !$0.isVideo }
    return (hasPicture || !contents.contains(.picture)) && (hasSound || !contents.contains(.sound))
  }

  /// Reads the samples of a segment without its neighbours. The format is found in its first bytes,
  /// since a transport stream can follow packed audio after a discontinuity.
  ///
  /// - Parameters:
  ///   - near: a time near the times of the segment, in ticks.
  ///   - tracks: the tracks of the stream's file; empty if they are not known yet.
  package static func demuxed(
    _ bytes: ArraySlice<UInt8>, _ contents: TrackContents, near: Int,
    as tracks: [TrackDescription] = [], isWhole: Bool = true
  ) throws(StreamError) -> DemuxedSegment {
    guard StreamContainer(beginning: bytes) != .packedAudio else {
      return try PackedAudio.read(bytes, near: near, as: tracks)
    }
    var known = SegmentReader.Known(contents: contents, place: near)
    known.picture = tracks.first(where: \.isVideo)
    known.sound = tracks.lazy.compactMap(SoundConfiguration.init).first
    return try SegmentReader.content(of: bytes, known, isWhole: isWhole).segment
  }

  /// Returns the segments whose known bytes do not show their edge, although more bytes can show
  /// it.
  package func unclear(_ facts: [SegmentFacts]) -> [Int] {
    guard let choices else { return [] }
    let packets = SegmentedPackets(source, facts)
    return packets.unclear(packets.edges(choices))
  }

  /// The least time stamp of each section, in ticks.
  package var stamps: [Int: Int] { beginnings.compactMapValues(\.start) }

  /// Returns the index of the strand.
  ///
  /// - Parameters:
  ///   - stamps: the least time stamp of each section among all strands, in ticks.
  ///   - keys: how many keys the previous strands have. Those keys come first in the list of all
  ///     keys of the stream.
  package func index(
    _ facts: [SegmentFacts], stamps: [Int: Int], keys: Int
  ) throws(StreamError) -> StrandIndex {
    var index = try plainIndex(facts, stamps: stamps, keys: keys)
    guard let choices else { return index }
    let packets = SegmentedPackets(source, facts)
    let edges = packets.edges(choices)
    for number in index.fragments.indices where !index.fragments[number].isGap {
      index.fragments[number].edge = edges[number]
      index.fragments[number].reserve = packets.reserve(number, edges)
    }
    index.streams = index.sections.indices.map { section in
      SectionStreams(
        picture: choices[section]?.picture?.stream, sound: choices[section]?.sound?.stream,
        delay: beginnings[section]?.delay)
    }
    return index
  }

  private func plainIndex(
    _ facts: [SegmentFacts], stamps: [Int: Int], keys: Int
  ) throws(StreamError) -> StrandIndex {
    var sections: [Int] = []
    for (number, section) in source.sections.enumerated() {
      let clock = SectionClock(section, first: stamps[number] ?? 0)
      sections.append(
        try MediaTime.nanoseconds(clock.place(of: 0), timescale: TimeStamp.scale))
    }
    guard let (first, beginning) = beginnings.min(by: { $0.key < $1.key }) else {
      throw .malformed("segments")
    }
    var tracks = try tracks(of: beginning, offset: sections[first])
    for (section, segment) in later {
      for track in try self.tracks(of: segment, offset: sections[section])
      where !tracks.contains(where: { $0.description.isVideo == track.description.isVideo }) {
        tracks.append(track)
      }
    }
    if choices != nil {
      tracks.sort { $0.description.isVideo && !$1.description.isVideo }
      for place in tracks.indices { tracks[place].source = place }
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

extension SegmentedSamples {
  /// - Parameter offset: nanoseconds that are added to the times of the section.
  private func tracks(
    of segment: DemuxedSegment, offset: Int
  ) throws(StreamError) -> [StrandIndex.Track] {
    var tracks: [StrandIndex.Track] = []
    for (number, description) in segment.tracks.enumerated() {
      var description = description
      let samples = segment.samples.filter { $0.track == number }
      let shown = samples.map { $0.time + $0.composition }
      // Decoding times have no gaps. Presentation times can have gaps, since some pictures are not
      // known yet.
      let spaced = choices != nil ? samples.map(\.time) : shown
      let span = (spaced.max() ?? 0) - (spaced.min() ?? 0)
      var lasting: Int?
      if spaced.count > 1, span > 0 {
        lasting = try MediaTime.nanoseconds(span, timescale: TimeStamp.scale) / (spaced.count - 1)
      }
      if description.isVideo { description.defaultDuration = lasting }
      let earliest = try MediaTime.nanoseconds(shown.min() ?? 0, timescale: TimeStamp.scale)
      tracks.append(
        StrandIndex.Track(
          source: number, description: description,
          earliest: try MediaTime.sum(earliest, offset), sampleDuration: lasting))
    }
    return tracks
  }

  /// Whether the segments are transport streams. They can begin in the middle of a packet.
  package static func arePackets(_ source: TrackSource, _ facts: [SegmentFacts]) -> Bool {
    guard let first = facts.first(where: { !$0.beginning.isEmpty }) else { return false }
    if SegmentEdge.phase(of: first.beginning[...]) != nil { return true }
    return StreamContainer(beginning: first.beginning) != .packedAudio
  }

  private typealias Packets = (
    beginnings: [Int: DemuxedSegment], choices: [Int: ProgramChoice]?,
    later: [(section: Int, segment: DemuxedSegment)]
  )

  private static func packets(
    _ source: TrackSource, _ facts: [SegmentFacts]
  ) throws(StreamError) -> Packets {
    let packets = SegmentedPackets(source, facts)
    var beginnings: [Int: DemuxedSegment] = [:]
    var choices: [Int: ProgramChoice] = [:]
    var before: ProgramChoice?
    var others: [(section: Int, segment: DemuxedSegment)] = []
    for number in source.telling({ facts[$0].bytes != nil }) {
      let section = source.segments[number].section
      guard beginnings[section] == nil else { continue }
      let content = try packets.content(from: number, before: before)
      before = content.choice
      (beginnings[section], choices[section]) = (content.segment, content.choice)
      others.append((section, content.segment))
    }
    for number in try packets.later() {
      let section = source.segments[number].section
      let content = try packets.content(from: number)
      if choices[section]?.picture == nil { choices[section]?.picture = content.choice.picture }
      if choices[section]?.sound == nil { choices[section]?.sound = content.choice.sound }
      others.append((section, content.segment))
    }
    let tracks = others.flatMap(\.segment.tracks)
    guard !tracks.isEmpty else {
      throw .unsupported("the origin has none of the segments of the stream")
    }
    for isVideo in [true, false] {
      let alike = tracks.filter { $0.isVideo == isVideo }
      for other in alike.dropFirst() {
        if let words = alike[0].obstacle(to: other) {
          throw .unsupported("\(words), after a discontinuity")
        }
      }
    }
    return (beginnings, choices, others)
  }
}

extension DemuxedSegment {
  /// Returns the samples with their positions in `tracks`, the tracks of the strand, as track
  /// numbers. The segment can lack a track that other segments have.
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
