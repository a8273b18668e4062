/// Completes the samples of a segment with bytes of other segments, and finds missing times there.
extension SegmentReader {
  /// Ends the bytes of the segment itself.
  ///
  /// - Parameter edge: how the next segment begins; nil if no segment continues this segment.
  /// - Returns: whether bytes of the next segment are needed.
  package mutating func endSegment(before edge: SegmentEdge?) throws(StreamError) -> Bool {
    try endBytes()
    cut = rest
    rest = []
    return try goOn(edge)
  }

  /// Begins the next segment, whose bytes are then given to `takeNext`.
  package mutating func beginNext(_ edge: SegmentEdge) {
    skipped = edge.phase
  }

  /// Receives the next bytes of the following segment. Returns samples as `take` does.
  package mutating func takeNext(_ bytes: ArraySlice<UInt8>) throws(StreamError) -> [MediaSample] {
    let front = bytes.prefix(skipped)
    skipped -= front.count
    if !cut.isEmpty {
      cut += front
      guard skipped == 0 else { return [] }
      try readCut()
      try endPackets()
    }
    quiet.picture.bytes += bytes.count
    quiet.sound.bytes += bytes.count
    try readPackets(of: bytes.dropFirst(front.count), isAll: false)
    try endQuiet()
    return try certain()
  }

  /// How many bytes and segments can come without a packet of a stream, until the stream is treated
  /// as ended.
  private static let maxQuiet = (bytes: 4 << 20, segments: 16)

  private static func isLong(_ quiet: Quiet) -> Bool {
    quiet.bytes > maxQuiet.bytes || quiet.segments > maxQuiet.segments
  }

  /// Stops waiting for pictures, or for sound, if no packet of them came within `maxQuiet`.
  private mutating func endQuiet() throws(StreamError) {
    if Self.isLong(quiet.picture) {
      // The bytes that the gate has not assigned to a segment yet belong to the last picture.
      try picture?.close(isOwn: false)
      picture?.end()
    }
    if Self.isLong(quiet.sound) { sound?.end() }
    if !isWanted { cut = [] }
  }

  /// Ends the bytes of the following segment. Returns whether bytes of the segment after it are
  /// needed.
  package mutating func endNext(before edge: SegmentEdge?) throws(StreamError) -> Bool {
    if cut.isEmpty {
      try readPackets(of: [], isAll: true)
      cut = isWanted ? rest : []
      rest = []
      quiet.picture.segments += 1
      quiet.sound.segments += 1
      try endQuiet()
    }
    return try goOn(edge)
  }

  /// Whether more bytes of following segments are needed.
  package var needsMore: Bool { !cut.isEmpty || isWanted }

  /// Whether the segment has sound whose time is not known.
  var needsTime: Bool { sound?.needsTime ?? false }

  /// Computes the time of the sound from the sound before the segment. Returns false if earlier
  /// bytes are needed for that. If the result is true and the time is still not known, the time
  /// cannot be computed.
  ///
  /// - Parameter bytes: plain bytes that end where the segment begins.
  mutating func countTime(behind bytes: [UInt8]) throws(StreamError) -> Bool {
    try sound?.countTime(behind: (bytes + front)[...]) ?? true
  }

  /// Ends the reading of following segments if all samples are complete and only the time of the
  /// sound is missing. Returns whether it has ended the reading.
  mutating func endWithoutTime() -> Bool {
    guard sound?.needsTimeAlone ?? false, !(picture?.isWanted ?? false) else { return false }
    sound?.end()
    cut = []
    return true
  }

  /// Whether a sample of the segment needs bytes of a following segment, or a time that can be
  /// found there.
  private var isWanted: Bool { picture?.isWanted ?? false || sound?.isWanted ?? false }

  /// Decides about the incomplete packet at the end of a segment: the next segment completes it
  /// only if that segment begins with exactly the missing bytes. Returns whether the next segment
  /// is needed.
  private mutating func goOn(_ edge: SegmentEdge?) throws(StreamError) -> Bool {
    follower = edge
    let isCut = !cut.isEmpty && cut.count + (edge?.phase ?? 0) == TransportPacket.length
    if edge != nil, isCut { return true }
    if edge != nil, cut.first == TransportPacket.sync {
      // The next segment does not begin with the rest of the packet, so this rest is missing.
      isFlawless = false
      cutOff += cut.count
    }
    cut = []
    try endPackets()
    return edge != nil && isWanted
  }

  /// Ends the packets of a segment. Further packets belong to the next segment.
  private mutating func endPackets() throws(StreamError) {
    try closeGates()
    isOwn = false
    let isClean = follower?.picture == .own
    picture?.beginNext(isClean: isClean)
    sound?.beginNext()
  }

  /// Reads the packet that is divided between two segments.
  private mutating func readCut() throws(StreamError) {
    let bytes = cut
    cut = []
    guard bytes.count == TransportPacket.length, bytes[0] == TransportPacket.sync else { return }
    try readPacket(bytes[...], at: 0)
  }
}
