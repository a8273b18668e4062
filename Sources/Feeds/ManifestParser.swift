/// Any JSON that lists media: arrays of objects with an address and a title, wherever they lie.
struct ManifestParser {
  private static let addresses = ["url", "uri", "src", "file", "playlist_url"]
  private static let following = ["next", "next_url", "nextPage", "next_page", "cursor"]

  private let base: String
  private var drafts: [EntryDraft] = []
  /// Addresses that were listed under another name before.
  private var next: [String] = []

  /// Nil where nothing in the document is such an array.
  static func feed(in document: JSONValue, base: String, choice: MediaChoice) -> Feed? {
    var parser = ManifestParser(base: base)
    parser.collect(document)
    guard !parser.drafts.isEmpty else { return nil }
    var feed = Feed(kind: .manifest)
    feed.title = document.text("title", "name").map { PlainText.of($0) } ?? ""
    feed.next = parser.next
    feed.setEntries(
      Array(parser.drafts.prefix(FeedOutline.mostEntries)), choice: choice,
      prefersIdentifier: false)
    if parser.drafts.count > FeedOutline.mostEntries { feed.diagnoseCut() }
    return feed
  }

  private init(base: String) {
    self.base = base
  }

  /// In the order of the document; keys that hold lists, in alphabetical order.
  private mutating func collect(_ value: JSONValue) {
    switch value {
    case .array(let items):
      for item in items where drafts.count <= FeedOutline.mostEntries {
        if let draft = draft(item) { drafts.append(draft) } else { collect(item) }
      }
    case .object(let fields):
      for key in Self.following {
        guard let text = fields[key]?.text, text.contains("/") || text.contains("?"),
          let address = WebAddress.usable(text, base: base), !next.contains(address)
        else { continue }
        next.append(address)
      }
      for (_, value) in fields.sorted(by: { $0.key < $1.key }) { collect(value) }
    default: break
    }
  }

  /// Nil for what has no address, or no title and no sign of being media.
  private func draft(_ item: JSONValue) -> EntryDraft? {
    let sources = item.object?["sources"]?.array ?? []
    let own = Self.addresses.compactMap { item.text($0) }
    guard !own.isEmpty || !sources.isEmpty, let title = item.text("title", "name") else {
      return nil
    }
    var draft = EntryDraft()
    draft.guid = item.text("id", "guid")
    draft.title = PlainText.of(title)
    draft.dates = ["date", "published", "date_published", "pubDate"].compactMap { item.text($0) }
    draft.duration = item.object?["duration"]?.seconds
    draft.link = WebAddress.usable(item.text("link", "page"), base: base)
    draft.thumbnail =
      ["thumb", "thumbnail", "image", "poster", "icon"].lazy
      .compactMap { WebAddress.usable(item.text($0), base: base) }.first
    for address in own { offer(address, of: item, to: &draft) }
    for source in sources {
      let address = source.text ?? Self.addresses.lazy.compactMap { source.text($0) }.first
      if let address { offer(address, of: source, to: &draft) }
    }
    return draft
  }

  private func offer(_ address: String, of item: JSONValue, to draft: inout EntryDraft) {
    draft.offer(address, base: base, source: .enclosure) { candidate in
      candidate.media.type = MediaType.normalized(item.text("type", "mime", "mime_type"))
      candidate.media.length = (item.object?["size"] ?? item.object?["length"])?.count
      candidate.media.height = item.object?["height"]?.count
      candidate.media.bitrate = item.object?["bitrate"]?.positive
    }
  }
}

extension JSONValue {
  /// Seconds, or a clock's "1:02:03".
  fileprivate var seconds: Double? {
    positive ?? text.flatMap(FeedDuration.parse)
  }
}
