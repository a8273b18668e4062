import Addresses
import Markup

extension EntryDraft {
  /// Reads an element of Media RSS into the draft. The element is in an item of RSS or in an entry
  /// of Atom.
  mutating func takeMedia(_ node: XMLNode) {
    switch node.name {
    case "group":
      for child in node.children(.media, "content") { takeMedia(child) }
      for child in node.children where child.space == .media && child.name != "content" {
        takeMedia(child)
      }
    case "content":
      takeContent(node)
    case "title":
      if otherTitle.isEmpty { otherTitle = PlainText.of(node.text, isHTML: node["type"] == "html") }
    case "thumbnail":
      // Only the first thumbnail is taken. Further ones can be pictures from later in the same
      // film.
      if thumbnail == nil { thumbnail = WebAddress.usable(node["url"], base: node.base) }
    case "subtitle":
      if let url = WebAddress.usable(node["href"] ?? node["url"], base: node.base) {
        addSubtitle(
          Subtitle(url: url, type: MediaType.normalized(node["type"]), lang: node["lang"]))
      }
    case "description":
      takeNotes(node)
    case "player":
      hasPlayer = true
    default:
      break
    }
  }

  private mutating func takeContent(_ node: XMLNode) {
    let duration = read(duration: node["duration"])
    offer(node["url"], base: node.base, source: .alternative) { candidate in
      candidate.isSample = node["expression"]?.lowercased() == "sample"
      candidate.media.type = Self.type(node, url: candidate.media.url)
      candidate.media.length = FeedNumber.positive(node["filesize"])
      candidate.media.duration = duration
      candidate.media.height = FeedNumber.positive(node["height"])
      candidate.media.bitrate = FeedNumber.positiveReal(node["bitrate"])
      candidate.media.lang = node["lang"]
      candidate.media.isDefault = node["isdefault"]?.lowercased() == "true"
      candidate.media.codecs = MediaType.codecs(in: node["type"])
      candidate.labelledHeight = (node["title"] ?? node["label"]).flatMap(PictureHeight.lines)
      // Images often have no type, but they never have a duration or a bit rate. So a content
      // without both is not taken as media just because it is listed.
      candidate.isMention = node["duration"] == nil && node["bitrate"] == nil
    }
    self.duration = self.duration ?? duration
    for child in node.children where child.space == .media { takeMedia(child) }
  }

  /// Returns the declared type, or the attribute `medium` in its place. `medium` replaces
  /// octet-stream, and a type of video or audio that has another class. It replaces a missing type
  /// if the address has another class. If `medium` is "audio", it also replaces the type of a
  /// stream.
  private static func type(_ node: XMLNode, url: String) -> String? {
    let type = MediaType.normalized(node["type"])
    guard let medium = node["medium"]?.lowercased() else { return type }
    let declared: MediaClass
    switch medium {
    case "video": declared = .video
    case "audio": declared = .audio
    case "image": declared = .other
    default: return type
    }
    guard let type else { return MediaType.classOf(type: nil, url: url) == declared ? nil : medium }
    switch MediaType.declaredClass(type) {
    case nil, .other, .unknown:
      // The address alone shows that this is a stream, so the type is free to tell that the stream
      // is sound.
      let isSound = declared == .audio && Media(url: url).isStream
      return isSound || type.hasPrefix("application/octet-stream") ? medium : type
    case let found: return found == declared ? type : medium
    }
  }

  /// Reads a `track` of JW Player into the draft.
  mutating func takeTrack(_ node: XMLNode) {
    guard node.name == "track" else { return }
    takeTrack(
      at: WebAddress.usable(node["file"], base: node.base), kind: node["kind"],
      language: node["language"] ?? node["srclang"] ?? node["label"])
  }

  /// Adds the address of subtitles or chapters to the draft. Tracks of other kinds are ignored,
  /// such as pictures for the progress bar.
  mutating func takeTrack(at url: String?, kind: String?, language: String?) {
    guard let url else { return }
    switch kind?.lowercased() {
    case "captions", "subtitles", nil: addSubtitle(Subtitle(url: url, type: nil, lang: language))
    case "chapters": chapters = chapters ?? url
    default: break
    }
  }

  mutating func addSubtitle(_ subtitle: Subtitle) {
    if !subtitles.contains(where: { $0.url == subtitle.url }) { subtitles.append(subtitle) }
  }
}
