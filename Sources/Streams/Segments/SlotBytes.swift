/// Makes the bytes of one slot from its whole fragment.
package struct SlotBytes {
  private let layout: StreamLayout
  let slot: Int

  package init(_ layout: StreamLayout, slot: Int) {
    self.layout = layout
    self.slot = slot
  }

  /// Whether a slot can be made piece by piece while its fragment arrives. This is so for a gap,
  /// and for plain fragments of an MP4 file with one track, whose samples are in the order of the
  /// slot.
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
    Array(try made(of: fragment, key: key, keys: keys, needed: needed).bytes.joined())
  }

  /// Returns the bytes of the slot in portions, and how the fragment's media compare with its
  /// samples.
  func made(
    of fragment: [UInt8], key: [UInt8]?, keys: [[UInt8]] = [],
    needed: (_ slot: Int, _ bytes: Range<Int>) throws(StreamError) -> ArraySlice<UInt8> = {
      (_, _) throws(StreamError) in throw .truncated("segment")
    }
  ) throws(StreamError) -> (bytes: [ArraySlice<UInt8>], balance: MediaBalance) {
    let strand = layout.fragments[slot].strand
    if layout.strands[strand].format == .samples {
      var composer = try SlotComposer(layout, slot: slot, key: key, keys: keys)
      var bytes = try composer.take(fragment[...]) + composer.endFragment()
      while let needs = composer.needs {
        bytes += try composer.takeNeeded(needed(needs.slot, needs.bytes))
      }
      return (try bytes + composer.finish(), composer.balance)
    }
    var run = ByteRun(at: 0)
    run.append(fragment[...])
    return try made(of: run, key: key)
  }

  /// Returns the bytes of a slot whose samples have known places in its fragment. They share the
  /// memory of `fragment`, unless the fragment is encrypted.
  func made(
    of fragment: ByteRun, key: [UInt8]?
  ) throws(StreamError) -> (bytes: [ArraySlice<UInt8>], balance: MediaBalance) {
    let plain = try decrypted(fragment, key)
    var map = ClusterMap(layout, slot: slot)
    while let needs = map.needs {
      guard let bytes = plain.bytes(needs) else { throw .truncated("fragment") }
      try map.take(bytes, at: needs.lowerBound)
    }
    let made = try map.made()
    let bytes = try made.pieces.portions(of: plain)
    let count = bytes.reduce(0) { $0 + $1.count }
    guard count == layout.fragments[slot].slot else {
      throw .malformed(
        "a fragment of \(count) bytes where another length was announced")
    }
    return (bytes, made.balance)
  }

  private func decrypted(_ fragment: ByteRun, _ key: [UInt8]?) throws(StreamError) -> ByteRun {
    let place = layout.fragments[slot]
    var run = fragment
    if let own = place.key {
      guard let key, let all = fragment.bytes(0..<fragment.end) else { throw .malformed("key") }
      run = ByteRun(at: 0)
      run.append(try AES128(key: key).segment(all, vector: own.vector)[...])
    }
    // Encryption makes a fragment a few bytes longer, and the slot was computed for that length. A
    // `free` box fills the difference.
    let missing = max(0, place.bytes.count - run.count)
    if missing >= 8 { run.append(([0, 0, 0, UInt8(missing)] + Array("free".utf8))[...]) }
    run.append([UInt8](repeating: 0, count: max(0, place.bytes.count - run.count))[...])
    return run
  }

  /// The tracks of the slot's strand.
  var tracks: [TrackDescription] {
    layout.tracks.filter { $0.strand == layout.fragments[slot].strand }.map(\.description)
  }

  /// The kinds of tracks whose samples the slot contains.
  var contents: TrackContents {
    var contents: TrackContents = []
    if tracks.contains(where: \.isVideo) { contents.insert(.picture) }
    if tracks.contains(where: { !$0.isVideo }) { contents.insert(.sound) }
    return contents
  }

  /// Returns a time stamp near the time stamps of the fragment, in ticks.
  func stamp() throws(StreamError) -> Int {
    let place = layout.fragments[slot]
    let time = try MediaTime.difference(
      MediaTime.sum(place.start, layout.zero),
      layout.strands[place.strand].sections[place.section])
    return time / (MediaTime.second / TimeStamp.scale)
  }

  /// Returns the facts about the slot's segment that are known before the segment is read.
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
