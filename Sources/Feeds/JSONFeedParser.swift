/// JSON Feed 1 and 1.1.
struct JSONFeedParser {
  private let document: JSONValue
  private let base: String

  /// Nil where the document is no JSON Feed.
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
    feed.url = WebAddress.usable(document.text("home_page_url"), base: base)
    feed.language = document.text("language")
    let own = WebAddress.usable(document.text("feed_url"), base: base)
    if let next = WebAddress.usable(document.text("next_url"), base: base), next != own {
      feed.next = [next]
    }
    let items = document.object?["items"]?.array ?? []
    let drafts = items.prefix(FeedOutline.mostEntries).map(draft)
    feed.setEntries(Array(drafts), choice: choice, prefersIdentifier: false)
    // JSON Feed 1.1, "id": an item without one is to be discarded.
    for (index, item) in zip(feed.entries.indices, items) where Self.isBlank(item.object?["id"]) {
      feed.entries[index].skip("its id is blank")
    }
    if items.count > FeedOutline.mostEntries { feed.diagnoseCut() }
    return feed
  }

  private static func isBlank(_ id: JSONValue?) -> Bool {
    guard case .string(let text)? = id else { return false }
    return text.trimmed.isEmpty
  }

  private func draft(_ item: JSONValue) -> EntryDraft {
    var draft = EntryDraft()
    draft.guid = item.text("id")
    draft.title = item.text("title").map { PlainText.of($0) } ?? ""
    draft.dates = ["date_published", "date_modified"].compactMap { item.text($0) }
    draft.link =
      ["url", "external_url"].lazy
      .compactMap { WebAddress.usable(item.text($0), base: base) }.first
    draft.thumbnail =
      ["image", "banner_image"].lazy
      .compactMap { WebAddress.usable(item.text($0), base: base) }.first
    for attachment in item.object?["attachments"]?.array ?? [] {
      draft.offer(attachment.text("url"), base: base, source: .enclosure) { candidate in
        candidate.media.type = MediaType.normalized(attachment.text("mime_type"))
        candidate.media.length = attachment.object?["size_in_bytes"]?.count
        candidate.media.duration = attachment.object?["duration_in_seconds"]?.positive
      }
    }
    return draft
  }
}
