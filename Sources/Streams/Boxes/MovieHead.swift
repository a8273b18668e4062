/// The content of a `moov` box: the tracks of a fragmented MP4 file.
package struct MovieHead: Equatable, Sendable {
  package let tracks: [MovieTrack]
  /// The duration of the file in nanoseconds; nil if the file does not tell it.
  package let duration: Int?
  /// The number of samples of picture and sound in the tables of the head. These samples come
  /// before all fragments.
  package let samples: Int
  /// Contents of the file that a copy of only its pictures and sounds would lack, in words for the
  /// user.
  package let others: [String]

  /// - Throws: `unsupported` for an encrypted file, for a file without fragments, and for codecs
  ///   that feedfs does not know.
  package init(_ moov: Box) throws(StreamError) {
    try StreamLimit.movieHead.check(moov.body.count)
    let boxes = try moov.children
    guard let header = boxes.first(where: { $0.type == "mvhd" }) else {
      throw .malformed("moov without mvhd")
    }
    guard let extends = boxes.first(where: { $0.type == "mvex" }) else {
      throw .unsupported("the MP4 file is not fragmented")
    }
    let movie = try Self.timing(header)
    let defaults = try Self.defaults(extends)
    var tracks: [MovieTrack] = []
    var samples = 0
    var others = HeadExtras()
    for box in boxes where box.type == "trak" {
      guard
        let track = try MovieTrack(box, movieTimescale: movie.timescale, defaults: defaults)
      else {
        others.add(try MovieTrack.kind(box))
        continue
      }
      samples += try SampleTable.count(box)
      if track.isCut { others.add("edits") }
      guard !tracks.contains(where: { $0.id == track.id }) else { throw .malformed("track_ID") }
      tracks.append(track)
      try StreamLimit.tracks.check(tracks.count)
    }
    guard !tracks.isEmpty else { throw .unsupported("the stream has neither picture nor sound") }
    if try moov.first("udta", "chpl") != nil { others.add("its own chapters") }
    self.tracks = tracks
    self.samples = samples
    self.others = others.words
    duration = try Self.duration(extends, movie)
  }

  /// Reads timescale and duration from `mvhd` or `mdhd`. An unknown duration becomes 0.
  static func timing(_ box: Box) throws(StreamError) -> (timescale: Int, duration: Int) {
    var (version, _, cursor) = try box.full()
    try cursor.skip(version == 1 ? 16 : 8)
    let timescale = try cursor.word()
    guard timescale > 0 else { throw .malformed("timescale") }
    // If all bits are set, the duration is unknown. A number of 64 such bits cannot be read.
    let duration = (try? cursor.number(version: version)) ?? 0
    return (timescale, version != 1 && duration == UInt32.max ? 0 : duration)
  }

  private static func duration(
    _ extends: Box, _ movie: (timescale: Int, duration: Int)
  ) throws(StreamError) -> Int? {
    var ticks = movie.duration
    if let box = try extends.first("mehd") {
      var (version, _, cursor) = try box.full()
      ticks = (try? cursor.number(version: version)) ?? 0
    }
    guard ticks > 0 else { return nil }
    return try? MediaTime.nanoseconds(ticks, timescale: movie.timescale)
  }

  /// Reads the `trex` boxes: the default values of samples, by track.
  private static func defaults(_ extends: Box) throws(StreamError) -> [Int: SampleDefaults] {
    var defaults: [Int: SampleDefaults] = [:]
    for box in try extends.children where box.type == "trex" {
      var (_, _, cursor) = try box.full()
      let track = try cursor.word()
      try cursor.skip(4)
      defaults[track] = SampleDefaults(
        duration: try cursor.word(), size: try cursor.word(), flags: try cursor.word())
    }
    return defaults
  }
}
