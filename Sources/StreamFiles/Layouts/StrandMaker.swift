import Blocks
import Filling
import Streams

/// Learns one strand of a stream from its origin.
struct StrandMaker: Sendable {
  /// A strand, as far as it can be learned without the others. The times of a `clocked` strand
  /// follow from a clock that several strands share.
  enum Draft: Sendable {
    case ready(StrandIndex)
    case clocked(SegmentedSamples, [SegmentFacts])
  }

  /// A strand that was learned, and the versions of its resources.
  struct Learned: Sendable {
    let draft: Draft
    /// The track. Its segments include `oneMore` if the server has that segment.
    let track: TrackSource
    /// By resource of the strand: the version that the resource had when its beginning was read.
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

  /// The number of first bytes that are requested of a segment whose times are needed.
  static let beginning = SegmentedPackets.beginning
  /// The number of first bytes that are requested of each segment if the times of all are needed.
  static let shortBeginning = 4 << 10
  /// The limit for the bytes of a segment that are read to find its tracks.
  private static let maxBeginningBytes = 8 << 20

  let pieces: PieceClient
  /// The keys of this strand.
  let keys: [[UInt8]]
  /// The number of keys that all strands before this one have together.
  let keysBefore: Int
  /// The duration of the stream; nil if the stream's documents do not tell it.
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
      if StreamContainer(address: track.addresses[0]) == .transport, !track.initializations.isEmpty,
        SegmentEdge.arePackets(try await initialisation(of: track))
      {
        return try await segmented(track)
      }
      // If the durations are only nominal and the file has no index, the segments tell more than a
      // walk from fragment to fragment.
      if let file = try await file(track, walks: !track.hasNominalDurations) { return file }
      return try await segmented(track)
    case .segments: return try await segmented(track)
    }
  }

  func place(_ address: Int, _ track: TrackSource) -> PiecePlace {
    PiecePlace(address: track.addresses[address], headers: track.headers)
  }

  /// Returns `index` with only those of its tracks that have the wanted contents: one picture and
  /// one sound at most. If no track of the index is wanted, all of them stay.
  func wanted(_ index: StrandIndex, _ track: TrackSource) throws -> StrandIndex {
    if track.isPlainFile { try index.checkThatNothingIsLost() }
    // A file that should have only a picture or only a sound may have both. Only the expected one
    // is taken, because the other comes from another strand.
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
    // If an origin fails for a while, most segments seem to be missing. A layout without them would
    // lack them for ever.
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
      if SegmentEdge.arePackets(initialisation) {
        // EXT-X-MAP of a transport stream names its tables alone (RFC 8216 §3.2).
        return try await segmented(source.withoutHead(tables: initialisation))
      }
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

  /// Learns segments that consist of packets. Such a segment can begin anywhere, even within a
  /// picture.
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
    // The first KiB of most segments show how the segment begins. Of the unclear segments, more is
    // read.
    let unclear = samples.unclear(known)
    guard !unclear.isEmpty else { return .clocked(samples, known) }
    try await complete(&known, unclear, track) { bytes, size in
      let most = min(size, SegmentEdge.maxBytes)
      // Decrypted bytes are a few less than the encrypted bytes that were read.
      return bytes.count >= most - SegmentCipher.block ? nil : most
    }
    return .clocked(try SegmentedSamples(track, known), known)
  }

  /// Reads more packets, from the segment `first` on, until the tracks are found.
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

  /// Reads more of the segments `telling`, until the beginning of each is long enough to read the
  /// times from it. `needs` returns the number of bytes that a beginning must have; nil if it is
  /// long enough.
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
  /// Returns the index with `language`, which the stream's documents name, for each sound whose own
  /// bytes name no language.
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
