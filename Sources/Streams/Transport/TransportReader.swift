/// Reads segments of MPEG transport streams: the pictures of the first stream of them, and the sound
/// (ISO 13818-1; RFC 8216 §3.2).
package struct TransportReader {
  private let contents: TrackContents
  private let place: Int
  /// The tracks of the film; empty if it is not known yet.
  private let expected: [TrackDescription]
  private var tables = ProgramTables()
  private var pictureState = PacketState()
  private var soundState = PacketState()
  private var picture: (stream: Int, track: PictureTrack)?
  private var sound: (stream: Int, language: String?, track: SoundTrack)?
  private var isChosen = false
  /// The bytes behind the last packet that was whole.
  private var rest: [UInt8] = []
  private var hasPackets = false
  /// True while the next packet is looked for, because none began where one was expected.
  private var isLost = false
  /// The order of the samples that were given already.
  private var order = SampleOrder()
  /// Whether the pictures that came have all that a decoder needs.
  private var isDescribed = false
  /// False once a packet was missing. An answer that goes on at a wrong place looks so, and only its
  /// end tells.
  private var isFlawless = true

  /// The packet of a stream that is being put together.
  private struct PacketState {
    var bytes: [UInt8]?
    var counter: UInt8?
    var last: ArraySlice<UInt8> = []
    /// False once the packets' counters did not follow one another.
    var isFlawless = true

    /// Takes a packet. Returns the bytes of the one before, if they end here.
    mutating func take(_ packet: TransportPacket) -> [UInt8]? {
      // A packet may be sent twice (§2.4.3.3).
      if counter == packet.counter, last == packet.payload { return nil }
      if let counter, packet.counter != (counter + 1) & 15 { isFlawless = false }
      counter = packet.counter
      last = packet.payload
      if packet.isStart {
        defer { bytes = Array(packet.payload) }
        return bytes
      }
      bytes? += packet.payload
      return nil
    }
  }

  /// Reads a segment.
  ///
  /// - Parameters:
  ///   - contents: the tracks that are wanted, as far as they are there.
  ///   - place: a time in ticks near the segment's: times are of 33 bits, and get those above from it.
  ///   - tracks: those of the film; empty if it is not known yet. Other codecs, and another
  ///     configuration of sound, are errors.
  ///   - isWhole: false for the beginning of a segment. A picture that may be cut is left out then.
  package static func read(
    _ bytes: ArraySlice<UInt8>, _ contents: TrackContents = .both, near place: Int = 0,
    as tracks: [TrackDescription] = [], isWhole: Bool = true
  ) throws(StreamFault) -> DemuxedSegment {
    var reader = TransportReader(contents, near: place, as: tracks)
    try reader.readPackets(of: bytes, isAll: true)
    return try reader.finish(isWhole: isWhole)
  }

  package init(_ contents: TrackContents, near place: Int, as tracks: [TrackDescription] = []) {
    self.contents = contents
    self.place = place
    expected = tracks
  }

  /// Reads the packets of bytes, and keeps what lies behind the last one.
  private mutating func readPackets(
    of more: ArraySlice<UInt8>, isAll: Bool
  ) throws(StreamFault) {
    let bytes = rest.isEmpty ? more : (rest + more)[...]
    var at = bytes.startIndex
    while true {
      let next = TransportPacket.next(in: bytes, from: at, isLost: isLost, isAll: isAll)
      if next.isLost { isFlawless = false }
      at = next.rest
      isLost = next.isLost && next.start == nil
      guard let start = next.start else { break }
      at = start + TransportPacket.length
      hasPackets = true
      guard let packet = TransportPacket(bytes, at: start) else { continue }
      if tables.holds(packet.stream) {
        try tables.take(packet)
        if !isChosen, let streams = tables.streams { try choose(streams) }
      } else if packet.stream == picture?.stream || packet.stream == sound?.stream {
        try take(packet)
      }
    }
    rest = Array(bytes[at...])
  }

  private mutating func choose(_ streams: [ProgramTables.Stream]) throws(StreamFault) {
    isChosen = true
    let choice = try ProgramChoice(streams, contents)
    if let (stream, codec) = choice.picture {
      if let own = expected.first(where: \.isVideo), own.codec != codec.name {
        throw .unsupported("another codec follows in it: \(codec.name), not \(own.codec)")
      }
      picture = (stream, PictureTrack(codec))
    }
    if let (stream, codec) = choice.sound {
      let own = expected.lazy.compactMap(SoundConfiguration.init).first
      sound = (stream, choice.language, SoundTrack(codec, expecting: own))
    }
  }

  private mutating func take(_ packet: TransportPacket) throws(StreamFault) {
    if packet.isScrambled { throw .unsupported("it is encrypted as broadcasts are (DRM)") }
    let isPicture = packet.stream == picture?.stream
    let whole = isPicture ? pictureState.take(packet) : soundState.take(packet)
    if let whole { try end(whole[...], isPicture: isPicture) }
  }

  private mutating func end(_ packet: ArraySlice<UInt8>, isPicture: Bool) throws(StreamFault) {
    guard let unit = PacketizedUnit(packet) else { return }
    if isPicture {
      picture?.track.take(unit, near: place)
    } else {
      let time = unit.presentation.map { TimeStamp.unwrapped($0, near: place) }
      try sound?.track.take(unit.bytes, at: time)
    }
  }

  /// Ends what is not whole yet.
  private mutating func close(isWhole: Bool) throws(StreamFault) {
    guard hasPackets else { throw .malformed("no transport stream") }
    guard isChosen else { throw .malformed("a transport stream without a table of its streams") }
    for (state, isPicture) in [(pictureState, true), (soundState, false)] {
      guard let bytes = state.bytes, isWhole || PacketizedUnit.isWhole(bytes[...]) else { continue }
      try end(bytes[...], isPicture: isPicture)
    }
    if isWhole { picture?.track.finish(near: place) }
  }

  private mutating func finish(isWhole: Bool) throws(StreamFault) -> DemuxedSegment {
    try close(isWhole: isWhole)
    var segment = DemuxedSegment()
    if let track = picture?.track, !track.isEmpty {
      segment.add(try track.description(), track.samples(track: 0))
    }
    if let (_, language, track) = sound, let frame = track.first {
      var description = frame.description
      if let language { description.language = language }
      segment.add(description, track.samples(track: segment.tracks.count))
    }
    segment.sort()
    return segment
  }
}

/// Reads a segment while it comes.
///
/// The samples are the same however its bytes were cut. Those of the picture have track 0, and those of
/// the sound track 1; their durations are not told.
extension TransportReader {
  /// Takes the next bytes. Returns the samples that are certain by them, in their order: a later one
  /// never belongs before them.
  package mutating func take(_ bytes: ArraySlice<UInt8>) throws(StreamFault) -> [MediaSample] {
    try readPackets(of: bytes, isAll: false)
    // Slices of bytes that came would keep all of them.
    pictureState.last = Array(pictureState.last)[...]
    soundState.last = Array(soundState.last)[...]
    guard isFlawless, pictureState.isFlawless, soundState.isFlawless else { return [] }
    if let track = picture?.track, !isDescribed {
      guard !track.isEmpty, (try? track.description()) != nil else { return [] }
      isDescribed = true
    }
    order.add(picture?.track.takeWhole() ?? [], isPicture: true)
    order.add(sound?.track.takeWhole() ?? [], isPicture: false)
    return order.next(pictureComes: picture != nil, soundComes: sound != nil)
  }

  /// Returns the samples that were not returned yet, at the end of the segment.
  package mutating func finish() throws(StreamFault) -> [MediaSample] {
    try readPackets(of: [], isAll: true)
    try close(isWhole: true)
    if let track = picture?.track, !isDescribed, !track.isEmpty { _ = try track.description() }
    order.add(picture?.track.takeWhole() ?? [], isPicture: true)
    order.add(sound?.track.takeAll() ?? [], isPicture: false)
    return order.next(pictureComes: false, soundComes: false)
  }
}
