/// One track of picture or sound, as the `trak` box of a fragmented MP4 file describes it.
package struct MovieTrack: Equatable, Sendable {
  /// The number of the track in the file, by which fragments refer to it.
  package let id: Int
  package let description: TrackDescription
  /// Ticks that are subtracted from the time of each sample: the time in the media at which the
  /// edit list begins, minus the duration of its empty edits, minus the codec's delay.
  package let shift: Int
  package let defaults: SampleDefaults
  /// True if the edit list plays several parts of the media.
  package let isCut: Bool

  /// Reads the box. Returns nil for a track that is neither picture nor sound.
  init?(
    _ trak: Box, movieTimescale: Int, defaults: [Int: SampleDefaults]
  ) throws(StreamError) {
    guard let header = try trak.first("tkhd"), let media = try trak.first("mdia"),
      let mediaHeader = try media.first("mdhd"), let handler = try media.first("hdlr")
    else { throw .malformed("trak") }
    let isVideo: Bool
    switch try Self.handler(handler) {
    case "vide": isVideo = true
    case "soun": isVideo = false
    default: return nil
    }
    var (version, _, cursor) = try header.full()
    try cursor.skip(version == 1 ? 16 : 8)
    id = try cursor.word()
    guard let descriptions = try media.first("minf", "stbl", "stsd") else {
      throw .malformed("trak without stsd")
    }
    let timescale = try MovieHead.timing(mediaHeader).timescale
    var description = try SampleEntry.description(
      descriptions, isVideo: isVideo, timescale: timescale)
    description.language = try Self.language(mediaHeader)
    self.description = description
    self.defaults = defaults[id] ?? SampleDefaults()
    let edited =
      try trak.first("edts", "elst").map { list throws(StreamError) in
        try Self.edited(list, movieTimescale: movieTimescale, timescale: timescale)
      } ?? (shift: 0, isCut: false)
    isCut = edited.isCut
    // Matroska players subtract the codec's delay from each time themselves, so the times must
    // still contain it.
    let delay = (description.codecDelay * timescale + MediaTime.second / 2) / MediaTime.second
    shift = try MediaTime.difference(edited.shift, delay)
  }

  private static func handler(_ box: Box) throws(StreamError) -> BoxType {
    var (_, _, cursor) = try box.full()
    try cursor.skip(4)
    return BoxType(try cursor.number())
  }

  /// Returns the kind of a track that is neither picture nor sound, in words for the user.
  static func kind(_ trak: Box) throws(StreamError) -> String {
    guard let media = try trak.first("mdia"), let handler = try media.first("hdlr") else {
      throw .malformed("trak")
    }
    let kind = try Self.handler(handler)
    switch kind {
    case "text", "sbtl", "subt", "clcp", "subp": return "subtitles"
    case "tmcd": return "a time code"
    case "meta": return "timed data"
    default: return "a track of the kind \(kind)"
    }
  }

  /// Reads a language of three letters, in five bits each; "und" if these bits are no letters.
  private static func language(_ box: Box) throws(StreamError) -> String {
    var (version, _, cursor) = try box.full()
    try cursor.skip(version == 1 ? 28 : 16)
    guard let packed = try? cursor.number(UInt16.self) else { return "und" }
    let letters = [10, 5, 0].map { UInt8(packed >> UInt16($0) & 31) }
    guard letters.allSatisfy({ (1...26).contains($0) }) else { return "und" }
    return String(decoding: letters.map { $0 + 0x60 }, as: UTF8.self)
  }

  /// Reads an edit list up to the first edit that is not empty: packagers seldom write further
  /// edits into fragmented files. `isCut` tells whether further edits follow.
  private static func edited(
    _ box: Box, movieTimescale: Int, timescale: Int
  ) throws(StreamError) -> (shift: Int, isCut: Bool) {
    var (version, _, cursor) = try box.full()
    var shift = 0
    let count = try cursor.word()
    for number in 0..<count {
      let duration = try cursor.number(version: version)
      let start = try cursor.signed(version: version)
      try cursor.skip(4)
      guard start < 0 else { return (try MediaTime.sum(shift, start), number + 1 < count) }
      // An empty edit delays the track.
      let (product, overflow) = duration.multipliedReportingOverflow(by: timescale)
      guard !overflow else { throw .tooLarge("edit list") }
      shift = try MediaTime.difference(shift, product / movieTimescale)
    }
    return (shift, false)
  }
}
