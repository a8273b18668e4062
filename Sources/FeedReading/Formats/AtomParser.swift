import Addresses
import Markup

/// Parses Atom 1.0 (RFC 4287) and its predecessor 0.3.
struct AtomParser: FeedFormat {
  private var feed = Feed(kind: .atom)
  private var entries: UnnamedEntries
  /// The address of the feed's page in a format other than HTML. It is used if the feed names no
  /// HTML page.
  private var otherURL: String?

  private let readsTexts: Bool

  init(root: XMLNode, choice: MediaChoice, readsTexts: Bool) {
    self.readsTexts = readsTexts
    entries = UnnamedEntries(choice: choice)
    feed.language = root["xml:lang"]
  }

  static let container: String? = nil

  var entryCount: Int { entries.count }

  var lacksFiles: Bool { entries.lackFiles }

  mutating func take(_ record: XMLNode, in container: XMLNode) {
    switch record.space {
    case .atom, .plain: takePart(record)
    default: feed.takeShared(record)
    }
  }

  mutating func finish() -> Feed {
    var feed = feed
    feed.url = feed.url ?? otherURL
    feed.setEntries(&entries, prefersIdentifier: false)
    return feed
  }

  private mutating func takePart(_ node: XMLNode) {
    switch node.name {
    case "entry":
      takeEntry(node)
    case "title":
      if feed.title.isEmpty { feed.title = Self.text(of: node) }
    case "link":
      feed.takeLink(node)
      if Self.relation(node) == "alternate" {
        if Self.isPage(node) {
          feed.url = feed.url ?? Self.address(node)
        } else {
          otherURL = otherURL ?? Self.address(node)
        }
      }
    case "logo":
      feed.cover = feed.cover ?? WebAddress.usable(node.text.nonEmpty, base: node.base)
    default:
      break
    }
  }

  private mutating func takeEntry(_ entry: XMLNode) {
    var draft = EntryDraft()
    var (loose, texts): ([XMLNode], [XMLNode]) = ([], [])
    for node in entry.children {
      switch node.space {
      case .atom, .plain:
        draft.takeAtom(node)
      case .media:
        draft.takeMedia(node)
        if node.name == "content" { loose.append(node) }
      case .itunes: draft.takeITunes(node)
      case .podcast: draft.takePodcast(node)
      case .podlove: draft.takePodlove(node)
      default: break
      }
      draft.takeText(node)
      // Only texts in HTML can name media. A text without a type is plain text (RFC 4287 §3.1.1).
      if readsTexts, node["type"]?.lowercased().contains("html") ?? false { texts.append(node) }
    }
    draft.link = draft.link ?? draft.otherLink
    if readsTexts { draft.takeMedia(ofTexts: texts, base: entry.base) }
    for part in draft.parts(loose) { entries.append(part) }
    // If the document does not close an entry, the next entry is inside it.
    for nested in entry.children where nested.name == "entry" && nested.space == entry.space {
      takeEntry(nested)
    }
  }

  /// Returns as plain text what an element says: a text construct (RFC 4287 §3.1), or `content` of
  /// Atom 0.3.
  static func text(of node: XMLNode) -> String {
    let type = node["type"]?.lowercased() ?? "text"
    if node["mode"]?.lowercased() == "base64" || type == "application/octet-stream" {
      return PlainText.of(Base64.text(node.text) ?? "")
    }
    return PlainText.of(node.text, isHTML: type == "html" || type == "text/html")
  }

  /// Returns the relation of a link, in lower case and without the prefix of the IANA registry;
  /// "alternate" if it has none (RFC 4287 §4.2.7.2).
  static func relation(_ link: XMLNode) -> String {
    let relation = link["rel"]?.lowercased() ?? "alternate"
    return relation.hasPrefix(registry) ? String(relation.dropFirst(registry.count)) : relation
  }

  private static let registry = "http://www.iana.org/assignments/relation/"

  /// Returns the target of a link. An empty reference means the document itself (RFC 3986 §4.4).
  static func address(_ link: XMLNode) -> String? {
    WebAddress.usable(link.written("href"), base: link.base)
  }

  /// Whether a link leads to a page for people to read. A link without a type counts as such a
  /// link.
  static func isPage(_ link: XMLNode) -> Bool {
    guard let type = MediaType.normalized(link["type"]) else { return true }
    return type == "text/html" || type == "application/xhtml+xml"
  }
}

extension EntryDraft {
  fileprivate mutating func takeAtom(_ node: XMLNode) {
    switch node.name {
    case "id":
      guid = guid ?? node.text.nonEmpty
    case "title":
      if title.isEmpty { title = AtomParser.text(of: node) }
    case "published":
      dates.insert(node.text, at: 0)
    case "issued", "created":
      dates.append(node.text)
    case "updated", "modified":
      changes.append(node.text)
    case "link":
      takeAtomLink(node)
    case "content":
      // Content that is at an address of its own (RFC 4287 §4.1.3.2) can be media.
      offer(node["src"], base: node.base, source: .alternative) { candidate in
        candidate.media.type = MediaType.normalized(node["type"])
        candidate.isMention = true
      }
    default:
      break
    }
  }

  /// Reads a `link` of Atom into the draft. RSS can contain such links too.
  mutating func takeAtomLink(_ node: XMLNode) {
    switch AtomParser.relation(node) {
    case "alternate":
      if AtomParser.isPage(node) {
        link = link ?? AtomParser.address(node)
      } else {
        otherLink = otherLink ?? AtomParser.address(node)
      }
    case "enclosure": takeEnclosure(node, at: node["href"])
    default: break
    }
  }
}

extension Feed {
  /// Reads an element of the feed that both Atom and RSS can have.
  mutating func takeShared(_ node: XMLNode) {
    switch (node.space, node.name) {
    case (.atom, "link"):
      takeLink(node)
      if AtomParser.relation(node) == "alternate" {
        url = url ?? AtomParser.address(node)
      }
    case (.itunes, "image"):
      // Apple's picture is square and large. So it wins over the `image` of RSS, which can be a
      // small logo.
      cover = WebAddress.usable(node["href"] ?? node["url"], base: node.base) ?? cover
    case (.itunes, "new-feed-url"):
      newURL = WebAddress.usable(node.text.nonEmpty, base: node.base)
    case (.history, "complete"):
      complete = true
    case (.itunes, "complete"), (.podcast, "complete"):
      pace.isFinished = ["yes", "true"].contains(node.text.lowercased())
    case (.podcast, "updatefrequency"):
      pace.isFinished = pace.isFinished || node["complete"]?.lowercased() == "true"
    case (.syndication, "updateperiod"):
      pace.take(period: node.text)
    case (.syndication, "updatefrequency"):
      pace.take(frequency: node.text)
    case (.tombstones, "deleted-entry"):
      if let id = node["ref"], deleted.count < XMLLimit.entries { deleted.append(id) }
    default:
      break
    }
  }

  /// Reads a link to a following page (RFC 5005 §3) or to an archive (§4).
  mutating func takeLink(_ node: XMLNode) {
    guard ["next", "prev-archive"].contains(AtomParser.relation(node)),
      let page = WebAddress.usable(node["href"], base: node.base), !next.contains(page),
      next.count < Self.maxPages
    else { return }
    next.append(page)
  }

  /// The limit for links to following pages that are taken from one document. Real documents have
  /// few.
  private static let maxPages = 100
}
