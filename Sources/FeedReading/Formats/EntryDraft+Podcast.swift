import Addresses
import Markup

extension EntryDraft {
  /// Reads an element of Apple's vocabulary (`itunes:`) into the draft.
  mutating func takeITunes(_ node: XMLNode) {
    switch node.name {
    case "title": if otherTitle.isEmpty { otherTitle = PlainText.of(node.text) }
    case "duration": duration = read(duration: node.text) ?? duration
    case "season": season = FeedNumber.whole(node.text) ?? season
    case "episode": episode = FeedNumber.whole(node.text) ?? episode
    case "image":
      let reference = node["href"] ?? node["url"] ?? node.text.nonEmpty
      if let image = WebAddress.usable(reference, base: node.base) { thumbnail = image }
    default: break
    }
  }

  /// Reads an element of Podcasting 2.0 (`podcast:`) into the draft.
  mutating func takePodcast(_ node: XMLNode) {
    switch node.name {
    case "alternateenclosure": takeAlternateEnclosure(node)
    case "transcript": takeTranscript(node)
    case "chapters": chapters = WebAddress.usable(node["url"], base: node.base) ?? chapters
    case "season": season = season ?? FeedNumber.whole(node.text)
    case "episode": episode = episode ?? FeedNumber.whole(node.text)
    case "image":
      thumbnail = thumbnail ?? WebAddress.usable(node["href"], base: node.base)
    case "images":
      // `srcset` lists addresses, each with its width. The first address is taken.
      let first = node["srcset"]?.split { $0 == "," || $0.isWhitespace }.first.map(String.init)
      thumbnail = thumbnail ?? WebAddress.usable(first, base: node.base)
    default: break
    }
  }

  private mutating func takeAlternateEnclosure(_ node: XMLNode) {
    let integrity = node.children(.podcast, "integrity").first { $0["type"]?.lowercased() == "sri" }
    for place in node.children(.podcast, "source") {
      offer(place["uri"], base: place.base, source: .alternative) { candidate in
        candidate.media.type = MediaType.normalized(place["contenttype"] ?? node["type"])
        candidate.media.length = FeedNumber.positive(node["length"])
        candidate.media.height = FeedNumber.positive(node["height"])
        // This attribute is in bits per second. Other vocabularies give kilobits per second.
        candidate.media.bitrate = FeedNumber.positiveReal(node["bitrate"]).map { $0 / 1000 }
        candidate.media.lang = node["lang"]
        candidate.media.isDefault = node["default"]?.lowercased() == "true"
        candidate.media.integrity = integrity?["value"]
        candidate.media.codecs = node["codecs"] ?? MediaType.codecs(in: node["type"])
        candidate.labelledHeight = node["title"].flatMap(PictureHeight.lines)
      }
    }
  }

  /// Adds a transcript to the subtitles if a player can show it.
  private mutating func takeTranscript(_ node: XMLNode) {
    guard let url = WebAddress.usable(node["url"], base: node.base) else { return }
    let type = MediaType.normalized(node["type"])
    let isCaption = node["rel"]?.lowercased() == "captions"
    let isShown =
      type.map(Self.subtitleTypes.contains)
      ?? ["vtt", "srt", "ttml"].contains(MediaType.pathExtension(of: url))
    guard isCaption || isShown else { return }
    addSubtitle(Subtitle(url: url, type: type, lang: node["language"]))
  }

  private static let subtitleTypes: Set<String> = [
    "text/vtt", "application/x-subrip", "application/srt", "application/x-srt", "text/srt",
    "application/ttml+xml",
  ]

  /// Reads chapters that are in the feed itself (Podlove Simple Chapters).
  mutating func takePodlove(_ node: XMLNode) {
    guard node.name == "chapters" else { return }
    for mark in node.children(.podlove, "chapter") {
      guard let start = mark["start"].flatMap(Chapter.seconds) else { continue }
      chapterMarks.append(Chapter(start: start, title: PlainText.of(mark["title"] ?? "")))
    }
  }
}
