import Markup

/// Reads WebVTT and TTML in fragmented MP4 (ISO/IEC 14496-30 §7, §5).
package struct BoxedText {
  private let track: Int
  /// The number of ticks per second.
  private let timescale: Int
  private let defaults: SampleDefaults
  private let isXML: Bool

  /// - Parameter bytes: the initialization segment, or a whole file.
  /// - Throws: `unsupported` if no track has WebVTT or TTML.
  package init(_ bytes: [UInt8]) throws(StreamError) {
    guard let moov = try Box.all(in: bytes[...]).first(where: { $0.type == "moov" }) else {
      throw .malformed("subtitles without their head")
    }
    try StreamLimit.movieHead.check(moov.body.count)
    var kinds: [String] = []
    for trak in try moov.children where trak.type == "trak" {
      guard let header = try trak.first("tkhd"), let media = try trak.first("mdia"),
        let mediaHeader = try media.first("mdhd"),
        let descriptions = try media.first("minf", "stbl", "stsd")
      else { throw .malformed("trak") }
      var (_, _, cursor) = try descriptions.full()
      try cursor.skip(4)
      guard let kind = try Box.all(in: cursor.rest).first?.type else { continue }
      guard kind == "wvtt" || kind == "stpp" else {
        kinds.append(kind.description)
        continue
      }
      var (version, _, place) = try header.full()
      try place.skip(version == 1 ? 16 : 8)
      track = try place.word()
      timescale = try MovieHead.timing(mediaHeader).timescale
      defaults = try Self.defaults(of: track, moov)
      isXML = kind == "stpp"
      return
    }
    throw .unsupported(
      "the subtitles are neither WebVTT nor TTML: \(kinds.prefix(4).joined(separator: ", "))")
  }

  private static func defaults(of track: Int, _ moov: Box) throws(StreamError) -> SampleDefaults {
    for box in try moov.first("mvex")?.children ?? [] where box.type == "trex" {
      var (_, _, cursor) = try box.full()
      guard try cursor.word() == track else { continue }
      try cursor.skip(4)
      return SampleDefaults(
        duration: try cursor.word(), size: try cursor.word(), flags: try cursor.word())
    }
    return SampleDefaults()
  }

  /// Returns the cues of a segment, or of all fragments of a file. Their times are media times, in
  /// milliseconds.
  func cues(of segment: [UInt8]) throws(StreamError) -> [TextSegment.Cue] {
    guard segment.count <= PlaylistLimits.textSegment else { throw .tooLarge("subtitles") }
    var movie = MovieFragment(defaults: [track: defaults], origin: 0, size: segment.count)
    for box in try Box.all(in: segment[...]) where box.type == "moof" {
      // The header of the box has 8 bytes, since a segment is too small for a size of 64 bits.
      try movie.read(box.body, at: box.body.startIndex - 8)
    }
    // Without this check, many samples could make feedfs read the same bytes many times.
    guard movie.samples.reduce(0, { $0 + $1.bytes.count }) <= segment.count else {
      throw .malformed("subtitles that overlap")
    }
    var cues: [TextSegment.Cue] = []
    for sample in movie.samples {
      let start = try milliseconds(MediaTime.sum(sample.time, sample.composition))
      let end = try milliseconds(
        MediaTime.sum(MediaTime.sum(sample.time, sample.composition), sample.duration))
      if isXML {
        guard end > start, !sample.bytes.isEmpty else { continue }
        let root = try XMLElement.root(of: Array(segment[sample.bytes]), keepsText: true)
        cues += try TimedText(root).cues(in: start..<end)
        continue
      }
      for box in try Box.all(in: segment[sample.bytes]) where box.type == "vttc" {
        let words = text(try box.first("payl"))
        guard !words.isEmpty, end > start else { continue }
        cues.append(
          TextSegment.Cue(
            start: start, end: end, settings: text(try box.first("sttg")), words: words))
      }
    }
    return cues
  }

  private func milliseconds(_ ticks: Int) throws(StreamError) -> Int {
    MediaTime.milliseconds(try MediaTime.nanoseconds(ticks, timescale: timescale))
  }

  /// Returns the text of a box, without empty lines and lines with an arrow: in a WebVTT file, such
  /// lines would end the cue.
  private func text(_ box: Box?) -> String {
    guard let box else { return "" }
    let lines = String(decoding: box.body, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.filter { !$0.contains("-->") && $0.contains { !$0.isWhitespace } }
      .joined(separator: "\n")
  }
}
