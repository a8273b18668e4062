import Markup

/// Reads the cues of a TTML document: their times, their lines, and which words are bold, italic or
/// underlined (TTML2, with its profiles IMSC and EBU-TT-D).
///
/// Regions, colours, sizes and pictures are left out.
struct TimedText {
  /// The end of elements without an end of their own, in milliseconds: the limit for the duration
  /// of a stream.
  private static let end = Int(PlaylistLimits.duration.components.seconds) * 1000
  /// The limit for the work on one paragraph: the number of its texts, multiplied by the number of
  /// moments at which a text appears or disappears.
  private static let work = 1 << 20

  private(set) var cues: [TextSegment.Cue] = []
  private let clock: TimedTextClock
  private let styles: TimedTextStyles
  private var size = 0

  /// The times, in milliseconds, and the style of an element's content.
  private struct Place {
    var times: Range<Int>
    var style: TimedTextStyle
    var keepsSpace: Bool
  }

  /// A text of a paragraph, with the times and the style of its element.
  private struct Run {
    let text: String
    let place: Place
  }

  /// - Parameter root: the root of the document, in which texts are elements without a name.
  init(_ root: XMLElement) throws(StreamError) {
    guard root.name == "tt" else { throw .malformed("no TTML") }
    clock = try TimedTextClock(root)
    styles = TimedTextStyles(root)
    let place = Place(times: 0..<Self.end, style: TimedTextStyle(), keepsSpace: false)
    guard let outer = inner(root, place, from: 0), let body = root.first("body") else { return }
    if let inner = inner(body, outer, from: 0) { try take(body, inner) }
  }

  /// Returns the cues of a sample, cut to `window`, the time of the sample in milliseconds (ISO/IEC
  /// 14496-30 §5.3).
  ///
  /// The times of cues should count from the beginning of the media. Some packagers count them from
  /// the beginning of the sample: then no cue is in the window, and all cues begin before the
  /// length of the window. Such cues are shifted.
  func cues(in window: Range<Int>) -> [TextSegment.Cue] {
    let isInside = cues.contains { $0.start < window.upperBound && $0.end > window.lowerBound }
    let shift = !isInside && cues.allSatisfy { $0.start < window.count } ? window.lowerBound : 0
    return cues.compactMap { cue in
      let start = max(cue.start + shift, window.lowerBound)
      let end = min(cue.end + shift, window.upperBound)
      guard start < end else { return nil }
      return TextSegment.Cue(start: start, end: end, settings: cue.settings, words: cue.words)
    }
  }

  /// Returns the times and the style of an element's content; nil if the content is never shown.
  ///
  /// - Parameter start: the time from which the times of the element count.
  private func inner(_ element: XMLElement, _ outer: Place, from start: Int) -> Place? {
    var (begin, end) = (start, outer.times.upperBound)
    if let text = element["begin"] {
      guard let time = clock.milliseconds(text) else { return nil }
      begin += time
    }
    if let text = element["end"] {
      guard let time = clock.milliseconds(text) else { return nil }
      end = min(end, start + time)
    }
    if let text = element["dur"] {
      guard let time = clock.milliseconds(text) else { return nil }
      end = min(end, begin + time)
    }
    guard begin < end else { return nil }
    var place = outer
    place.times = begin..<end
    place.style = styles.style(of: element, within: outer.style)
    if let space = element["xml:space"] { place.keepsSpace = space == "preserve" }
    return place
  }

  /// Reads the paragraphs in an element that contains no text itself.
  private mutating func take(_ element: XMLElement, _ place: Place) throws(StreamError) {
    try each(of: element, place) {
      (this: inout TimedText, child: XMLElement, inner: Place) throws(StreamError) in
      switch child.name {
      case "div": try this.take(child, inner)
      case "p": try this.takeParagraph(child, inner)
      default: break
      }
    }
  }

  /// Calls `body` for each child that is shown. The times of children count from the beginning of
  /// the element. If the element is a sequence, they count from the end of the previous child.
  private mutating func each(
    of element: XMLElement, _ place: Place,
    _ body: (inout TimedText, XMLElement, Place) throws(StreamError) -> Void
  ) throws(StreamError) {
    let isSequence = element["timecontainer"] == "seq"
    var start = place.times.lowerBound
    for child in element.children {
      if child.name.isEmpty {
        try body(&self, child, place)
      } else if let inner = inner(child, place, from: start) {
        try body(&self, child, inner)
        if isSequence { start = inner.times.upperBound }
      }
    }
  }

  // MARK: Paragraphs

  private mutating func takeParagraph(
    _ element: XMLElement, _ place: Place
  ) throws(StreamError) {
    var runs: [Run] = []
    try gather(element, place, &runs)
    let moments = Set(runs.flatMap { [$0.place.times.lowerBound, $0.place.times.upperBound] })
      .sorted()
    guard runs.count * moments.count <= Self.work else { throw .tooLarge("subtitles") }
    for (start, end) in zip(moments, moments.dropFirst()) {
      var words = TimedTextWords()
      for run in runs where run.place.times.contains(start) {
        words.add(run.text, run.place.style, keepsSpace: run.place.keepsSpace)
      }
      let text = words.text
      if text.isEmpty { continue }
      size += text.utf8.count
      guard cues.count < PlaylistLimits.cues, size <= PlaylistLimits.cueBytes else {
        throw .tooLarge("subtitles")
      }
      cues.append(TextSegment.Cue(start: start, end: end, settings: "", words: text))
    }
  }

  private mutating func gather(
    _ element: XMLElement, _ place: Place, _ runs: inout [Run]
  ) throws(StreamError) {
    try each(of: element, place) {
      (this: inout TimedText, child: XMLElement, inner: Place) throws(StreamError) in
      switch child.name {
      case "": runs.append(Run(text: child.text, place: inner))
      case "br":
        var line = inner
        line.keepsSpace = true
        runs.append(Run(text: "\n", place: line))
      case "span": try this.gather(child, inner, &runs)
      default: break
      }
    }
  }
}
