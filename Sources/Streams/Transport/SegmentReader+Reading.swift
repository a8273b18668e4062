/// The tracks and samples of a segment, or of its beginning.
struct SegmentContent {
  var segment = DemuxedSegment()
  var choice = ProgramChoice()
  /// Whether a table of the streams was read.
  var hasTables = false

  /// Whether all tracks that the tables list were found. Of the pictures, two are needed, to tell
  /// how long a picture lasts.
  var isEnough: Bool {
    guard hasTables else { return false }
    let pictures = segment.tracks.firstIndex(where: \.isVideo)
    let isShown = pictures.map { track in segment.samples.count { $0.track == track } > 1 } ?? false
    let isHeard = segment.tracks.contains { !$0.isVideo }
    return (choice.picture == nil || isShown) && (choice.sound == nil || isHeard)
  }
}

extension SegmentReader {
  /// Reads a segment without its neighbours. A sample that is cut off at the end of the segment
  /// stays incomplete.
  ///
  /// - Parameter isWhole: false if the bytes are only the beginning of a segment. Then the last
  ///   sample is left out, since it can be cut off.
  static func content(
    of bytes: ArraySlice<UInt8>, _ known: Known, isWhole: Bool
  ) throws(StreamError) -> SegmentContent {
    var reader = SegmentReader(known)
    try reader.read(bytes)
    try reader.check()
    var content = SegmentContent()
    if isWhole {
      try reader.endBytes()
      try reader.closeGates()
      try reader.picture?.finish()
      try reader.sound?.track.finish()
    }
    (content.choice, content.hasTables) = (reader.choice, reader.hasTables)
    content.segment = try reader.segment(isWhole: isWhole)
    return content
  }

  /// Returns the tracks, and the samples that `certain` has not returned.
  private mutating func segment(isWhole: Bool) throws(StreamError) -> DemuxedSegment {
    var segment = DemuxedSegment()
    let pictures = picture?.parser.takeWhole() ?? []
    if let picture, !pictures.isEmpty {
      segment.add(try picture.parser.description(), pictures)
    }
    let place = segment.tracks.count
    let sounds = (isWhole ? sound?.track.takeAll() : sound?.track.takeWhole()) ?? []
    if let frame = sound?.track.first, !sounds.isEmpty {
      var description = frame.description
      if let language { description.language = language }
      segment.add(
        description,
        sounds.map {
          MediaSample(
            track: place, time: $0.time, duration: $0.duration, isKey: true, bytes: $0.bytes)
        })
    }
    segment.sort()
    return segment
  }
}

extension ProgramChoice {
  /// Reads the tables at the beginning of a segment; nil if there are no tables.
  ///
  /// - Parameter phase: the number of bytes before the first packet.
  static func told(
    in beginning: ArraySlice<UInt8>, phase: Int, _ contents: TrackContents
  ) throws(StreamError) -> ProgramChoice? {
    var tables = ProgramTables()
    var place = beginning.startIndex + phase
    while place + TransportPacket.length <= beginning.endIndex,
      beginning[place] == TransportPacket.sync
    {
      if let packet = TransportPacket(beginning, at: place), tables.holds(packet.stream) {
        try tables.take(packet)
        if let streams = tables.streams { return try ProgramChoice(streams, contents) }
      }
      place += TransportPacket.length
    }
    return nil
  }
}
