import Addresses
import Markup

/// Parses any JSON that lists media. It looks at any depth for arrays of objects with an address
/// and a title.
struct ManifestParser {
  private static let addresses = ["url", "uri", "src", "file", "playlist_url"]
  private static let following = ["next", "next_url", "nextPage", "next_page"]

  private let base: String
  private var drafts: [EntryDraft] = []
  /// The number of drafts that can be played.
  private var playable = 0
  private var next: [String] = []

  /// Reads the document; nil if it has no array of objects with an address and a title.
  static func feed(in document: JSONValue, base: String, choice: MediaChoice) -> Feed? {
    var parser = ManifestParser(base: base)
    parser.collect(document)
    guard !parser.drafts.isEmpty else { return nil }
    var feed = Feed(kind: .manifest)
    feed.title = document.text("title", "name").map { PlainText.of($0) } ?? ""
    feed.next = parser.next
    var entries = UnnamedEntries(parser.drafts.prefix(XMLLimit.entries), choice: choice)
    feed.setEntries(&entries, prefersIdentifier: false)
    if parser.drafts.count > XMLLimit.entries { feed.diagnoseCut() }
    return feed
  }

  private init(base: String) {
    self.base = base
  }

  /// Collects entries in the order of the document.
  private mutating func collect(_ value: JSONValue) {
    switch value {
    case .array(let items):
      for item in items where drafts.count <= XMLLimit.entries { take(item) }
    case .object(let object):
      takeNext(in: object)
      for (_, value) in object.members { collect(value) }
    case .null, .bool, .number, .string: break
    }
  }

  /// Reads an element of an array. The element is an entry, or a group of entries that has an
  /// address too, such as that of its page.
  private mutating func take(_ item: JSONValue) {
    guard let draft = draft(item) else { return collect(item) }
    guard draft.candidates.allSatisfy({ $0.unplayable != nil }) else {
      playable += 1
      return drafts.append(draft)
    }
    let before = (drafts: drafts.count, next: next.count, playable: playable)
    collect(item)
    guard playable == before.playable else { return }
    drafts.removeSubrange(before.drafts...)
    next.removeSubrange(before.next...)
    drafts.append(draft)
  }

  /// Reads the addresses of following pages. The member "cursor" is used only if it is an address,
  /// because only the server understands any other cursor.
  private mutating func takeNext(in object: JSONObject) {
    var references = Self.following.compactMap { key -> String? in
      guard case .string(let text)? = object[key] else { return nil }
      return text.contains { "/?.".contains($0) } ? text : nil
    }
    if case .string(let cursor)? = object["cursor"],
      ["http://", "https://", "?"].contains(where: cursor.hasPrefix)
    {
      references.append(cursor)
    }
    for reference in references {
      guard next.count < Self.maxPages, let page = WebAddress.usable(reference, base: base),
        !next.contains(page)
      else { continue }
      next.append(page)
    }
  }

  /// The limit for links to following pages that are taken from one document. Real documents have
  /// few.
  private static let maxPages = 100

  /// Returns the draft of an item; nil if it lacks an address or a title.
  private func draft(_ item: JSONValue) -> EntryDraft? {
    let sources = item["sources"]?.array ?? []
    let own = Self.addresses.compactMap { item.text($0) }
    guard !own.isEmpty || !sources.isEmpty, let title = item.text("title", "name") else {
      return nil
    }
    var draft = EntryDraft()
    draft.guid = item.text("id", "guid")
    draft.title = PlainText.of(title)
    draft.dates = ["date", "published", "date_published", "pubDate"].compactMap { item.text($0) }
    draft.duration = item["duration"]?.positive ?? draft.read(duration: item["duration"]?.text)
    draft.link = item.address("link", "page", base: base)
    draft.thumbnail = item.address("thumb", "thumbnail", "image", "poster", "icon", base: base)
    for track in item["tracks"]?.array ?? [] {
      draft.takeTrack(
        at: track.address("file", "src", "url", base: base), kind: track.text("kind"),
        language: track.text("language", "srclang", "lang", "label"))
    }
    // Any list of links has addresses and titles. Only a list of media also has durations or
    // sources.
    let isMedia = draft.duration != nil || !sources.isEmpty
    for address in own { offer(address, of: item, isMedia: isMedia, to: &draft) }
    for source in sources {
      let address = source.text ?? Self.addresses.lazy.compactMap { source.text($0) }.first
      if let address { offer(address, of: source, isMedia: isMedia, to: &draft) }
    }
    return draft
  }

  private func offer(
    _ address: String, of item: JSONValue, isMedia: Bool, to draft: inout EntryDraft
  ) {
    draft.offer(address, base: base, source: .enclosure) { candidate in
      candidate.media.type = MediaType.normalized(item.text("mime_type", "mime", "type"))
      candidate.media.length = (item["size"] ?? item["length"])?.count
      candidate.media.height = item["height"]?.count
      candidate.media.bitrate = item["bitrate"]?.positive
      candidate.media.codecs =
        item.text("codecs") ?? MediaType.codecs(in: item.text("mime_type", "mime", "type"))
      candidate.labelledHeight = item.text("label", "quality", "res").flatMap(PictureHeight.lines)
      candidate.isMention = !isMedia
    }
  }
}
