/// Makes the layout of one file out of the strands of a stream.
package struct StreamRecipe {
  /// Makes `StreamLayout.identitySize` bytes of others, such as SHA-256 does.
  package typealias Hash = ([UInt8]) throws(StreamFault) -> [UInt8]

  /// A film that begins later than this has the clock of a broadcast. It begins at 0 then.
  private static let latestBeginning = 10 * MediaTime.second

  private let strands: [StrandIndex]
  private let chapters: [StreamChapter]
  private let keyHashes: [[UInt8]]
  private let hash: Hash

  /// - Parameters:
  ///   - strands: the picture first, if it is apart.
  ///   - keyHashes: a hash of each key by which fragments are encrypted.
  package init(
    strands: [StrandIndex], chapters: [StreamChapter] = [], keyHashes: [[UInt8]] = [],
    hash: @escaping Hash
  ) {
    self.strands = strands
    self.chapters = chapters
    self.keyHashes = keyHashes
    self.hash = hash
  }

  package func layout() throws(StreamFault) -> StreamLayout {
    let tracks = strands.enumerated().flatMap { number, strand in
      strand.tracks.map { track in
        LayoutTrack(
          strand: number, source: track.source, shift: track.shift, defaults: track.defaults,
          description: track.description)
      }
    }
    guard !tracks.isEmpty else { throw .unsupported("it has neither picture nor sound") }
    let entries = strands.flatMap(\.tracks).enumerated().map { number, track in
      MatroskaTrack.entry(track.description, number: number + 1, copied: track.entry)
    }
    let zero = self.zero
    let (fragments, isKey) = try self.fragments(zero: zero)
    guard !fragments.isEmpty else { throw .malformed("a film without fragments") }
    let duration = try MediaTime.difference(strands.map(\.end).max() ?? 0, zero)
    let head = try MatroskaHead(
      entries: entries, duration: max(0, duration), chapters: chapters,
      cues: cues(fragments, isKey, tracks), slots: fragments.map(\.slot))
    return try StreamLayout(
      strands: strands.map {
        LayoutStrand(format: $0.format, isAll: $0.isAll, sections: $0.sections)
      },
      tracks: tracks, fragments: fragments, zero: zero, duration: max(0, duration),
      head: head.bytes, identity: try hash(identified(fragments)))
  }

  /// Nanoseconds, a whole number of milliseconds: blocks that are copied have no finer times.
  private var zero: Int {
    let earliest = strands.flatMap(\.tracks).map(\.earliest).min() ?? 0
    guard earliest < 0 || earliest > Self.latestBeginning else { return 0 }
    let (whole, rest) = earliest.quotientAndRemainder(dividingBy: MediaTime.millisecond)
    return (rest < 0 ? whole - 1 : whole) * MediaTime.millisecond
  }

  /// Returns the fragments of all strands in the order of their times, and which of them begin with a
  /// key picture.
  private func fragments(zero: Int) throws(StreamFault) -> ([LayoutFragment], [Bool]) {
    var all: [(fragment: LayoutFragment, isKey: Bool)] = []
    var resources = 0
    for (number, strand) in strands.enumerated() {
      for fragment in strand.fragments {
        all.append(
          (
            LayoutFragment(
              strand: number, resource: resources + fragment.resource, bytes: fragment.bytes,
              start: try MediaTime.difference(fragment.start, zero), duration: fragment.duration,
              slot: try SlotSize.bytes(fragment: fragment, of: strand), isGap: fragment.isGap,
              section: fragment.section, key: fragment.key), fragment.isKey && !fragment.isGap
          ))
      }
      try StreamLimit.segments.check(all.count)
      resources += (strand.fragments.map(\.resource).max() ?? -1) + 1
    }
    // Of two that begin at the same time the picture comes first; one strand keeps its order.
    let order = all.indices.sorted {
      (all[$0].fragment.start, all[$0].fragment.strand, $0)
        < (all[$1].fragment.start, all[$1].fragment.strand, $1)
    }
    return (order.map { all[$0].fragment }, order.map { all[$0].isKey })
  }

  /// Returns a cue for each fragment of the strand that is looked at.
  private func cues(
    _ fragments: [LayoutFragment], _ isKey: [Bool], _ tracks: [LayoutTrack]
  ) -> [MatroskaHead.Cue] {
    let shown = tracks.firstIndex { $0.description.isVideo } ?? 0
    let all = fragments.indices.filter { fragments[$0].strand == tracks[shown].strand }
    let keys = all.filter { isKey[$0] }
    return (keys.isEmpty ? Array(all.prefix(1)) : keys).map { slot in
      MatroskaHead.Cue(
        time: max(0, MediaTime.milliseconds(fragments[slot].start)), track: shown + 1, slot: slot)
    }
  }

  /// The bytes of which the identity is the hash.
  private func identified(_ fragments: [LayoutFragment]) -> [UInt8] {
    var writer = LayoutWriter()
    writer.write(StreamLayout.recipe)
    writer.write(strands.count)
    for strand in strands {
      writer.write(Int(strand.format.rawValue))
      writer.write(strand.initialisation)
      writer.write(strand.tracks.count)
      for track in strand.tracks {
        writer.write(track.source)
        writer.write(track.description.codecPrivate)
        writer.write(track.description.defaultDuration ?? 0)
      }
      writer.write(strand.end)
      writer.write(strand.sections.count)
      for section in strand.sections { writer.write(section) }
    }
    writer.write(chapters.count)
    for chapter in chapters {
      writer.write(chapter.start)
      writer.write(chapter.title)
    }
    writer.write(fragments.count)
    for fragment in fragments {
      writer.write(fragment.strand)
      writer.write(fragment.bytes.count)
      writer.write(fragment.start)
      writer.write(fragment.duration)
      writer.write(fragment.slot)
      writer.write(fragment.isGap)
      writer.write(fragment.section)
      writer.write(fragment.key?.number ?? -1)
      writer.write(fragment.key?.vector ?? [])
    }
    writer.write(keyHashes.count)
    for key in keyHashes { writer.write(key) }
    return writer.bytes
  }
}
