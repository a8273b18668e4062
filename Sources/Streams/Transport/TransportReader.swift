/// Reads segments of MPEG transport streams: the pictures of the first stream of them, and the sound
/// (ISO 13818-1; RFC 8216 §3.2).
package struct TransportReader {
  private let bytes: ArraySlice<UInt8>
  private let contents: TrackContents
  private let place: Int
  private var tables = ProgramTables()
  private var pictureState = PacketState()
  private var soundState = PacketState()
  private var picture: (stream: Int, track: PictureTrack)?
  private var sound: (stream: Int, language: String?, track: SoundTrack)?
  private var isChosen = false

  /// The packet of a stream that is being put together.
  private struct PacketState {
    var bytes: [UInt8]?
    var counter: UInt8?
    var last: ArraySlice<UInt8> = []

    /// Takes a packet. Returns the bytes of the one before, if they end here.
    mutating func take(_ packet: TransportPacket) -> [UInt8]? {
      // A packet may be sent twice (§2.4.3.3).
      if counter == packet.counter, last == packet.payload { return nil }
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
  ///   - isWhole: false for the beginning of a segment. A picture that may be cut is left out then.
  package static func read(
    _ bytes: ArraySlice<UInt8>, _ contents: TrackContents = .both, near place: Int = 0,
    isWhole: Bool = true
  ) throws(StreamFault) -> DemuxedSegment {
    var reader = TransportReader(bytes, contents, near: place)
    try reader.readPackets()
    return try reader.finish(isWhole: isWhole)
  }

  private init(_ bytes: ArraySlice<UInt8>, _ contents: TrackContents, near place: Int) {
    self.bytes = bytes
    self.contents = contents
    self.place = place
  }

  private mutating func readPackets() throws(StreamFault) {
    var at = bytes.startIndex
    var count = 0
    while let start = TransportPacket.next(in: bytes, from: at) {
      at = start + TransportPacket.length
      count += 1
      guard let packet = TransportPacket(bytes, at: start) else { continue }
      if tables.holds(packet.stream) {
        try tables.take(packet)
        if !isChosen, let streams = tables.streams { try choose(streams) }
      } else if packet.stream == picture?.stream || packet.stream == sound?.stream {
        try take(packet)
      }
    }
    guard count > 0 else { throw .malformed("no transport stream") }
    guard isChosen else { throw .malformed("a transport stream without a table of its streams") }
  }

  private mutating func choose(_ streams: [ProgramTables.Stream]) throws(StreamFault) {
    isChosen = true
    var reason: String?
    for stream in streams {
      switch stream.kind {
      case .picture(let codec) where picture == nil && contents.contains(.picture):
        picture = (stream.stream, PictureTrack(codec))
      case .sound(let codec) where sound == nil && contents.contains(.sound):
        sound = (stream.stream, stream.language, SoundTrack(codec))
      case .unsupportedPicture(let name) where contents.contains(.picture): reason = name
      case .unsupportedSound(let name) where contents.contains(.sound): reason = reason ?? name
      case .picture, .sound, .unsupportedPicture, .unsupportedSound: break
      }
    }
    let lacksPicture = picture == nil && contents.contains(.picture)
    let lacksSound = sound == nil && contents.contains(.sound)
    if let reason, lacksPicture || lacksSound {
      throw .unsupported("its codec cannot be put into a file: \(reason)")
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

  private mutating func finish(isWhole: Bool) throws(StreamFault) -> DemuxedSegment {
    for (state, isPicture) in [(pictureState, true), (soundState, false)] {
      guard let bytes = state.bytes, isWhole || PacketizedUnit.isWhole(bytes[...]) else { continue }
      try end(bytes[...], isPicture: isPicture)
    }
    if isWhole { picture?.track.finish(near: place) }
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
