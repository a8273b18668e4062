/// Completes the samples and times of a segment, from segments behind it and before it.
extension SegmentReader {
  /// Ends the bytes of the segment itself.
  ///
  /// - Parameter edge: how the next segment begins; nil if none goes on with this one.
  /// - Returns: whether bytes of the next one are needed.
  package mutating func endSegment(before edge: SegmentEdge?) throws(StreamError) -> Bool {
    try endBytes()
    cut = rest
    rest = []
    return try goOn(edge)
  }

  /// Begins the next segment.
  package mutating func beginNext(_ edge: SegmentEdge) {
    skipped = edge.phase
  }

  /// Takes the next bytes of the segment behind. Returns samples as `take` does.
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

  /// The bytes and segments without anything of a stream after which it counts as ended.
  private static let maxQuiet = (bytes: 4 << 20, segments: 16)

  private static func isLong(_ quiet: Quiet) -> Bool {
    quiet.bytes > maxQuiet.bytes || quiet.segments > maxQuiet.segments
  }

  /// Stops waiting for streams that bring nothing any more although the other stream goes on.
  private mutating func endQuiet() throws(StreamError) {
    if Self.isLong(quiet.picture) {
      // The bytes that are held belong to the last picture.
      try picture?.close(isOwn: false)
      picture?.end()
    }
    if Self.isLong(quiet.sound) { sound?.end() }
    if !isWanted { cut = [] }
  }

  /// Ends the bytes of the segment behind. Returns whether bytes of the one after it are needed.
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

  /// Whether more bytes of the segments behind are needed.
  package var needsMore: Bool { !cut.isEmpty || isWanted }

  /// Whether the segment has sound whose time is still missing.
  var needsTime: Bool { sound?.needsTime ?? false }

  /// Computes the time of the sound from the sound in front of it. Returns false if bytes further
  /// in front may have a time. If it returns true and the time is still missing, there is none.
  ///
  /// - Parameter bytes: plain bytes that end where the segment begins.
  mutating func countTime(behind bytes: [UInt8]) throws(StreamError) -> Bool {
    try sound?.countTime(behind: (bytes + front)[...]) ?? true
  }

  /// Takes no more of the segments behind if all begun samples have ended and only the time of the
  /// sound is missing. Returns whether that is so.
  mutating func endWithoutTime() -> Bool {
    guard sound?.needsTimeAlone ?? false, !(picture?.isWanted ?? false) else { return false }
    sound?.end()
    cut = []
    return true
  }

  /// Whether a sample is begun that its segment has not ended.
  private var isWanted: Bool { picture?.isWanted ?? false || sound?.isWanted ?? false }

  /// Ends the begun packet here, unless the next segment has exactly its rest. Returns whether the
  /// next segment is needed.
  private mutating func goOn(_ edge: SegmentEdge?) throws(StreamError) -> Bool {
    follower = edge
    let isCut = !cut.isEmpty && cut.count + (edge?.phase ?? 0) == TransportPacket.length
    if edge != nil, isCut { return true }
    if edge != nil, cut.first == TransportPacket.sync {
      // The segment behind does not have the rest of it.
      isFlawless = false
      cutOff += cut.count
    }
    cut = []
    try endPackets()
    return edge != nil && isWanted
  }

  /// Ends the packets that begin in a segment. Further packets belong to the next segment.
  private mutating func endPackets() throws(StreamError) {
    try closeGates()
    isOwn = false
    let isClean = follower?.picture == .own
    picture?.beginNext(isClean: isClean)
    sound?.beginNext()
  }

  /// Reads the packet that a segment has begun and the next one has ended.
  private mutating func readCut() throws(StreamError) {
    let bytes = cut
    cut = []
    guard bytes.count == TransportPacket.length, bytes[0] == TransportPacket.sync else { return }
    try readPacket(bytes[...], at: 0)
  }
}
