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

  /// A strand as it was learned.
  struct Learned: Sendable {
    let draft: Draft
    /// The track with the segments that are really there.
    let track: TrackSource
    /// The versions of its resources that told their beginnings.
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

  /// Bytes of a segment that are asked for where its times are needed.
  private static let beginning = 64 << 10
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
  let counter: RequestCounter

  func draft(of track: TrackSource) async throws -> Learned {
    switch track.division {
    case .file:
      guard let file = try await file(track, walks: true) else {
        throw StreamFault.unsupported("it has no index")
      }
      return file
    case .segments where track.isOneFile && [.mp4, .unknown].contains(track.container):
      // Without true durations and without an index, the segments tell more than a walk does.
      if let file = try await file(track, walks: !track.hasNominalDurations) { return file }
      return try await segmented(track)
    case .segments: return try await segmented(track)
    }
  }

  func place(_ address: Int, _ track: TrackSource) -> PiecePlace {
    PiecePlace(address: track.addresses[address], headers: track.headers)
  }

  /// Returns an index as far as the track's contents are wanted.
  func wanted(_ index: StrandIndex, _ track: TrackSource) throws -> StrandIndex {
    if track.isPlainFile { try index.checkThatNothingIsLost() }
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
    kept.lost += index.repeated(in: track.contents)
    return kept.speaking(track.language)
  }

  // MARK: Segments

  private func segmented(_ source: TrackSource) async throws -> Learned {
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
    switch StreamContainer(beginning: facts[first].beginning) {
    case .webM: throw StreamFault.malformed("segments of WebM without their head")
    case .mp4: throw StreamFault.malformed("segments of MP4 without their head (EXT-X-MAP)")
    case .text: throw StreamFault.unsupported("its segments are text")
    case .transport, .packedAudio, .unknown: break
    }
    let contents = track.contents
    try await complete(&facts, telling, track) { bytes, size in
      if bytes.count >= size - SegmentCipher.block || bytes.count >= Self.longestBeginning {
        return nil
      }
      let isEnough = (try? SegmentedSamples.isEnough(bytes, contents)) ?? false
      return isEnough ? nil : min(size, max(bytes.count * 4, Self.beginning))
    }
    return Learned(.clocked(try SegmentedSamples(track, facts), facts), track, facts)
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
    own.hashed = try SegmentBeginning(of: answer.bytes[...])
    own.seen = answer.representation
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
      return SegmentDisguise.without(try plain(answer.bytes, of: part, isWhole: true))
    }
    if let other = all.first(where: { $0 != all[0] }) {
      throw StreamFault.unsupported(SegmentedMovie.obstacle(from: all[0], to: other))
    }
    return all[0]
  }

  /// Asks for the sizes of all segments with their beginnings, and for more of those that tell the times.
  private func facts(of track: inout TrackSource) async throws -> [SegmentFacts] {
    let telling = Set(track.telling())
    let length = track.hasNominalDurations ? Self.shortBeginning : Self.beginning
    // Where there is a head apart, each segment begins with a table of its samples.
    let hashed = track.initializations.isEmpty ? SegmentBeginning.size : SegmentBeginning.longest
    let asked = track
    // Of a resource with several segments, whose sizes are known, one beginning is enough.
    var isKnown = Set(telling.map { asked.segments[$0].part.address })
    let needed = track.segments.indices.filter { number in
      let part = asked.segments[number].part
      return !asked.segments[number].isGap
        && (part.bytes == nil || telling.contains(number) || isKnown.insert(part.address).inserted)
    }
    counter.planned(needed.count)
    async let more = more(of: asked)
    let answers = try await concurrently(needed, most: LayoutMaker.most) { number in
      defer { counter.answered() }
      return try await fact(
        asked.segments[number].part, asked, telling.contains(number) ? length : hashed,
        tells: telling.contains(number))
    }
    var facts = asked.segments.map { SegmentFacts(bytes: $0.part.bytes) }
    for number in facts.indices where asked.segments[number].isGap { facts[number].bytes = nil }
    for (number, fact) in zip(needed, answers) { facts[number] = fact }
    try await uncover(&facts, asked)
    track.oneMore = nil
    if let more = try await more, let segment = asked.oneMore {
      track.division = .segments(asked.segments + [segment])
      facts.append(more)
    }
    return facts
  }

  /// Finds the beginnings of all segments behind their pictures, if one has a picture in front.
  private func uncover(_ facts: inout [SegmentFacts], _ track: TrackSource) async throws {
    let known = facts
    let isCovered = known.indices.contains { number in
      let start = track.segments[number].part.bytes?.lowerBound ?? 0
      return known[number].bytes.map { $0.lowerBound > start } ?? false
    }
    guard isCovered else { return }
    let others = known.indices.filter { known[$0].beginning.isEmpty && known[$0].bytes != nil }
    counter.planned(others.count)
    let found = try await concurrently(others, most: LayoutMaker.most) { number in
      defer { counter.answered() }
      var own = try await answered(
        track.segments[number].part, track, Self.shortBeginning, tells: true)
      (own.beginning, own.version) = ([], nil)
      return own
    }
    for (number, own) in zip(others, found) { facts[number] = own }
  }

  /// Returns a segment without the picture in front of it.
  private func uncovered(
    _ fact: SegmentFacts, _ part: StreamPart, _ track: TrackSource
  ) async throws -> SegmentFacts {
    guard part.key == nil, let bytes = fact.bytes else { return fact }
    var own = fact
    while true {
      let count = own.beginning.count
      switch SegmentDisguise(beginning: own.beginning) {
      case .none: return own
      case .ends(let length) where count < min(bytes.count, length + SegmentBeginning.size):
        try await readOn(&own, bytes, to: length + SegmentBeginning.size, part, track)
        guard own.beginning.count > count else { return own }
      case .ends(let length):
        own.bytes = bytes.lowerBound + length..<bytes.upperBound
        own.beginning = Array(own.beginning.dropFirst(length))
        own.hashed = try SegmentBeginning(of: own.beginning.prefix(SegmentBeginning.size))
        return own
      case .unfinished:
        guard count < bytes.count else { return own }
        try await readOn(&own, bytes, to: min(bytes.count, count * 4), part, track)
        guard own.beginning.count > count else { return own }
      }
    }
  }

  /// Returns the segment behind the last one, if the server has it.
  private func more(of track: TrackSource) async throws -> SegmentFacts? {
    guard let segment = track.oneMore else { return nil }
    counter.planned(1)
    defer { counter.answered() }
    let fact = try? await answered(segment.part, track, Self.shortBeginning, tells: true)
    return fact?.bytes == nil ? nil : fact
  }

  /// Returns the facts about one segment; it has no bytes if the server does not have it.
  private func fact(
    _ part: StreamPart, _ track: TrackSource, _ count: Int, tells: Bool
  ) async throws -> SegmentFacts {
    let fact = try await answered(part, track, count, tells: tells)
    if fact.bytes != nil { return fact }
    // The film would have a hole for good. One of a site's servers may not have the segment yet.
    try await pieces.rest()
    return try await answered(part, track, count, tells: tells)
  }

  /// - Parameters:
  ///   - count: bytes of the beginning that are asked for.
  ///   - tells: whether their contents are needed.
  private func answered(
    _ part: StreamPart, _ track: TrackSource, _ count: Int, tells: Bool
  ) async throws -> SegmentFacts {
    let start = part.bytes?.lowerBound ?? 0
    let end = part.bytes.map { min($0.upperBound, start + count) } ?? start + count
    do {
      let answer = try await pieces.read(place(part.address, track), start..<end)
      let bytes = part.bytes ?? 0..<answer.representation.length
      guard bytes.upperBound <= answer.representation.length, !bytes.isEmpty else {
        throw StreamFault.malformed("a segment behind the end of its file")
      }
      let hashed = try SegmentBeginning(of: answer.bytes[...])
      guard hashed.count == min(count, bytes.count, SegmentBeginning.longest) else {
        throw StreamFault.truncated("segment")
      }
      let plain =
        tells
        ? try plain(answer.bytes, of: part, isWhole: answer.bytes.count == bytes.count) : []
      let fact = SegmentFacts(
        bytes: bytes, beginning: plain,
        version: part.key == nil && !plain.isEmpty ? answer.representation : nil, hashed: hashed,
        seen: answer.representation)
      return try await uncovered(fact, part, track)
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
