/// Makes the samples of a segment's pictures from packets.
struct PictureLane {
  let stream: Int
  let codec: PictureCodec
  private(set) var packets = PacketStream()
  private var gate: TrackGate
  var parser: PictureParser
  /// True once a picture of the segment itself has begun.
  private(set) var isBegun = false
  /// True once the first picture of a following segment was found.
  private(set) var isDone = false
  /// The times of the first picture of the following segment.
  private var next: PacketStamp?
  /// The number of bytes that belong to other segments.
  private(set) var foreign = 0

  init(_ stream: Int, _ codec: PictureCodec, _ known: SegmentReader.Known) {
    (self.stream, self.codec) = (stream, codec)
    gate = TrackGate(.picture(codec))
    parser = PictureParser(codec, near: known.place, known.picture, delay: known.delay)
  }

  /// The number of bytes of pictures that are in no sample.
  var lost: Int { parser.lost + packets.lost }

  /// - Parameter isOwn: false for packets of a following segment.
  mutating func take(_ packet: TransportPacket, isOwn: Bool) throws(StreamError) {
    guard isOwn || isWanted, let payload = packets.take(packet) else { return }
    try pass(gate.take(payload), isOwn: isOwn)
  }

  mutating func close(isOwn: Bool) throws(StreamError) {
    guard isOwn || isWanted else { return }
    try pass(gate.finish(), isOwn: isOwn)
  }

  /// Whether a picture has begun whose rest is in a following segment.
  var isWanted: Bool { isBegun && !isDone }

  /// - Parameter isClean: true if the next segment begins with a picture of its own, and not with
  ///   the rest of an earlier picture.
  mutating func beginNext(isClean: Bool) {
    gate = TrackGate(.picture(codec))
    if isClean { isDone = true }
  }

  /// Ends the pictures: later pictures are ignored.
  mutating func end() { isDone = true }

  mutating func finish() throws(StreamError) { try parser.finish(before: next) }

  private mutating func pass(_ sides: TrackGate.Sides, isOwn: Bool) throws(StreamError) {
    let (own, other) = isOwn ? (sides.behind, sides.before) : (sides.before, sides.behind)
    for payload in own { try parser.take(payload.bytes, payload.stamp) }
    foreign += other.reduce(0) { $0 + $1.bytes.count }
    guard gate.isOpen else { return }
    if isOwn {
      isBegun = true
    } else {
      isDone = true
      next = gate.stamp
    }
  }
}

/// Makes the samples of a segment's sound from packets.
struct SoundLane {
  let stream: Int
  let codec: SoundFrame.Codec
  /// A time near the times of the segment, in ticks.
  private let place: Int
  private(set) var packets = PacketStream()
  private var gate: TrackGate
  var track: SoundTrack
  /// True once a frame of the segment itself has begun.
  private(set) var isBegun = false
  /// True once all frames of the segment are complete: later bytes belong to other segments.
  private(set) var isDone = false
  /// The number of the segment's own frames, once no more bytes of them are read and only their
  /// time is missing; else nil. Later frames are then read to find the time.
  private var own: Int?
  /// The number of bytes that belong to other segments.
  private(set) var foreign = 0
  /// The packets of the segment, up to the packet that showed where its first frame begins.
  private var head: [TransportPacket] = []
  /// The number of payload bytes in `head` from the first frame on.
  private var begun = 0
  /// False once a packet of the segment itself was missing.
  private var isFlawless = true

  init(_ stream: Int, _ codec: SoundFrame.Codec, _ known: SegmentReader.Known) {
    (self.stream, self.codec, self.place) = (stream, codec, known.place)
    gate = TrackGate(.sound(codec))
    track = SoundTrack(codec, expecting: known.sound)
  }

  /// The number of bytes of sound that are in no sample.
  var lost: Int { track.lost + packets.lost + (isDone && own == nil ? track.open : 0) }

  /// - Parameter isOwn: false for packets of a following segment.
  mutating func take(_ packet: TransportPacket, isOwn: Bool) throws(StreamError) {
    // All frames that began in the segment are complete. Further bytes belong to other segments.
    if !isOwn, !isWanted { isDone = true }
    if isOwn, !isBegun { head.append(packet.copy) }
    guard !isDone else { return }
    let taken = packets.take(packet)
    if isOwn { isFlawless = packets.isFlawless }
    guard let payload = taken else { return }
    try pass(gate.take(payload), isOwn: isOwn)
  }

  mutating func close(isOwn: Bool) throws(StreamError) {
    guard isOwn || isWanted else { return }
    try pass(gate.finish(), isOwn: isOwn)
    // A segment without frames of its own needs no time, so its packets can be freed.
    if isOwn, !isBegun { head = [] }
  }

  /// Ends the sound: no more bytes come.
  mutating func finish() throws(StreamError) {
    // If no later frame had a time, the later frames are removed again.
    if let own, !track.isTimed { track.keep(own) }
    try track.finish()
  }

  /// Whether the segment has frames whose time is not known.
  var needsTime: Bool { isBegun && !track.isTimed && (own ?? track.count) > 0 }

  /// Whether the frames of the segment are complete, and only their time is not known.
  var needsTimeAlone: Bool { own != nil && needsTime }

  /// Computes the time of the first frame from the sound before the segment. Returns false if
  /// earlier bytes are needed for that. If the result is true and the time is still not known, the
  /// time cannot be computed.
  ///
  /// - Parameter bytes: the plain bytes before the first packet of the segment.
  /// - Throws: `malformed` if packets are missing after the last time: the sound after them would
  ///   be heard at a wrong time.
  mutating func countTime(behind bytes: ArraySlice<UInt8>) throws(StreamError) -> Bool {
    guard needsTime, let rate = track.first?.rate else { return true }
    let before = EarlierSound(number: stream, codec: codec, own: head, begun: begun, rate: rate)
    let answer = isFlawless ? before.time(behind: bytes, near: place) : .gap
    switch answer {
    case .time(let time):
      if let own { track.keep(own) }
      track.begin(at: time)
      return true
    case .notYet: return false
    case .untellable: return true
    case .gap: throw .malformed("packets are missing, and the sound behind them has no times")
    }
  }

  /// Whether a frame of the segment needs bytes of a following segment, or a time that can be found
  /// there.
  var isWanted: Bool {
    isBegun && !isDone && (packets.isOpen || track.isOpen || !track.isTimed)
  }

  mutating func beginNext() { gate = TrackGate(.sound(codec)) }

  /// Ends the sound: later frames are ignored. A frame that has begun stays incomplete.
  mutating func end() {
    if !isDone, own == nil { own = track.count }
    isDone = true
  }

  private mutating func add(_ payload: Payload) throws(StreamError) {
    let time = payload.stamp.map { TimeStamp.unwrapped($0.presentation, near: place) }
    try track.take(payload.bytes, at: time)
  }

  private mutating func pass(_ sides: TrackGate.Sides, isOwn: Bool) throws(StreamError) {
    if own != nil {
      for payload in sides.before + sides.behind { try count(payload) }
      return
    }
    let (taken, other) = isOwn ? (sides.behind, sides.before) : (sides.before, sides.behind)
    for payload in taken { try add(payload) }
    foreign += other.reduce(0) { $0 + $1.bytes.count }
    if track.isTimed { head = [] }
    guard gate.isOpen else { return }
    if isOwn {
      if !isBegun { begun = taken.reduce(0) { $0 + $1.bytes.count } }
      isBegun = true
    } else if track.isTimed {
      isDone = true
    } else {
      own = track.count
      for payload in sides.behind { try count(payload) }
    }
  }

  /// Reads frames that follow the segment's own frames, until one of them has a time.
  private mutating func count(_ payload: Payload) throws(StreamError) {
    guard !isDone, let own else { return }
    try add(payload)
    guard track.isTimed else { return }
    track.keep(own)
    isDone = true
  }
}

extension PictureCodec {
  /// Finds the codec of a track; nil if it is neither H.264 nor HEVC.
  init?(_ description: TrackDescription?) {
    switch description?.codec {
    case "V_MPEG4/ISO/AVC": self = .h264
    case "V_MPEGH/ISO/HEVC": self = .hevc
    default: return nil
    }
  }
}

extension SoundFrame.Codec {
  /// Finds the codec by its name in Matroska; nil for other names.
  init?(_ name: String?) {
    switch name {
    case "A_AAC": self = .aac
    case "A_MPEG/L2", "A_MPEG/L3": self = .mpegAudio
    case "A_AC3": self = .ac3
    case "A_EAC3": self = .eac3
    default: return nil
    }
  }

  /// The name of the codec for messages to the user.
  var words: String {
    switch self {
    case .aac: "A_AAC"
    case .mpegAudio: "A_MPEG"
    case .ac3: "A_AC3"
    case .eac3: "A_EAC3"
    }
  }
}
