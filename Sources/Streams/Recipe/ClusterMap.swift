/// Finds the pieces of one slot, and reads as few bytes of its fragment as possible.
///
/// A fragment of MP4 needs only its `moof` boxes: they tell where each sample is. Of a WebM
/// cluster, only the beginning is needed if track numbers and times stay the same, else the whole
/// cluster. More bytes than needed do not change the result.
package struct ClusterMap {
  private let layout: StreamLayout
  private let slot: Int
  private var walk: FragmentWalk
  private var head: ArraySlice<UInt8>?
  private var whole: ArraySlice<UInt8>?

  package init(_ layout: StreamLayout, slot: Int) {
    self.layout = layout
    self.slot = slot
    walk = FragmentWalk(size: layout.fragments[slot].bytes.count)
  }

  private var fragment: LayoutFragment { layout.fragments[slot] }
  private var format: StrandFormat { layout.strands[fragment.strand].format }

  /// The range of the fragment that `take` must get next; nil if `pieces` can be called.
  package var needs: Range<Int>? {
    if fragment.isGap { return nil }
    let size = fragment.bytes.count
    switch format {
    case .movie: return walk.needs
    case .samples: return nil
    case .webm:
      if whole != nil { return nil }
      guard let head else { return 0..<min(size, ClusterRewriter.head) }
      return (try? rewriter.pieces(head: head, size: size, slot: fragment.slot)) == nil
        ? 0..<size : nil
    }
  }

  /// Receives bytes of the fragment that begin at `offset`.
  package mutating func take(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(StreamError) {
    let size = fragment.bytes.count
    switch format {
    case .movie: try walk.take(bytes, at: offset)
    case .samples: break
    case .webm where offset == 0:
      if bytes.count >= min(size, ClusterRewriter.head) {
        head = bytes.prefix(ClusterRewriter.head)
      }
      if bytes.count >= size { whole = bytes.prefix(size) }
    case .webm: break
    }
  }

  /// The pieces of a slot, and how the fragment's media compare with its samples.
  package struct Made {
    package let pieces: [SlotPiece]
    package var balance = MediaBalance()
  }

  /// Returns the pieces of the slot. Their ranges count from the beginning of the fragment.
  package func pieces() throws(StreamError) -> [SlotPiece] { try made().pieces }

  /// Returns the pieces of the slot, and the balance of its fragment.
  package func made() throws(StreamError) -> Made {
    if fragment.isGap {
      return Made(pieces: try ClusterComposer.pieces(of: [], slot: fragment.slot))
    }
    switch format {
    case .movie: return try madeOfMovie()
    case .samples: throw .malformed("a fragment that must be taken apart first")
    case .webm:
      if let whole { return Made(pieces: try rewriter.pieces(of: whole, slot: fragment.slot)) }
      guard let head,
        let pieces = try rewriter.pieces(
          head: head, size: fragment.bytes.count, slot: fragment.slot)
      else { throw .truncated("cluster") }
      return Made(pieces: pieces)
    }
  }

  // MARK: MP4

  private func madeOfMovie() throws(StreamError) -> Made {
    guard walk.needs == nil else { throw .truncated("fragment") }
    // With a wrong key the bytes are noise, of which an empty slot would be made.
    guard fragment.key == nil || !walk.moofs.isEmpty else {
      throw .malformed("the key of a segment does not decrypt it")
    }
    var numbers: [Int: Int] = [:]
    var defaults: [Int: SampleDefaults] = [:]
    for (number, track) in layout.tracks.enumerated() where track.strand == fragment.strand {
      numbers[track.source] = number
      defaults[track.source] = track.defaults
    }
    var movie = MovieFragment(
      defaults: defaults, origin: fragment.bytes.lowerBound, size: fragment.bytes.count)
    for moof in walk.moofs { try movie.read(moof.body, at: moof.place) }
    var order = DecodingOrder()
    for sample in movie.samples {
      guard let number = numbers[sample.track] else { continue }
      let track = layout.tracks[number]
      let shown = try MediaTime.difference(
        MediaTime.sum(sample.time, sample.composition), track.shift)
      let timescale = track.description.timescale
      order.append(
        ClusterBlock(
          track: number + 1, time: try time(shown, timescale: timescale), isKey: sample.isKey,
          isDiscardable: sample.isDiscardable, payload: .range(sample.bytes)),
        at: try MediaTime.nanoseconds(sample.time, timescale: timescale))
    }
    var made = Made(pieces: try ClusterComposer.pieces(of: order.blocks, slot: fragment.slot))
    // If the fragment has tracks that were not chosen, bytes without samples can belong to them. So
    // no balance is computed then.
    if layout.strands[fragment.strand].isAll || !movie.hasOthers {
      made.balance.add(media: walk.media, samples: movie.samples.map(\.bytes))
    }
    return made
  }

  /// Converts a media time in ticks to milliseconds from the beginning of the stream's file.
  private func time(_ ticks: Int, timescale: Int) throws(StreamError) -> Int {
    let section = layout.strands[fragment.strand].sections[fragment.section]
    let time = try MediaTime.sum(
      MediaTime.nanoseconds(ticks, timescale: timescale), section)
    return MediaTime.milliseconds(try MediaTime.difference(time, layout.zero))
  }

  // MARK: WebM

  private var rewriter: ClusterRewriter {
    var numbers: [Int: Int] = [:]
    for (number, track) in layout.tracks.enumerated() where track.strand == fragment.strand {
      numbers[track.source] = number + 1
    }
    return ClusterRewriter(
      numbers: numbers, zero: MediaTime.milliseconds(layout.zero),
      isAll: layout.strands[fragment.strand].isAll && layout.zero == 0)
  }

  // MARK: Samples

  /// Returns a sample of the slot's fragment as a block of a cluster.
  ///
  /// - Parameter number: the position of its track in `StreamLayout.tracks`.
  func block(
    of sample: MediaSample, inTrack number: Int
  ) throws(StreamError) -> ClusterBlock {
    let track = layout.tracks[number]
    let shown = try MediaTime.difference(
      MediaTime.sum(sample.time, sample.composition), track.shift)
    return ClusterBlock(
      track: number + 1, time: try time(shown, timescale: track.description.timescale),
      isKey: sample.isKey, isDiscardable: sample.isDiscardable, payload: .bytes(sample.bytes))
  }
}

/// Sorts the samples of all tracks of a fragment by decoding time.
private struct DecodingOrder {
  private var entries: [(time: Int, number: Int, block: ClusterBlock)] = []

  mutating func append(_ block: ClusterBlock, at time: Int) {
    entries.append((time, entries.count, block))
  }

  var blocks: [ClusterBlock] {
    entries.sorted { ($0.time, $0.number) < ($1.time, $1.number) }.map(\.block)
  }
}
