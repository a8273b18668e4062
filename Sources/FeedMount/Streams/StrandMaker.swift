import Blocks
import Streaming
import Streams

/// Learns one strand of a stream from its origin.
struct StrandMaker: Sendable {
  /// A strand of which everything is known but the clock that it shares with others.
  enum Draft: Sendable {
    case ready(StrandIndex)
    case clocked(SegmentedSamples, [SegmentFacts])
  }

  /// Bytes of a segment that are asked for where its times are needed.
  private static let beginning = SegmentedPackets.beginning
  /// Bytes that are asked for where the times of all segments are needed.
  private static let shortBeginning = 4 << 10
  /// Bytes of a segment at most that are read to find its tracks.
  private static let longestBeginning = 8 << 20

  let pieces: PieceClient
  /// The keys of this strand.
  let keys: [[UInt8]]
  /// The number of keys of the strands before it.
  let keysBefore: Int
  /// The duration of the film, if the documents tell it.
  let total: Duration?
  /// The recipe by which the film is made.
  let recipe: LayoutRecipe
  let counter: RequestCounter

  /// Returns what is learned, and the track with the segments that are really there.
  func draft(of track: TrackSource) async throws -> (draft: Draft, track: TrackSource) {
    switch track.division {
    case .file:
      guard let index = try await file(track, walks: true) else {
        throw StreamFault.unsupported("it has no index")
      }
      return (.ready(index), track)
    case .segments where track.isOneFile && [.mp4, .unknown].contains(track.container):
      // Without true durations and without an index, the segments tell more than a walk does.
      if let index = try await file(track, walks: !track.hasNominalDurations) {
        return (.ready(index), track)
      }
      return try await segmented(track)
    case .segments: return try await segmented(track)
    }
  }

  private func place(_ address: Int, _ track: TrackSource) -> PiecePlace {
    PiecePlace(address: track.addresses[address], headers: track.headers)
  }

  /// Returns an index as far as the track's contents are wanted.
  private func wanted(_ index: StrandIndex, _ track: TrackSource) throws -> StrandIndex {
    // A file that should be one track may have both: the other one counts elsewhere.
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
    return kept.speaking(track.language)
  }

  // MARK: One file

  /// Returns the index of one file; nil if it has none, and its fragments are not walked.
  private func file(_ track: TrackSource, walks: Bool) async throws -> StrandIndex? {
    guard let address = track.segments.first?.part.address ?? track.addresses.indices.first else {
      throw StreamFault.malformed("a track without an address")
    }
    let place = place(address, track)
    counter.planned(1)
    let first = try await pieces.read(place, 0..<StrandPlan.head)
    counter.answered()
    let version = first.representation
    var segments: [StrandPlan.Segment] = []
    for segment in track.segments where !track.hasNominalDurations {
      guard let bytes = segment.part.bytes else { continue }
      segments.append(.init(bytes: bytes, duration: segment.duration.nanoseconds))
    }
    var plan = StrandPlan(length: version.length, segments: segments)
    plan.take(first.bytes[...], at: 0)
    while true {
      switch try plan.step() {
      case .done(let index): return try wanted(index, track)
      case .needs where plan.walked != nil && !walks: return nil
      case .needs where !plan.isCheap:
        throw StreamFault.unsupported("its fragments are too short to look for each")
      case .needs(let range):
        counter.planned(1)
        let next = try await pieces.read(place, range, expected: version)
        counter.answered()
        guard !next.bytes.isEmpty else { throw StreamFault.truncated("file") }
        plan.take(next.bytes[...], at: range.lowerBound)
      }
    }
  }

  // MARK: Segments

  private func segmented(
    _ source: TrackSource
  ) async throws -> (draft: Draft, track: TrackSource) {
    var track = source
    var facts = try await facts(of: &track)
    let isThere = facts.map { $0.bytes != nil }
    guard isThere.contains(true) else { throw StreamTrouble(.gone, "its segments are not there") }
    let telling = track.telling { isThere[$0] }
    guard let first = telling.first else { throw StreamFault.malformed("segments") }
    if !track.initializations.isEmpty {
      let initialisation = try await initialisation(of: track)
      if StreamContainer(beginning: initialisation) == .webM {
        let film = try SegmentedWebM(track, initialisation: initialisation)
        return (.ready(try wanted(film.index(facts, total: total), track)), track)
      }
      let movie = try SegmentedMovie(track, initialisation: initialisation)
      try await complete(&facts, telling, track) { bytes, size in
        try SegmentedMovie.needs(bytes, of: size)
      }
      let index = try movie.index(facts, keys: keysBefore, total: total)
      return (.ready(try wanted(index, track)), track)
    }
    if recipe.tellsEdges, SegmentEdge.phase(of: facts[first].beginning[...]) != nil {
      return (try await packets(&facts, track), track)
    }
    switch StreamContainer(beginning: facts[first].beginning) {
    case .webM: throw StreamFault.malformed("segments of WebM without their head")
    case .mp4: throw StreamFault.malformed("segments of MP4 without their head (EXT-X-MAP)")
    case .text: throw StreamFault.unsupported("its segments are text")
    case .packedAudio: break
    case .transport, .unknown:
      if recipe.tellsEdges { return (try await packets(&facts, track), track) }
    }
    let contents = track.contents
    try await complete(&facts, telling, track) { bytes, size in
      if bytes.count >= size - SegmentCipher.block || bytes.count >= Self.longestBeginning {
        return nil
      }
      let isEnough = (try? SegmentedSamples.isEnough(bytes, contents)) ?? false
      return isEnough ? nil : min(size, max(bytes.count * 4, Self.beginning))
    }
    return (.clocked(try SegmentedSamples(track, facts, recipe: recipe), facts), track)
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
    let samples = try SegmentedSamples(track, known, recipe: recipe)
    // Most segments show how they begin in their first KiB.
    let unclear = samples.unclear(known)
    guard !unclear.isEmpty else { return .clocked(samples, known) }
    try await complete(&known, unclear, track) { bytes, size in
      let most = min(size, SegmentEdge.most)
      // Plain bytes are a few less than encrypted ones.
      return bytes.count >= most - SegmentCipher.block ? nil : most
    }
    return .clocked(try SegmentedSamples(track, known, recipe: recipe), known)
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
      guard known[number].beginning.count > before else { throw StreamFault.truncated("segment") }
    }
  }

  /// Reads on until the beginnings of the telling segments are long enough.
  private func complete(
    _ facts: inout [SegmentFacts], _ telling: [Int], _ track: TrackSource,
    needs: @escaping @Sendable ([UInt8], Int) throws -> Int?
  ) async throws {
    let known = facts
    let completed = try await concurrently(telling, most: LayoutMaker.most) { number in
      var own = known[number]
      guard let bytes = own.bytes else { return own }
      while let count = try needs(own.beginning, bytes.count) {
        guard own.beginning.count < bytes.count, count > own.beginning.count else {
          throw StreamFault.truncated("segment")
        }
        counter.planned(1)
        try await readOn(&own, bytes, to: count, track.segments[number].part, track)
        counter.answered()
      }
      return own
    }
    for (number, own) in zip(telling, completed) { facts[number] = own }
  }

  /// Reads a segment, which lies at `bytes`, until `count` bytes of its beginning are known.
  private func readOn(
    _ own: inout SegmentFacts, _ bytes: ByteRange, to count: Int, _ part: StreamPart,
    _ track: TrackSource
  ) async throws {
    let whole = (count + SegmentCipher.block - 1) / SegmentCipher.block * SegmentCipher.block
    let range = bytes.lowerBound..<min(bytes.upperBound, bytes.lowerBound + whole)
    let place = place(part.address, track)
    if let version = own.version {
      let rest = try await pieces.read(
        place, bytes.lowerBound + own.beginning.count..<range.upperBound)
      // Bytes of two versions do not fit each other.
      if rest.representation == version {
        own.beginning += rest.bytes
        return
      }
    }
    let answer = try await pieces.read(place, range)
    own.beginning = try plain(answer.bytes, of: part, isWhole: range == bytes)
    own.version = part.key == nil ? answer.representation : nil
  }

  private func plain(_ bytes: [UInt8], of part: StreamPart, isWhole: Bool) throws -> [UInt8] {
    guard let key = part.key else { return bytes }
    let cipher = try AES128(key: keys[key.address])
    let vector = SegmentCipher.bytes(of: key.vector)
    if isWhole { return try cipher.segment(bytes[...], vector: vector) }
    let blocks = bytes.count / SegmentCipher.block * SegmentCipher.block
    return try cipher.blocks(bytes.prefix(blocks), vector: vector)
  }

  private func initialisation(of track: TrackSource) async throws -> [UInt8] {
    let all = try await concurrently(track.initializations, most: LayoutMaker.most) { part in
      let range = part.bytes ?? 0..<StreamLimit.movieHead.value
      counter.planned(1)
      let answer = try await pieces.read(place(part.address, track), range)
      counter.answered()
      return try plain(answer.bytes, of: part, isWhole: true)
    }
    guard Set(all).count == 1 else {
      throw StreamFault.unsupported("another head follows in it (EXT-X-MAP)")
    }
    return all[0]
  }

  /// Asks for the sizes of all segments, and for the beginnings of those that tell the times.
  private func facts(of track: inout TrackSource) async throws -> [SegmentFacts] {
    let telling = Set(track.telling())
    let length = track.hasNominalDurations ? Self.shortBeginning : Self.beginning
    // Segments without a head may begin in the middle of a picture.
    let other = recipe.tellsEdges && track.initializations.isEmpty ? SegmentEdge.size : 1
    let asked = track
    let needed = track.segments.indices.filter { number in
      !asked.segments[number].isGap
        && (asked.segments[number].part.bytes == nil || telling.contains(number))
    }
    counter.planned(needed.count)
    async let more = more(of: asked)
    let answers = try await concurrently(needed, most: LayoutMaker.most) { number in
      defer { counter.answered() }
      return try await fact(
        asked.segments[number].part, asked, telling.contains(number) ? length : other)
    }
    var facts = asked.segments.map { SegmentFacts(bytes: $0.part.bytes) }
    for number in facts.indices where asked.segments[number].isGap { facts[number].bytes = nil }
    for (number, fact) in zip(needed, answers) { facts[number] = fact }
    track.oneMore = nil
    if let more = try await more, let segment = asked.oneMore {
      track.division = .segments(asked.segments + [segment])
      facts.append(more)
    }
    return facts
  }

  /// Returns the segment behind the last one, if the server has it.
  private func more(of track: TrackSource) async throws -> SegmentFacts? {
    guard let segment = track.oneMore else { return nil }
    counter.planned(1)
    defer { counter.answered() }
    let fact = try? await answered(segment.part, track, Self.shortBeginning)
    return fact?.bytes == nil ? nil : fact
  }

  /// Returns the facts about one segment; it has no bytes if the server does not have it.
  private func fact(
    _ part: StreamPart, _ track: TrackSource, _ count: Int
  ) async throws -> SegmentFacts {
    let fact = try await answered(part, track, count)
    if fact.bytes != nil { return fact }
    // The film would have a hole for good. One of a site's servers may not have the segment yet.
    try await pieces.rest()
    return try await answered(part, track, count)
  }

  private func answered(
    _ part: StreamPart, _ track: TrackSource, _ count: Int
  ) async throws -> SegmentFacts {
    let start = part.bytes?.lowerBound ?? 0
    let end = part.bytes.map { min($0.upperBound, start + count) } ?? start + count
    do {
      let answer = try await pieces.read(place(part.address, track), start..<end)
      let bytes = part.bytes ?? 0..<answer.representation.length
      guard bytes.upperBound <= answer.representation.length, !bytes.isEmpty else {
        throw StreamFault.malformed("a segment behind the end of its file")
      }
      let plain =
        count > 1
        ? try plain(answer.bytes, of: part, isWhole: answer.bytes.count == bytes.count) : []
      return SegmentFacts(
        bytes: bytes, beginning: plain,
        version: part.key == nil && !plain.isEmpty ? answer.representation : nil)
    } catch let trouble as StreamTrouble where trouble.isMissing || trouble.end == .changed {
      // It is not there, or has no bytes.
      return SegmentFacts(bytes: nil)
    }
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
