import Addresses
import Markup

/// Parses RSS in all its versions, with the vocabularies that feeds use in it, such as Media RSS.
struct RSSParser: FeedFormat {
  private var feed = Feed(kind: .rss)
  private var entries: UnnamedEntries
  private var otherTitle = ""
  /// True for a feed of media.ccc.de. Its ids are in `dc:identifier`, because the guid differs
  /// between the encodings of a talk.
  private var isMediaCCC = false
  /// For each element name in `leftOut`, the number of such elements in the feed. They look like
  /// items, but are left out.
  private var others: [String: Int] = [:]

  private let readsTexts: Bool

  init(root: XMLNode, choice: MediaChoice, readsTexts: Bool) {
    self.readsTexts = readsTexts
    entries = UnnamedEntries(choice: choice)
    feed.language = root["xml:lang"]
  }

  static let container: String? = "channel"

  private static let leftOut = [
    "liveitem": "live streams that are left out", "trailer": "trailers that are left out",
    "remoteitem": "items of other feeds that are left out",
  ]

  var entryCount: Int { entries.count }

  var lacksFiles: Bool { entries.lackFiles }

  mutating func take(_ record: XMLNode, in container: XMLNode) {
    switch record.space {
    case .plain where record.name == "item": takeItem(record)
    case .plain: takeChannel(record)
    case .dublinCore:
      if record.name == "title", otherTitle.isEmpty { otherTitle = PlainText.of(record.text) }
      if record.name == "language" { feed.language = feed.language ?? record.text.nonEmpty }
    case .itunes where record.name == "title": otherTitle = PlainText.of(record.text)
    case .podcast where Self.leftOut[record.name] != nil: others[record.name, default: 0] += 1
    default: feed.takeShared(record)
    }
  }

  mutating func finish() -> Feed {
    var feed = feed
    if feed.title.isEmpty { feed.title = otherTitle }
    feed.setEntries(&entries, prefersIdentifier: isMediaCCC)
    for (name, count) in others.sorted(by: { $0.key < $1.key }) {
      feed.diagnostics.append("\(Self.leftOut[name] ?? name): \(count)")
    }
    return feed
  }

  private mutating func takeChannel(_ node: XMLNode) {
    switch node.name {
    case "title":
      if feed.title.isEmpty { feed.title = PlainText.of(node.text) }
    case "link":
      // The last of several links is used, as in other readers. A link of RSS also replaces a link
      // of Atom.
      feed.url = WebAddress.usable(Self.reference(node), base: node.base) ?? feed.url
    case "language":
      feed.language = node.text.nonEmpty ?? feed.language
    case "ttl":
      feed.ttl = FeedNumber.whole(node.text).flatMap { $0 >= 0 ? $0 : nil }
    case "skiphours":
      for hour in node.children(.plain, "hour") { feed.quiet.add(hour: hour.text) }
    case "skipdays":
      for day in node.children(.plain, "day") { feed.quiet.add(day: day.text) }
    case "generator":
      isMediaCCC = node.text.lowercased().contains("media.ccc.de")
    case "newlocation":
      feed.newURL = WebAddress.usable(node.text.nonEmpty, base: node.base)
    case "redirect":
      for place in node.children(.plain, "newlocation") { takeChannel(place) }
    case "image":
      let image = node.children(.plain, "url").first { _ in true }
      feed.cover = feed.cover ?? WebAddress.usable(image?.text.nonEmpty, base: node.base)
    default:
      break
    }
  }

  private mutating func takeItem(_ item: XMLNode) {
    var draft = EntryDraft()
    draft.guid = item["about"]
    var (loose, texts): ([XMLNode], [XMLNode]) = ([], [])
    for node in item.children {
      switch node.space {
      case .plain:
        draft.takePlain(node)
      case .atom: draft.takeAtomInRSS(node)
      case .itunes: draft.takeITunes(node)
      case .media:
        draft.takeMedia(node)
        if node.name == "content" { loose.append(node) }
      case .podcast: draft.takePodcast(node)
      case .podlove: draft.takePodlove(node)
      case .dublinCore: draft.takeDublinCore(node)
      case .jwPlayer: draft.takeTrack(node)
      default: break
      }
      draft.takeText(node)
      if readsTexts { texts.append(node) }
    }
    if draft.link == nil {
      draft.link = item.children(.plain, "guid").lazy.compactMap(Self.permanentLink).first { _ in
        true
      }
    }
    draft.link = draft.link ?? draft.otherLink
    if readsTexts { draft.takeMedia(ofTexts: texts, base: item.base) }
    for part in draft.parts(loose) { entries.append(part) }
    // If the document does not close an item, the next item is inside it.
    for nested in item.children(.plain, "item") { takeItem(nested) }
  }

  private static func permanentLink(_ guid: XMLNode) -> String? {
    guard guid["ispermalink"]?.lowercased() != "false" else { return nil }
    // Only an absolute address is taken, and every absolute address has a colon.
    let text = guid.text
    return text.utf8.contains(Byte.colon) ? WebAddress.usable(text, base: "") : nil
  }

  /// Returns the address of a link. The address is the text of a link in RSS, and an attribute in
  /// other formats.
  fileprivate static func reference(_ link: XMLNode) -> String? {
    link.text.nonEmpty ?? link["href"]
  }
}

extension EntryDraft {
  fileprivate mutating func takePlain(_ node: XMLNode) {
    switch node.name {
    case "title":
      if title.isEmpty { title = PlainText.of(node.text) }
    case "guid":
      guid = node.text.nonEmpty ?? guid
    case "link":
      link = WebAddress.usable(RSSParser.reference(node), base: node.base) ?? link
    case "pubdate":
      dates.insert(node.text, at: 0)
    case "enclosure":
      takeEnclosure(node, at: node["url"] ?? node["href"] ?? node["uri"])
    default:
      break
    }
  }

  /// Reads a text of an item as its notes. If the item has no title so far, the beginning of the
  /// text is also kept, as a substitute for a title.
  mutating func takeText(_ node: XMLNode) {
    guard Self.texts.contains(node.name), node.hasText else { return }
    if node.space != .media { takeNotes(node) }
    guard title.isEmpty, text.isEmpty else { return }
    text = String(decoding: node.text.utf8.prefix(TextTitle.room), as: UTF8.self)
  }

  static let texts: Set<String> = ["description", "encoded", "content", "summary"]

  /// Adds the candidate in an `enclosure` of RSS or a `link rel="enclosure"` of Atom.
  mutating func takeEnclosure(_ node: XMLNode, at reference: String?) {
    offer(reference, base: node.base, source: .enclosure) { candidate in
      candidate.media.type = MediaType.normalized(node["type"])
      candidate.media.length = FeedNumber.positive(node["length"])
      candidate.media.codecs = MediaType.codecs(in: node["type"])
      candidate.labelledHeight = node["title"].flatMap(PictureHeight.lines)
    }
  }

  fileprivate mutating func takeAtomInRSS(_ node: XMLNode) {
    switch node.name {
    case "link": takeAtomLink(node)
    case "published": dates.append(node.text)
    case "updated": changes.append(node.text)
    case "title": if otherTitle.isEmpty { otherTitle = AtomParser.text(of: node) }
    default: break
    }
  }

  fileprivate mutating func takeDublinCore(_ node: XMLNode) {
    switch node.name {
    case "identifier": identifier = identifier ?? node.text.nonEmpty
    case "date", "issued", "created": dates.append(node.text)
    case "modified": changes.append(node.text)
    case "title": if otherTitle.isEmpty { otherTitle = PlainText.of(node.text) }
    default: break
    }
  }
}
