import Blocks
import Filling
import Streams

/// Learns one strand of a stream from its origin.
struct StrandMaker: Sendable {
  /// A strand, as far as it can be learned alone. If it is `clocked`, its times follow from the
  /// clock that it shares with other strands.
  enum Draft: Sendable {
    case ready(StrandIndex)
    case clocked(SegmentedSamples, [SegmentFacts])
  }

  /// A strand that was learned, and what was seen of its resources.
  struct Learned: Sendable {
    let draft: Draft
    /// The track with the segments that are really there.
    let track: TrackSource
    /// By resource of the strand: the version that its known beginning comes from.
    var seen: [Int: Representation] = [:]

    init(_ draft: Draft, _ track: TrackSource, seen: [Int: Representation]) {
      (self.draft, self.track, self.seen) = (draft, track, seen)
    }

    init(_ draft: Draft, _ track: TrackSource, _ facts: [SegmentFacts]) {
      self.init(draft, track, seen: [:])
      for (segment, fact) in zip(track.segments, facts) where fact.seen != nil {
        seen[segment.part.address] = fact.seen
      }
    }
  }

  /// Bytes of the beginning of a segment that are asked for where its times are needed.
  static let beginning = SegmentedPackets.beginning
  /// Bytes of each beginning that are asked for where the times of all segments are needed.
  static let shortBeginning = 4 << 10
  /// The limit for the bytes of a segment that are read to find its tracks.
  private static let maxBeginningBytes = 8 << 20

  let pieces: PieceClient
  /// The keys of this strand.
  let keys: [[UInt8]]
  /// The number of keys of the strands before it.
  let keysBefore: Int
  /// The duration of the film, if the documents have it.
  let total: Duration?
  let counter: RequestCounter

  func draft(of track: TrackSource) async throws -> Learned {
    switch track.division {
    case .file:
      guard let file = try await file(track, walks: true) else {
        throw StreamError.unsupported("the file has no index of its fragments")
      }
      return file
    case .segments where track.isOneFile && [.mp4, .unknown].contains(track.container):
      // Without true durations and without an index, the segments show more than a walk does.
      if let file = try await file(track, walks: !track.hasNominalDurations) { return file }
      return try await segmented(track)
    case .segments: return try await segmented(track)
    }
  }

  func place(_ address: Int, _ track: TrackSource) -> PiecePlace {
    PiecePlace(address: track.addresses[address], headers: track.headers)
  }

  /// Returns `index` with the wanted contents of the track only: one picture and one sound at most.
  /// If none of its tracks is wanted, all stay.
  func wanted(_ index: StrandIndex, _ track: TrackSource) throws -> StrandIndex {
    if track.isPlainFile { try index.checkThatNothingIsLost() }
    // A file that should have only a picture or only a sound may have both. The other one comes
    // from another strand.
    var hasPicture = false
    var hasSound = false
    var kept = index.keeping { description in
      if description.isVideo {
        defer { hasPicture = true }
        return track.contents.contains(.picture) && !hasPicture
      }
      defer { hasSound = true }
      return track.contents.contains(.sound) && !hasSound
    }
    if kept.tracks.isEmpty { kept = index.keeping { _ in true } }
    kept.lost += index.repeated(in: track.contents)
    return kept.speaking(track.language)
  }

  // MARK: Segments

  private func segmented(_ source: TrackSource) async throws -> Learned {
    var track = source
    var facts = try await facts(of: &track)
    let isThere = facts.map { $0.bytes != nil }
    // If an origin fails for a while, most segments are missing. A film of the others would have
    // these holes for ever.
    let lost = track.segments.indices.count { !track.segments[$0].isGap && !isThere[$0] }
    let there = isThere.count { $0 }
    guard there > 0, lost <= there else {
      throw PieceError(
        .gone, "the origin lacks \(lost) of the \(isThere.count) segments of the stream")
    }
    let telling = track.telling { isThere[$0] }
    guard let first = telling.first else { throw StreamError.malformed("segments") }
    if !track.initializations.isEmpty {
      let initialisation = try await initialisation(of: track)
      if StreamContainer(beginning: initialisation) == .webM {
        let film = try SegmentedWebM(track, initialisation: initialisation)
        let index = try wanted(film.index(facts, total: total), track)
        return Learned(.ready(index), track, facts)
      }
      let movie = try SegmentedMovie(track, initialisation: initialisation)
      try await complete(&facts, telling, track) { bytes, size in
        try SegmentedMovie.needs(bytes, of: size)
      }
      let index = try movie.index(facts, keys: keysBefore, total: total)
      return Learned(.ready(try wanted(index, track)), track, facts)
    }
    if SegmentEdge.phase(of: facts[first].beginning[...]) != nil {
      let draft = try await packets(&facts, track)
      return Learned(draft, track, facts)
    }
    switch StreamContainer(beginning: facts[first].beginning) {
    case .webM: throw StreamError.malformed("segments of WebM without their head")
    case .mp4: throw StreamError.malformed("segments of MP4 without their head (EXT-X-MAP)")
    case .text:
      throw StreamError.unsupported(
        "the segments of the stream are text, neither picture nor sound")
    case .packedAudio: break
    case .transport, .unknown:
      let draft = try await packets(&facts, track)
      return Learned(draft, track, facts)
    }
    let contents = track.contents
    try await complete(&facts, telling, track) { bytes, size in
      if bytes.count >= size - SegmentCipher.block || bytes.count >= Self.maxBeginningBytes {
        return nil
      }
      let isEnough = (try? SegmentedSamples.isEnough(bytes, contents)) ?? false
      return isEnough ? nil : min(size, max(bytes.count * 4, Self.beginning))
    }
    let samples = try SegmentedSamples(track, facts)
    return Learned(.clocked(samples, facts), track, facts)
  }

  /// Learns segments of packets that may be cut anywhere.
  private func packets(
    _ known: inout [SegmentFacts], _ track: TrackSource
  ) async throws -> Draft {
    let isThere = known.map { $0.bytes != nil }
    for number in track.telling({ isThere[$0] }) {
      try await complete(&known, from: number, track)
    }
    for number in try SegmentedPackets(track, known).later() {
      try await complete(&known, from: number, track)
    }
    let samples = try SegmentedSamples(track, known)
    // Most segments show how they begin in their first KiB.
    let unclear = samples.unclear(known)
    guard !unclear.isEmpty else { return .clocked(samples, known) }
    try await complete(&known, unclear, track) { bytes, size in
      let most = min(size, SegmentEdge.maxBytes)
      // Plain bytes are a few less than encrypted ones.
      return bytes.count >= most - SegmentCipher.block ? nil : most
    }
    return .clocked(try SegmentedSamples(track, known), known)
  }

  /// Reads packets on from the beginning of a segment, until its tracks are found.
  private func complete(
    _ known: inout [SegmentFacts], from first: Int, _ track: TrackSource
  ) async throws {
    while let (number, count) = try SegmentedPackets(track, known).needs(from: first),
      let bytes = known[number].bytes
    {
      let before = known[number].beginning.count
      counter.planned(1)
      try await readOn(&known[number], bytes, to: count, track.segments[number].part, track)
      counter.answered()
      guard known[number].beginning.count > before else { throw StreamError.truncated("segment") }
    }
  }

  /// Reads on until the beginnings of the segments `telling`, from which the times are read, are
  /// long enough. `needs` returns the bytes that a beginning must have; nil if it is long enough.
  private func complete(
    _ facts: inout [SegmentFacts], _ telling: [Int], _ track: TrackSource,
    needs: @escaping @Sendable ([UInt8], Int) throws -> Int?
  ) async throws {
    let known = facts
    let completed = try await concurrently(telling, most: LayoutMaker.maxRequests) { number in
      var own = known[number]
      guard let bytes = own.bytes else { return own }
      while let count = try needs(own.beginning, bytes.count) {
        guard own.beginning.count < bytes.count, count > own.beginning.count else {
          throw StreamError.truncated("segment")
        }
        counter.planned(1)
        try await readOn(&own, bytes, to: count, track.segments[number].part, track)
        counter.answered()
      }
      return own
    }
    for (number, own) in zip(telling, completed) { facts[number] = own }
  }

  private func initialisation(of track: TrackSource) async throws -> [UInt8] {
    let all = try await concurrently(track.initializations, most: LayoutMaker.maxRequests) { part in
      let range = part.bytes ?? 0..<StreamLimit.movieHead.value
      counter.planned(1)
      let answer = try await pieces.read(place(part.address, track), range)
      counter.answered()
      return SegmentDisguise.without(try plain(answer.bytes, of: part, isWhole: true))
    }
    if let other = all.first(where: { $0 != all[0] }) {
      throw StreamError.unsupported(SegmentedMovie.obstacle(from: all[0], to: other))
    }
    return all[0]
  }
}

extension StrandIndex {
  /// Gives the sound the language that its stream says, unless its own bytes say one.
  func speaking(_ language: String?) -> StrandIndex {
    guard let language = language.map(TrackDescription.threeLetters) else { return self }
    var index = self
    for place in index.tracks.indices
    where !index.tracks[place].description.isVideo
      && index.tracks[place].description.language == "und"
    {
      index.tracks[place].description.language = language
    }
    return index
  }
}
