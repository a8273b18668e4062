import Markup

/// Parses JSON Feed 1 and 1.1.
struct JSONFeedParser {
  private let document: JSONValue
  private let base: String

  /// Reads the document; nil if it is no JSON Feed.
  init?(_ document: JSONValue, base: String) {
    guard let version = document.text("version"), version.contains("jsonfeed.org/version") else {
      return nil
    }
    self.document = document
    self.base = base
  }

  func feed(_ choice: MediaChoice) -> Feed {
    var feed = Feed(kind: .jsonfeed)
    feed.title = document.text("title").map { PlainText.of($0) } ?? ""
    feed.url = document.address("home_page_url", base: base)
    feed.language = document.text("language")
    feed.cover = document.address("icon", base: base)
    feed.pace.isFinished = document["expired"]?.isTrue == true
    if let next = document.address("next_url", base: base),
      next != document.address("feed_url", base: base)
    {
      feed.next = [next]
    }
    let all = document["items"]?.array ?? []
    let items = all.filter { $0.object != nil }
    var entries = UnnamedEntries(
      items.prefix(XMLLimit.entries).lazy.map(draft), choice: choice)
    feed.setEntries(&entries, prefersIdentifier: false)
    // JSON Feed 1.1 says under "id" that readers discard an item with a blank id.
    var discarded = all.count - items.count
    for (index, item) in zip(feed.entries.indices, items) where Self.isBlank(item["id"]) {
      feed.entries[index].skip(Omission("its id is blank"))
      discarded += 1
    }
    if discarded > 0 {
      feed.diagnostics.append("items that have no usable id or are no objects: \(discarded)")
    }
    if items.count > XMLLimit.entries { feed.diagnoseCut() }
    return feed
  }

  /// Whether the id is there but cannot be used: it is blank, or neither a text nor a number.
  private static func isBlank(_ id: JSONValue?) -> Bool {
    switch id {
    case nil, .null: false
    case let id?: id.text == nil
    }
  }

  private func draft(_ item: JSONValue) -> EntryDraft {
    var draft = EntryDraft()
    draft.guid = item.text("id")
    draft.title = item.text("title").map { PlainText.of($0) } ?? ""
    draft.text = item.text("content_text", "summary", "content_html") ?? ""
    draft.takeNotes(item.text("content_html", "content_text", "summary") ?? "")
    draft.dates = item.text("date_published").map { [$0] } ?? []
    draft.changes = item.text("date_modified").map { [$0] } ?? []
    draft.link = item.address("url", "external_url", base: base)
    draft.thumbnail = item.address("image", "banner_image", base: base)
    for attachment in item["attachments"]?.array ?? [] {
      draft.offer(attachment.text("url"), base: base, source: .enclosure) { candidate in
        candidate.media.type = MediaType.normalized(attachment.text("mime_type"))
        candidate.media.length = attachment["size_in_bytes"]?.count
        candidate.media.duration = attachment["duration_in_seconds"]?.positive
        candidate.media.codecs = MediaType.codecs(in: attachment.text("mime_type"))
        candidate.labelledHeight = attachment.text("title").flatMap(PictureHeight.lines)
      }
    }
    if let html = item.text("content_html") { draft.takeMedia(ofHTML: html, base: base) }
    return draft
  }
}
