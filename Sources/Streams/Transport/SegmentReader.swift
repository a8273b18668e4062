/// Reads a segment of a transport stream, wherever it was cut.
///
/// A segment has the samples that begin in its PES packets. If the last samples are cut off, their
/// other bytes are taken from the following segments, of which as few bytes as possible are read.
///
/// The samples do not depend on how the bytes are divided between calls. Pictures have track 0, and
/// sound has track 1.
package struct SegmentReader {
  /// The facts that are known before a segment is read.
  struct Known {
    var contents: TrackContents
    /// A time near the times of the segment, in ticks. Time stamps have only 33 bits, and get their
    /// higher bits from this time.
    var place = 0
    /// The number of bytes before the first packet.
    var phase = 0
    /// The streams, if tables of earlier segments have listed them.
    var choice = ProgramChoice()
    /// The description of the pictures, if it is known.
    var picture: TrackDescription?
    /// The configuration of the sound in the stream's file, if it is known. A frame with another
    /// configuration is an error.
    var sound: SoundConfiguration?
    /// The parameter `delay` of `PictureClock`, if it is known.
    var delay: Int?
    /// The PID of a wanted picture or sound that has no track in the layout, because no sample of
    /// it was found when the layout was made. A packet with this PID is an error.
    var missing: Int?
  }

  /// The limit for the bytes of packets that wait for the table of their streams.
  private static let maxWaitingBytes = 8 << 20

  private let known: Known
  private var tables = ProgramTables()
  private var isChosen = false
  var picture: PictureLane?
  var sound: SoundLane?
  private(set) var language: String?
  /// Packets of streams that no table has listed yet.
  private var unread: [UInt8] = []
  /// The bytes after the last complete packet.
  var rest: [UInt8] = []
  /// How many bytes before the next packet are still to be skipped.
  var skipped: Int
  /// The beginning of a packet whose rest is in the next segment.
  var cut: [UInt8] = []
  /// How the next segment begins; nil if no segment continues this segment.
  var follower: SegmentEdge?
  private var hasPackets = false
  private var isLost = false
  /// False once a packet was missing. Either the stream lacks the packet, or the answer continued
  /// at a wrong offset. Only the end of the answer shows which of the two is true.
  var isFlawless = true
  /// The number of bytes of packets that were cut off and that no segment completes.
  var cutOff = 0
  /// The bytes before the first packet. They are the end of a packet that began in the previous
  /// segment.
  private(set) var front: [UInt8] = []
  /// How many bytes and segments have come after the segment itself since the last packet of a
  /// stream.
  struct Quiet {
    var bytes = 0
    var segments = 0
  }
  var quiet = (picture: Quiet(), sound: Quiet())
  /// Whether bytes of the segment itself are read, and not bytes of a following segment.
  var isOwn = true
  private var order = SampleOrder()
  private var isDescribed = false

  init(_ known: Known) {
    self.known = known
    skipped = known.phase
    if let (stream, codec) = known.choice.picture {
      picture = PictureLane(stream, codec, known)
    }
    if let (stream, codec) = known.choice.sound {
      sound = SoundLane(stream, codec, known)
    }
  }

  /// The streams that are read, if they are known.
  var choice: ProgramChoice {
    var choice = ProgramChoice()
    if let picture { choice.picture = (picture.stream, picture.codec) }
    if let sound { choice.sound = (sound.stream, sound.codec) }
    choice.language = language
    return choice
  }

  /// Whether a table of the streams was read.
  var hasTables: Bool { isChosen }

  /// Receives the next bytes. Returns the samples that are now certain, in decoding order: no later
  /// sample belongs before them.
  package mutating func take(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [MediaSample] {
    try read(bytes)
    return try certain()
  }

  /// Receives the next bytes. `certain` returns the samples.
  mutating func read(_ bytes: ArraySlice<UInt8>) throws(StreamError) {
    let passed = bytes.prefix(skipped)
    skipped -= passed.count
    front += passed
    try readPackets(of: bytes.dropFirst(passed.count), isAll: false)
  }

  /// Returns the samples that are certain and were not returned yet.
  mutating func certain() throws(StreamError) -> [MediaSample] {
    guard isSound else { return [] }
    if let picture, !isDescribed {
      guard picture.parser.isDescribed || known.picture != nil else { return [] }
      isDescribed = true
    }
    order.add(picture?.parser.takeWhole() ?? [], isPicture: true)
    order.add(sound?.track.takeWhole() ?? [], isPicture: false)
    return order.next(pictureComes: picture != nil, soundComes: sound != nil)
  }

  /// Whether no packet is missing so far.
  private var isSound: Bool {
    isFlawless && picture?.packets.isFlawless ?? true && sound?.packets.isFlawless ?? true
  }

  /// Ends the bytes of the segment itself.
  mutating func endBytes() throws(StreamError) {
    try readPackets(of: [], isAll: true)
    try check()
    unread = []
  }

  /// Throws `malformed` unless packets came and their streams are known.
  func check() throws(StreamError) {
    guard hasPackets || known.phase > 0 || !rest.isEmpty else {
      throw .malformed("no transport stream")
    }
    guard isChosen || !known.choice.isEmpty else {
      throw .malformed("a transport stream without a table of its streams")
    }
  }

  /// Ends the packets of a segment: each `TrackGate` releases the bytes on which it had not decided
  /// yet.
  mutating func closeGates() throws(StreamError) {
    try picture?.close(isOwn: isOwn)
    try sound?.close(isOwn: isOwn)
  }

  /// Ends the reading: no more bytes come. Returns the samples that were not returned yet.
  package mutating func finish() throws(StreamError) -> [MediaSample] {
    try picture?.finish()
    // If no packet is missing, another answer would have no time either, so the error is final.
    if needsTime, isSound { throw .unsupported("no packet has a time for the sound") }
    try sound?.finish()
    guard lost == 0 || !isSound else {
      throw .malformed("\(lost) bytes are neither picture nor sound")
    }
    order.add(picture?.parser.takeWhole() ?? [], isPicture: true)
    order.add(sound?.track.takeAll() ?? [], isPicture: false)
    return order.next(pictureComes: false, soundComes: false)
  }

  /// The number of payload bytes that are in no sample, and are neither heads nor stuffing. They
  /// are an error unless packets are missing.
  var lost: Int { (picture?.lost ?? 0) + (sound?.lost ?? 0) + cutOff }

  // MARK: Packets

  /// Reads the packets in `rest` and `more`. Then `rest` has the bytes after the last packet.
  /// `isAll` tells that no more bytes come.
  mutating func readPackets(of more: ArraySlice<UInt8>, isAll: Bool) throws(StreamError) {
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
      try readPacket(bytes, at: start)
    }
    rest = Array(bytes[at...])
  }

  mutating func readPacket(_ bytes: ArraySlice<UInt8>, at start: Int) throws(StreamError) {
    guard let packet = TransportPacket(bytes, at: start) else { return }
    if tables.holds(packet.stream) {
      guard isOwn, !isChosen else { return }
      try tables.take(packet)
      guard let streams = tables.streams else { return }
      isChosen = true
      try choose(ProgramChoice(streams, known.contents))
      let waiting = unread
      unread = []
      for place in stride(from: 0, to: waiting.count, by: TransportPacket.length) {
        guard let packet = TransportPacket(waiting[...], at: place) else { continue }
        try take(packet)
      }
    } else if packet.stream == picture?.stream || packet.stream == sound?.stream {
      try take(packet)
    } else if packet.stream == known.missing, isOwn {
      throw .unsupported("a track begins too late in the stream")
    } else if isOwn, !isChosen {
      unread += bytes[start..<start + TransportPacket.length]
      guard unread.count > Self.maxWaitingBytes else { return }
      guard !known.choice.isEmpty else {
        throw .malformed("a transport stream without a table of its streams")
      }
      unread = []
    }
  }

  private mutating func take(_ packet: TransportPacket) throws(StreamError) {
    let isPicture = packet.stream == picture?.stream
    guard isPicture || packet.stream == sound?.stream else { return }
    if packet.isScrambled {
      throw .unsupported(
        "the stream is encrypted as broadcasts are (DRM), so feedfs cannot read it")
    }
    if isPicture {
      quiet.picture = Quiet()
      try picture?.take(packet, isOwn: isOwn)
    } else {
      quiet.sound = Quiet()
      try sound?.take(packet, isOwn: isOwn)
    }
  }

  /// Begins to read the chosen streams of a table. Their PIDs can differ from the PIDs in an
  /// earlier table.
  private mutating func choose(_ choice: ProgramChoice) throws(StreamError) {
    if let (stream, codec) = choice.picture {
      let own = picture?.codec.name ?? known.picture?.codec ?? codec.name
      guard own == codec.name else { throw Self.other(codec.name, than: own) }
      if stream != picture?.stream {
        guard !(picture?.isBegun ?? false) else { throw Self.otherStream }
        picture = PictureLane(stream, codec, known)
      }
    }
    if let (stream, codec) = choice.sound {
      if let own = sound?.codec ?? known.sound.flatMap({ SoundFrame.Codec($0.codec) }), own != codec
      {
        throw Self.other(codec.words, than: known.sound?.codec ?? own.words)
      }
      if stream != sound?.stream {
        guard !(sound?.isBegun ?? false) else { throw Self.otherStream }
        sound = SoundLane(stream, codec, known)
      }
    }
    language = choice.language ?? language
  }

  private static func other(_ codec: String, than own: String) -> StreamError {
    .unsupported("the codec of the stream changes from \(own) to \(codec)")
  }
  private static let otherStream = StreamError.unsupported(
    "the tracks of the stream change within a segment")
}
