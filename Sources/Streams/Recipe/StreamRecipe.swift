/// Makes the layout of one file from the strands of a stream.
package struct StreamRecipe {
  /// A hash function whose results have `StreamLayout.identitySize` bytes, such as SHA-256.
  package typealias Hash = ([UInt8]) throws(StreamError) -> [UInt8]

  /// The latest time of the first sample, in nanoseconds, at which times stay unchanged. A stream
  /// with a later first sample has the clock of a broadcast, so its times are shifted to begin at
  /// 0.
  private static let latestBeginning = 10 * MediaTime.second

  /// A fragment of sound is placed in the file as if it began this much later, in nanoseconds. So
  /// it follows a fragment of the picture that begins at nearly the same time. Otherwise some
  /// players would begin without the picture, and players that seek to the picture would not find
  /// the sound after it.
  package static let headStart = MediaTime.second / 2

  /// If sound before a cue lasts at most this long beyond the cue, in nanoseconds, a player that
  /// seeks to the cue is allowed to miss it.
  package static let minMissed = MediaTime.second / 20

  private let strands: [StrandIndex]
  private let chapters: [StreamChapter]
  private let keyHashes: [[UInt8]]
  private let hash: Hash

  /// - Parameters:
  ///   - strands: the strands of the stream. If the picture is a strand of its own, this strand is
  ///     the first.
  ///   - keyHashes: a hash of each key that fragments are encrypted with.
  package init(
    strands: [StrandIndex], chapters: [StreamChapter] = [], keyHashes: [[UInt8]] = [],
    hash: @escaping Hash
  ) {
    self.strands = strands
    self.chapters = chapters
    self.keyHashes = keyHashes
    self.hash = hash
  }

  package func layout() throws(StreamError) -> StreamLayout {
    let tracks = strands.enumerated().flatMap { number, strand in
      strand.tracks.map { track in
        LayoutTrack(
          strand: number, source: track.source, shift: track.shift, defaults: track.defaults,
          description: track.description)
      }
    }
    guard !tracks.isEmpty else { throw .unsupported("the stream has neither picture nor sound") }
    let entries = strands.flatMap(\.tracks).enumerated().map { number, track in
      MatroskaTrack.entry(track.description, number: number + 1, copied: track.entry)
    }
    let zero = try self.zero
    let (unaligned, isKey) = try self.fragments(zero: zero)
    var fragments = unaligned
    guard !fragments.isEmpty else { throw .malformed("a film without fragments") }
    let duration = try MediaTime.difference(strands.map(\.end).max() ?? 0, zero)
    let cues = cues(fragments, isKey, tracks)
    func head() throws(StreamError) -> MatroskaHead {
      try MatroskaHead(
        entries: entries, duration: max(0, duration), chapters: chapters, cues: cues,
        slots: fragments.map(\.slot))
    }
    // The size of the head does not depend on the sizes of the slots, so they can be aligned now.
    if strands.contains(where: { $0.format == .samples }) {
      align(&fragments, to: Set(cues.map(\.slot)), behind: try head().bytes.count)
    }
    return try StreamLayout(
      strands: strands.map {
        LayoutStrand(
          format: $0.format, isAll: $0.isAll, sections: $0.sections, streams: $0.streams)
      },
      tracks: tracks, fragments: fragments, zero: zero, duration: max(0, duration),
      head: try head().bytes, identity: try hash(identified(fragments, cues)))
  }

  /// The value of `StreamLayout.zero`. It is a whole number of milliseconds, since the times of
  /// copied WebM blocks are not finer.
  private var zero: Int {
    get throws(StreamError) {
      let earliest = strands.flatMap(\.tracks).map(\.earliest).min() ?? 0
      try MediaTime.check(earliest)
      guard earliest < 0 || earliest > Self.latestBeginning else { return 0 }
      let (whole, rest) = earliest.quotientAndRemainder(dividingBy: MediaTime.millisecond)
      return (rest < 0 ? whole - 1 : whole) * MediaTime.millisecond
    }
  }

  /// Returns the fragments of all strands in the order of their times, and whether decoding can
  /// begin at each of them.
  private func fragments(zero: Int) throws(StreamError) -> ([LayoutFragment], [Bool]) {
    var all: [(fragment: LayoutFragment, isKey: Bool, rank: Int)] = []
    var resources = 0
    let hasVideo = strands.contains(where: \.hasVideo)
    for (number, strand) in strands.enumerated() {
      let delay = hasVideo && !strand.hasVideo ? Self.headStart : 0
      for fragment in strand.fragments {
        let start = try MediaTime.difference(fragment.start, zero)
        try MediaTime.check(start)
        all.append(
          (
            LayoutFragment(
              strand: number, resource: resources + fragment.resource, bytes: fragment.bytes,
              start: start, duration: fragment.duration,
              slot: try SlotSize.bytes(fragment: fragment, of: strand),
              isGap: fragment.isGap, section: fragment.section, key: fragment.key,
              beginning: fragment.beginning, edge: fragment.edge),
            fragment.isKey && !fragment.isGap,
            start + delay
          ))
      }
      try StreamLimit.segments.check(all.count)
      resources += strand.resources
    }
    // The fragments of one strand with equal times keep their order.
    let order = all.indices.sorted {
      (all[$0].rank, all[$0].fragment.strand, $0) < (all[$1].rank, all[$1].fragment.strand, $1)
    }
    return (order.map { all[$0].fragment }, order.map { all[$0].isKey })
  }

  /// Extends slots so that the slots in `cued` begin at the beginning of a cache block. A player
  /// that seeks to such a slot then needs no byte of the previous fragment.
  private func align(_ fragments: inout [LayoutFragment], to cued: Set<Int>, behind head: Int) {
    var place = head
    var last = head
    for slot in fragments.indices {
      if slot > 0, cued.contains(slot), place - last >= LayoutRecipe.minAligned {
        let missing = (LayoutRecipe.block - place % LayoutRecipe.block) % LayoutRecipe.block
        fragments[slot - 1].slot += missing
        place += missing
        last = place
      }
      place += fragments[slot].slot
    }
  }

  /// Returns a cue for each fragment of the picture at which decoding can begin. Without a picture,
  /// the fragments of the first track get cues. If decoding can begin at none of these fragments,
  /// the first of them gets the only cue.
  ///
  /// A cue leads to the slot of its own fragment. But if an earlier fragment of another strand
  /// lasts beyond the time of the cue, the cue leads to the slot of that fragment: otherwise a
  /// player that seeks there would have no sound until the next fragment of sound begins.
  private func cues(
    _ fragments: [LayoutFragment], _ isKey: [Bool], _ tracks: [LayoutTrack]
  ) -> [MatroskaHead.Cue] {
    let shown = tracks.firstIndex { $0.description.isVideo } ?? 0
    let strand = tracks[shown].strand
    let hasKeys = fragments.indices.contains { fragments[$0].strand == strand && isKey[$0] }
    var latest: [Int: Int] = [:]
    var cues: [MatroskaHead.Cue] = []
    for (slot, fragment) in fragments.enumerated() {
      guard fragment.strand == strand else {
        latest[fragment.strand] = slot
        continue
      }
      guard hasKeys ? isKey[slot] : cues.isEmpty else { continue }
      let lasting = latest.values.filter {
        fragments[$0].start + fragments[$0].duration > fragment.start + Self.minMissed
      }
      cues.append(
        MatroskaHead.Cue(
          time: max(0, MediaTime.milliseconds(fragment.start)), track: shown + 1,
          slot: lasting.min() ?? slot, leadsElsewhere: !lasting.isEmpty))
    }
    return cues
  }

  /// Returns the bytes whose hash is the identity of the layout.
  private func identified(_ fragments: [LayoutFragment], _ cues: [MatroskaHead.Cue]) -> [UInt8] {
    var writer = LayoutWriter()
    writer.write(LayoutRecipe.number)
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
      strand.streams.write(to: &writer)
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
      writer.write(fragment.beginning)
      writer.write(fragment.edge?.phase ?? -1)
      writer.write(fragment.edge?.picture.rawValue ?? 0)
    }
    writer.write(keyHashes.count)
    for key in keyHashes { writer.write(key) }
    if cues.contains(where: { $0.leadsElsewhere }) {
      for cue in cues { writer.write(cue.slot) }
    }
    return writer.bytes
  }
}
