/// Makes the bytes of one slot from its whole fragment.
package struct SlotBytes {
  private let layout: StreamLayout
  let slot: Int

  package init(_ layout: StreamLayout, slot: Int) {
    self.layout = layout
    self.slot = slot
  }

  /// Whether a slot can be made piece by piece while its fragment comes. MP4 files with one track
  /// have their samples in the order of the slot.
  package static func isInOrder(_ layout: StreamLayout, slot: Int) -> Bool {
    let fragment = layout.fragments[slot]
    let strand = layout.strands[fragment.strand]
    if fragment.isGap { return true }
    guard fragment.key == nil, strand.format == .movie else { return false }
    return strand.isAll && layout.tracks.count { $0.strand == fragment.strand } == 1
  }

  /// Returns the bytes of the slot.
  ///
  /// - Parameters:
  ///   - fragment: the bytes of the fragment, as they are in its resource.
  ///   - key: the key that the fragment is encrypted with; nil if it is not encrypted.
  ///   - keys: all keys of the stream, in the order of `FragmentKey.number`.
  ///   - needed: returns bytes of the fragment of a later or earlier slot.
  package func bytes(
    of fragment: [UInt8], key: [UInt8]?, keys: [[UInt8]] = [],
    needed: (_ slot: Int, _ bytes: Range<Int>) throws(StreamError) -> ArraySlice<UInt8> = {
      (_, _) throws(StreamError) in throw .truncated("segment")
    }
  ) throws(StreamError) -> [UInt8] {
    try made(of: fragment, key: key, keys: keys, needed: needed).bytes
  }

  /// Returns the bytes of the slot, and how the fragment's media compare with its samples.
  func made(
    of fragment: [UInt8], key: [UInt8]?, keys: [[UInt8]] = [],
    needed: (_ slot: Int, _ bytes: Range<Int>) throws(StreamError) -> ArraySlice<UInt8> = {
      (_, _) throws(StreamError) in throw .truncated("segment")
    }
  ) throws(StreamError) -> (bytes: [UInt8], balance: MediaBalance) {
    let place = layout.fragments[slot]
    if layout.strands[place.strand].format == .samples {
      var composer = try SlotComposer(layout, slot: slot, key: key, keys: keys)
      var bytes = try composer.take(fragment[...]) + composer.endFragment()
      while let needs = composer.needs {
        bytes += try composer.takeNeeded(needed(needs.slot, needs.bytes))
      }
      return (try bytes + composer.finish(), composer.balance)
    }
    var plain = fragment
    if let own = place.key {
      guard let key else { throw .malformed("key") }
      plain = try AES128(key: key).segment(fragment[...], vector: own.vector)
    }
    // An encrypted fragment is a few bytes longer than the plain one. A `free` box fills the
    // difference.
    let missing = max(0, place.bytes.count - plain.count)
    if missing >= 8 { plain += [0, 0, 0, UInt8(missing)] + Array("free".utf8) }
    plain += [UInt8](repeating: 0, count: max(0, place.bytes.count - plain.count))
    var map = ClusterMap(layout, slot: slot)
    try map.take(plain[...], at: 0)
    let made = try map.made()
    let bytes = try made.pieces.bytes(of: plain)
    guard bytes.count == place.slot else {
      throw .malformed("a fragment of \(bytes.count) bytes where another length was announced")
    }
    return (bytes, made.balance)
  }

  /// The size of the fragment in bytes.
  var fragmentSize: Int { layout.fragments[slot].bytes.count }

  /// The tracks of the slot's strand.
  var tracks: [TrackDescription] {
    layout.tracks.filter { $0.strand == layout.fragments[slot].strand }.map(\.description)
  }

  /// The kinds of tracks that the slot takes from its fragment.
  var contents: TrackContents {
    var contents: TrackContents = []
    if tracks.contains(where: \.isVideo) { contents.insert(.picture) }
    if tracks.contains(where: { !$0.isVideo }) { contents.insert(.sound) }
    return contents
  }

  /// Returns a time stamp near those of the fragment, in ticks.
  func stamp() throws(StreamError) -> Int {
    let place = layout.fragments[slot]
    let time = try MediaTime.difference(
      MediaTime.sum(place.start, layout.zero),
      layout.strands[place.strand].sections[place.section])
    return time / (MediaTime.second / TimeStamp.scale)
  }

  /// Returns the facts about the slot's segment that are known before it is read.
  func known() throws(StreamError) -> SegmentReader.Known {
    let place = layout.fragments[slot]
    let strand = layout.strands[place.strand]
    var known = SegmentReader.Known(contents: contents)
    known.place = try stamp()
    known.phase = place.edge?.phase ?? 0
    let picture = tracks.first(where: \.isVideo)
    let sound = tracks.first { !$0.isVideo }
    known.picture = picture
    known.sound = sound.flatMap(SoundConfiguration.init)
    guard strand.streams.indices.contains(place.section) else { return known }
    let streams = strand.streams[place.section]
    known.delay = streams.delay
    if let stream = streams.picture, let codec = PictureCodec(picture) {
      known.choice.picture = (stream, codec)
    }
    if let stream = streams.sound, let codec = SoundFrame.Codec(sound?.codec) {
      known.choice.sound = (stream, codec)
    }
    if picture == nil { known.missing = streams.picture }
    if sound == nil { known.missing = streams.sound }
    return known
  }
}

extension [SlotPiece] {
  /// Returns the bytes of the pieces. Their ranges are in `fragment`.
  func bytes(of fragment: [UInt8]) throws(StreamError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(reduce(0) { $0 + $1.count })
    for piece in self {
      switch piece {
      case .bytes(let content): bytes += content
      case .zeros(let count): bytes += repeatElement(0, count: count)
      case .range(let range):
        guard range.upperBound <= fragment.count else { throw .truncated("fragment") }
        bytes += fragment[range]
      }
    }
    return bytes
  }
}
