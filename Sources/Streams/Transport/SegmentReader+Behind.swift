/// Reads what a segment has begun, and segments behind it end or segments before it tell.
extension SegmentReader {
  /// Ends the bytes of the segment itself.
  ///
  /// - Parameter edge: how the next segment begins; nil if none goes on with this one.
  /// - Returns: whether bytes of the next one are needed.
  package mutating func endSegment(before edge: SegmentEdge?) throws(StreamFault) -> Bool {
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
  package mutating func takeNext(_ bytes: ArraySlice<UInt8>) throws(StreamFault) -> [MediaSample] {
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

  /// Bytes and segments in which a stream has said nothing, so that it has ended.
  private static let mostQuiet = (bytes: 4 << 20, segments: 16)

  private static func isLong(_ quiet: Quiet) -> Bool {
    quiet.bytes > mostQuiet.bytes || quiet.segments > mostQuiet.segments
  }

  /// Waits no longer for streams that say nothing any more, though the other one goes on.
  private mutating func endQuiet() throws(StreamFault) {
    if Self.isLong(quiet.picture) {
      // The bytes that are held belong to the last picture.
      try picture?.close(isOwn: false)
      picture?.end()
    }
    if Self.isLong(quiet.sound) { sound?.end() }
    if !isWanted { cut = [] }
  }

  /// Ends the bytes of the segment behind. Returns whether bytes of the one after it are needed.
  package mutating func endNext(before edge: SegmentEdge?) throws(StreamFault) -> Bool {
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

  /// Whether the segment has sound, and nothing so far tells its time.
  var needsTime: Bool { sound?.needsTime ?? false }

  /// Counts the time of the sound on from what is in front of it. Returns false if bytes further in
  /// front may tell it; else nothing does, if it is still needed.
  ///
  /// - Parameter bytes: plain bytes that end where the segment begins.
  mutating func countTime(behind bytes: [UInt8]) throws(StreamFault) -> Bool {
    try sound?.countTime(behind: (bytes + front)[...]) ?? true
  }

  /// Takes no more of the segments behind, if all that is begun has ended and only the time of the sound
  /// is missing. Returns whether that is so.
  mutating func endWithoutTime() -> Bool {
    guard sound?.needsTimeAlone ?? false, !(picture?.isWanted ?? false) else { return false }
    sound?.end()
    cut = []
    return true
  }

  /// Whether something is begun that its segment has not ended.
  private var isWanted: Bool { picture?.isWanted ?? false || sound?.isWanted ?? false }

  /// Returns whether the next segment is needed, and whether it ends the packet that was begun.
  private mutating func goOn(_ edge: SegmentEdge?) throws(StreamFault) -> Bool {
    follower = edge
    let isCut = !cut.isEmpty && cut.count + (edge?.phase ?? 0) == TransportPacket.length
    if edge != nil, isCut { return true }
    if edge != nil, cut.first == TransportPacket.sync {
      // The segment behind has not the rest of it.
      isFlawless = false
      cutOff += cut.count
    }
    cut = []
    try endPackets()
    return edge != nil && isWanted
  }

  /// Ends the packets that begin in a segment. Those that come are of the one behind.
  private mutating func endPackets() throws(StreamFault) {
    try closeGates()
    isOwn = false
    let isClean = follower?.picture == .own
    picture?.beginNext(isClean: isClean)
    sound?.beginNext()
  }

  /// Reads the packet that a segment has begun and the next one has ended.
  private mutating func readCut() throws(StreamFault) {
    let bytes = cut
    cut = []
    guard bytes.count == TransportPacket.length, bytes[0] == TransportPacket.sync else { return }
    try readPacket(bytes[...], at: 0)
  }
}
