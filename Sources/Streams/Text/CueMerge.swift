import Markup

/// Makes one file of subtitles from the segments of a stream.
///
/// A cue that lasts longer than its segment is repeated in the next segment, or cut at the
/// boundary. The file has such a cue only once.
package struct CueMerge {
  /// The time stamp at the beginning of the stream's file (90 kHz); nil if the times of cues
  /// already count from this beginning.
  private let zero: Int?
  private var cues: [TextSegment.Cue] = []
  private var headers: [String] = []
  /// Positions in `cues`. `places` finds a cue by its beginning, settings and words. `last` finds
  /// the latest cue by its settings and words.
  private var places: [TextSegment.Cue: Int] = [:]
  private var last: [String: Int] = [:]
  private var size = 0

  /// The longest time between two cues with the same words that are joined to one cue.
  private static let gap = 2  // milliseconds

  /// - Parameter zero: the time stamp at the beginning of the stream's file, if segments relate
  ///   their cues to time stamps; else nil.
  package init(zero: Int? = nil) {
    self.zero = zero
  }

  /// Adds the next segment of WebVTT. `start` is the time from the beginning of the stream to the
  /// segment.
  package mutating func add(_ bytes: [UInt8], at start: Duration = .zero) throws(StreamError) {
    let segment = try TextSegment(bytes)
    var shift = 0
    if let map = segment.map, let zero {
      let place = zero + TimeStamp.ticks(start)
      let ticks = TimeStamp.unwrapped(map.ticks, near: place) - zero
      shift = (ticks * 1000 + TimeStamp.scale / 2) / TimeStamp.scale - map.local
    }
    for header in segment.headers where !headers.contains(header) {
      guard headers.count < PlaylistLimits.attributes else { break }
      try count(header)
      headers.append(header)
    }
    for cue in segment.cues { try add(cue, shift) }
  }

  /// Adds the cues of a TTML document, whose times count from the beginning of the stream.
  package mutating func add(timedText document: [UInt8]) throws(StreamError) {
    guard document.count <= PlaylistLimits.textSegment else { throw .tooLarge("subtitles") }
    let root = try XMLElement.root(of: document, keepsText: true)
    for cue in try TimedText(root).cues { try add(cue, 0) }
  }

  /// Adds the cues of the next segment of fragmented MP4.
  package mutating func add(_ bytes: [UInt8], by boxed: BoxedText) throws(StreamError) {
    let shift = -((zero ?? 0) * 1000 / TimeStamp.scale)
    for cue in try boxed.cues(of: bytes) { try add(cue, shift) }
  }

  private mutating func add(_ cue: TextSegment.Cue, _ shift: Int) throws(StreamError) {
    let (start, end) = (cue.start + shift, cue.end + shift)
    guard end > 0 else { return }
    let key = TextSegment.Cue(start: start, end: 0, settings: cue.settings, words: cue.words)
    let words = cue.settings + "\n" + cue.words
    if let place = places[key] {
      extend(place, to: end)
    } else if let place = last[words], abs(cues[place].end - start) <= Self.gap {
      extend(place, to: end)
    } else {
      guard cues.count < PlaylistLimits.cues else { throw .tooLarge("subtitles") }
      try count(words)
      places[key] = cues.count
      last[words] = cues.count
      cues.append(
        TextSegment.Cue(start: start, end: end, settings: cue.settings, words: cue.words))
    }
  }

  private mutating func extend(_ place: Int, to end: Int) {
    let cue = cues[place]
    cues[place] = TextSegment.Cue(
      start: cue.start, end: max(cue.end, end), settings: cue.settings, words: cue.words)
  }

  private mutating func count(_ text: String) throws(StreamError) {
    size += text.utf8.count
    guard size <= PlaylistLimits.cueBytes else { throw .tooLarge("subtitles") }
  }

  /// The WebVTT file, with the cues in the order of their times.
  package var document: String {
    var document = "WEBVTT\n\n"
    for header in headers { document += header + "\n\n" }
    let order = cues.indices.sorted {
      (cues[$0].start, cues[$0].end, $0) < (cues[$1].start, cues[$1].end, $1)
    }
    for place in order {
      let cue = cues[place]
      document += "\(TextTime.text(cue.start)) --> \(TextTime.text(cue.end))"
      document += (cue.settings.isEmpty ? "" : " " + cue.settings) + "\n\(cue.words)\n\n"
    }
    return document
  }
}
