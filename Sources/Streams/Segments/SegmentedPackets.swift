/// Finds the tracks and edges of a transport stream's segments from their first bytes, wherever the
/// segments are cut.
///
/// The segments of a section are one stream of packets. So neighbouring segments are read as one
/// segment, as long as all their bytes are known.
package struct SegmentedPackets {
  /// The limit for the bytes of a section that are read to find its tracks.
  package static let maxBytes = 8 << 20
  /// The limit for the segments of a section that are read to find its tracks.
  package static let maxSegments = 256
  /// How many bytes of a segment are requested first to find its tracks.
  package static let beginning = 64 << 10

  private let source: TrackSource
  private let segments: [StreamSegment]
  private let facts: [SegmentFacts]
  /// The streams that the tables apart from the segments list; nil if there are no such tables.
  private let listed: ProgramChoice?

  package init(_ source: TrackSource, _ facts: [SegmentFacts]) {
    self.source = source
    listed = try? ProgramChoice.told(in: source.tables[...], phase: 0, source.contents)
    segments = source.segments
    self.facts = facts
  }

  private func isThere(_ number: Int) -> Bool {
    !segments[number].isGap && facts[number].bytes != nil
  }

  /// Whether all bytes of a segment are known. Encryption makes a segment up to one block longer
  /// than its plain bytes.
  private func isWhole(_ number: Int) -> Bool {
    let padding = segments[number].part.key == nil ? 0 : SegmentCipher.block
    return facts[number].beginning.count >= facts[number].size - padding
  }

  /// Returns segment `first` and the segments after it, up to a gap or the end of the section; at
  /// most `maxSegments`.
  private func following(_ first: Int) -> some Sequence<Int> {
    let most = min(segments.count, first + Self.maxSegments)
    let section = segments[first].section
    return (first..<most).lazy.prefix { isThere($0) && segments[$0].section == section }
  }

  /// Returns the tracks and samples in the known bytes of segment `first` and of the segments after
  /// it.
  ///
  /// - Parameter before: the streams of the previous section. They are used if the bytes contain no
  ///   table of streams.
  func content(
    from first: Int, before: ProgramChoice? = nil
  ) throws(StreamError) -> SegmentContent {
    var bytes: [UInt8] = []
    var isAll = true
    for number in following(first) {
      bytes += facts[number].beginning
      isAll = isWhole(number)
      guard isAll, bytes.count < Self.maxBytes else { break }
    }
    var known = SegmentReader.Known(contents: source.contents)
    known.phase = SegmentEdge.phase(of: facts[first].beginning[...]) ?? 0
    do throws(StreamError) {
      return try SegmentReader.content(of: bytes[...], known, isWhole: isAll)
    } catch {
      guard let before = before ?? listed, !before.isEmpty, case .malformed = error else {
        throw error
      }
      known.choice = before
      var content = try SegmentReader.content(of: bytes[...], known, isWhole: isAll)
      if let listed {
        content.hasTables = true
        content.choice.language = content.choice.language ?? listed.language
      }
      return content
    }
  }

  /// Returns the segment whose bytes are needed next to find the tracks from segment `first` on,
  /// and how many of its first bytes are needed. Nil if enough bytes are known.
  package func needs(from first: Int) throws(StreamError) -> (segment: Int, bytes: Int)? {
    var known = 0
    var needed: (Int, Int)?
    for number in following(first) {
      known += facts[number].beginning.count
      guard !isWhole(number) else { continue }
      let more = max(facts[number].beginning.count * 4, Self.beginning)
      needed = (number, min(facts[number].size, more))
      break
    }
    guard let needed, known < Self.maxBytes else { return nil }
    let content = try? content(from: first)
    return content?.isEnough ?? false ? nil : needed
  }

  /// Returns the segments whose tables list a picture or a sound that earlier tables of their
  /// section do not list. The track of this picture or sound must be read from that segment on.
  package func later() throws(StreamError) -> [Int] {
    var told: [Int: (picture: Bool, sound: Bool)] = [:]
    var later: [Int] = []
    var before: ProgramChoice?
    for number in segments.indices where isThere(number) {
      let section = segments[number].section
      let choice: ProgramChoice
      if told[section] == nil {
        choice = try content(from: number, before: before).choice
        before = choice
      } else {
        let beginning = facts[number].beginning.prefix(SegmentEdge.maxBytes)
        let phase = SegmentEdge.phase(of: beginning) ?? 0
        guard let own = try ProgramChoice.told(in: beginning, phase: phase, source.contents) else {
          continue
        }
        choice = own
      }
      let (hasPicture, hasSound) = (choice.picture != nil, choice.sound != nil)
      if let known = told[section], hasPicture && !known.picture || hasSound && !known.sound {
        later.append(number)
      }
      let known = told[section] ?? (false, false)
      told[section] = (known.picture || hasPicture, known.sound || hasSound)
    }
    return later
  }

  /// Returns how each segment begins; nil for a segment that is missing. `choices` are the streams
  /// of each section.
  func edges(_ choices: [Int: ProgramChoice]) -> [SegmentEdge?] {
    var edges: [SegmentEdge?] = []
    // The possible numbers of bytes before the segment's first packet, computed from the previous
    // segment. The first number that fits the known bytes is used.
    var counted = [0]
    for (number, segment) in segments.enumerated() {
      guard isThere(number) else {
        edges.append(nil)
        counted = [0]
        continue
      }
      if number > 0, segments[number - 1].section != segment.section { counted = [0] }
      let beginning = facts[number].beginning.prefix(SegmentEdge.maxBytes)
      let packet = SegmentEdge.packet
      // Most segments begin with a whole packet. This is assumed if no byte of the segment is
      // known.
      let likely = beginning.isEmpty && counted.contains(0) ? 0 : nil
      let fitting =
        likely
        ?? counted.first { phase in
          stride(from: phase, to: beginning.count, by: packet).allSatisfy {
            beginning[$0] == TransportPacket.sync
          }
        }
      let edge = SegmentEdge(
        beginning: beginning, phase: fitting ?? counted[0],
        choices[segment.section] ?? ProgramChoice())
      edges.append(edge)
      // The size of an encrypted segment's padding is known only if the whole segment is known.
      var sizes = [facts[number].size]
      if segment.part.key != nil {
        sizes =
          isWhole(number) && !beginning.isEmpty
          ? [facts[number].beginning.count]
          : (1...SegmentCipher.block).map { facts[number].size - $0 } + [facts[number].size]
      }
      counted = sizes.map { ((edge.phase - $0) % packet + packet) % packet }
    }
    return edges
  }

  /// Returns the segments whose known bytes do not show their edge, although more bytes can show
  /// it.
  func unclear(_ edges: [SegmentEdge?]) -> [Int] {
    edges.indices.filter { number in
      let known = facts[number].beginning.count
      return edges[number]?.picture == .unknown && known > 0 && known < SegmentEdge.maxBytes
        && !isWhole(number)
    }
  }

  /// Returns how many bytes the slot of segment `number` can need from the segments after it.
  func reserve(_ number: Int, _ edges: [SegmentEdge?]) -> Int {
    let behind = following(number).dropFirst()
    guard let next = behind.first(where: { _ in true }) else { return 0 }
    var most = Self.usualReserve
    // The rest of a picture is much smaller than a segment, so a quarter of the segment is enough.
    let rest = facts[number].size / 4
    switch isCut(behind, edges) {
    case true: most = max(Self.pictureReserve, rest)
    // Only sound continues in the next segment, for at most one PES packet. Pictures do not
    // continue.
    case false: most = min(max(facts[next].size / 8, Self.soundReserve), most)
    case nil: most = max(most, min(Self.pictureReserve, rest))
    }
    var bytes = 0
    for other in behind {
      bytes += facts[other].size
      if bytes >= most { break }
    }
    return min(bytes, most) + SegmentEdge.packet
  }

  /// Whether the following segments begin with the rest of a sample. Nil if the searched bytes do
  /// not show it.
  private func isCut(_ behind: some Sequence<Int>, _ edges: [SegmentEdge?]) -> Bool? {
    for number in behind {
      guard let edge = edges[number] else { return false }
      if edge.phase > 0 || edge.picture == .foreign { return true }
      guard edge.picture == .unknown else { return false }
      if facts[number].beginning.count >= SegmentEdge.maxBytes, !isWhole(number) { return nil }
      // A short segment can lack pictures, so the segment after it is examined too.
      guard facts[number].size <= Self.beginning else { return false }
    }
    return false
  }

  /// The least (`soundReserve`) and the greatest (`usualReserve`) number of bytes that are reserved
  /// for the rest of a piece of sound if no picture is cut. If a picture is cut, or this is not
  /// known, at least `usualReserve` is reserved.
  private static let soundReserve = 6 << 10
  private static let usualReserve = 16 << 10
  /// How many bytes are reserved for the rest of a picture that is cut; or a quarter of the
  /// segment, if this is more.
  private static let pictureReserve = 256 << 10
}
