import Blocks
import Filling
import Streams

/// Requests the beginnings of a strand's segments.
extension StrandMaker {
  /// Requests the size and the first bytes of each segment. Of the segments from which the times
  /// are read, it requests more first bytes.
  func facts(of track: inout TrackSource) async throws -> [SegmentFacts] {
    let telling = Set(track.telling())
    let length = track.hasNominalDurations ? Self.shortBeginning : Self.beginning
    // If the strand has a head of its own, each segment begins with a table of its samples.
    // Otherwise a segment can begin in the middle of a picture, and its first bytes show whether it
    // does.
    let isApart = !track.initializations.isEmpty
    let hashed = isApart ? SegmentBeginning.maxBytes : SegmentBeginning.size
    let asked = track
    // If the sizes are known, one beginning is enough for a resource with several segments.
    var isKnown = Set(telling.map { asked.segments[$0].part.address })
    let needed = track.segments.indices.filter { number in
      let part = asked.segments[number].part
      return !asked.segments[number].isGap
        && (part.bytes == nil || telling.contains(number) || isKnown.insert(part.address).inserted)
    }
    counter.planned(needed.count)
    async let more = more(of: asked)
    let answers = try await concurrently(needed, most: LayoutMaker.maxRequests) { number in
      defer { counter.answered() }
      return try await fact(
        asked.segments[number].part, asked, telling.contains(number) ? length : hashed,
        tells: !isApart || telling.contains(number))
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

  /// If one segment is disguised by a picture in front of its media (`SegmentDisguise`), finds
  /// where the media of each segment begin.
  private func uncover(_ facts: inout [SegmentFacts], _ track: TrackSource) async throws {
    let known = facts
    let isCovered = known.indices.contains { number in
      let start = track.segments[number].part.bytes?.lowerBound ?? 0
      return known[number].bytes.map { $0.lowerBound > start } ?? false
    }
    guard isCovered else { return }
    let others = known.indices.filter { known[$0].beginning.isEmpty && known[$0].bytes != nil }
    counter.planned(others.count)
    let found = try await concurrently(others, most: LayoutMaker.maxRequests) { number in
      defer { counter.answered() }
      var own = try await answered(
        track.segments[number].part, track, Self.shortBeginning, tells: true)
      (own.beginning, own.version) = ([], nil)
      return own
    }
    for (number, own) in zip(others, found) { facts[number] = own }
  }

  /// Returns the facts about a segment without the picture that disguises it, if it has such a
  /// picture.
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

  /// Returns the facts about the segment `oneMore`, which follows the last listed one; nil if the
  /// server does not have it.
  private func more(of track: TrackSource) async throws -> SegmentFacts? {
    guard let segment = track.oneMore else { return nil }
    counter.planned(1)
    defer { counter.answered() }
    let fact = try? await answered(segment.part, track, Self.shortBeginning, tells: true)
    return fact?.bytes == nil ? nil : fact
  }

  /// Returns the facts about one segment. Their `bytes` are nil if the server does not have the
  /// segment.
  private func fact(
    _ part: StreamPart, _ track: TrackSource, _ count: Int, tells: Bool
  ) async throws -> SegmentFacts {
    let fact = try await answered(part, track, count, tells: tells)
    if fact.bytes != nil { return fact }
    // One of a site's servers may not have the segment yet. Without a second try, the layout would
    // lack the segment for ever.
    try await pieces.pause()
    return try await answered(part, track, count, tells: tells)
  }

  /// - Parameters:
  ///   - count: the number of first bytes that are requested.
  ///   - tells: whether the contents of these bytes are needed, and not only their hash.
  private func answered(
    _ part: StreamPart, _ track: TrackSource, _ count: Int, tells: Bool
  ) async throws -> SegmentFacts {
    let start = part.bytes?.lowerBound ?? 0
    let end = part.bytes.map { min($0.upperBound, start + count) } ?? start + count
    do {
      let answer = try await pieces.read(place(part.address, track), start..<end)
      let bytes = part.bytes ?? 0..<answer.representation.length
      guard bytes.upperBound <= answer.representation.length, !bytes.isEmpty else {
        throw StreamError.malformed("a segment behind the end of its file")
      }
      let hashed = try SegmentBeginning(of: answer.bytes[...])
      guard hashed.count == min(count, bytes.count, SegmentBeginning.maxBytes) else {
        throw StreamError.truncated("segment")
      }
      let plain =
        tells
        ? try plain(answer.bytes, of: part, isWhole: answer.bytes.count == bytes.count) : []
      let fact = SegmentFacts(
        bytes: bytes, beginning: plain,
        version: part.key == nil && !plain.isEmpty ? answer.representation : nil, hashed: hashed,
        seen: answer.representation)
      return try await uncovered(fact, part, track)
    } catch let trouble as PieceError where trouble.isMissing || trouble.end == .changed {
      // The segment is not there, or has no bytes.
      return SegmentFacts(bytes: nil)
    }
  }

  /// Reads the segment at `bytes` of its resource until its first `count` bytes are known.
  func readOn(
    _ own: inout SegmentFacts, _ bytes: ByteRange, to count: Int, _ part: StreamPart,
    _ track: TrackSource
  ) async throws {
    let whole = (count + SegmentCipher.block - 1) / SegmentCipher.block * SegmentCipher.block
    let range = bytes.lowerBound..<min(bytes.upperBound, bytes.lowerBound + whole)
    let place = place(part.address, track)
    if let version = own.version {
      let rest = try await pieces.read(
        place, bytes.lowerBound + own.beginning.count..<range.upperBound)
      // Bytes of two versions do not fit each other. If this is another version, the code below
      // reads the beginning anew.
      if rest.representation == version {
        own.beginning += rest.bytes
        return
      }
    }
    let answer = try await pieces.read(place, range)
    // As many bytes are hashed as before. Otherwise the version of the stream's file would depend
    // on which answers came.
    let hashed = own.hashed?.count ?? SegmentBeginning.maxBytes
    own.hashed = try SegmentBeginning(of: answer.bytes.prefix(hashed))
    own.seen = answer.representation
    own.beginning = try plain(answer.bytes, of: part, isWhole: range == bytes)
    own.version = part.key == nil ? answer.representation : nil
  }

  func plain(_ bytes: [UInt8], of part: StreamPart, isWhole: Bool) throws -> [UInt8] {
    guard let key = part.key else { return bytes }
    let cipher = try AES128(key: keys[key.address])
    let vector = SegmentCipher.bytes(of: key.vector)
    if isWhole { return try cipher.segment(bytes[...], vector: vector) }
    let blocks = bytes.count / SegmentCipher.block * SegmentCipher.block
    return try cipher.blocks(bytes.prefix(blocks), vector: vector)
  }
}
