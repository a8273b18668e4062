import Addresses
import Markup

/// Parses OPML: a list of feeds, some of them in folders.
struct OPMLParser: FeedFormat {
  private var feed = Feed(kind: .opml)
  private var refused = 0
  private var isCut = false
  private var known: Set<String> = []

  static let container: String? = "body"
  /// The limit is large, because a folder is one record, and in some lists one folder holds all
  /// feeds.
  static let maxRecord = 2 * XMLLimit.entries

  var entryCount: Int { feed.feeds.count }

  mutating func take(_ record: XMLNode, in container: XMLNode) {
    switch record.name {
    case "outline": takeOutline(record, in: [])
    case "head":
      feed.title = record.children.first { $0.name == "title" }.map { PlainText.of($0.text) } ?? ""
    default: break
    }
  }

  /// Returns a feed whose entries are the listed feeds. No entry of such a feed is a file.
  mutating func finish() -> Feed {
    var feed = feed
    for link in feed.feeds {
      var entry = Entry(id: link.url, idSource: .url)
      entry.title = link.folder.map { "\($0)/\(link.title)" } ?? link.title
      entry.alternates = [Media(url: link.url)]
      entry.skipped = "feed"
      feed.entries.append(entry)
    }
    if isCut { feed.diagnoseCut() }
    if refused > 0 {
      feed.diagnostics.append("feeds whose address cannot be used: \(refused)")
    }
    return feed
  }

  /// - Parameter folders: the names of the folders around the outline.
  private mutating func takeOutline(_ outline: XMLNode, in folders: [String]) {
    let title = PlainText.of(outline["title"] ?? outline["text"] ?? "")
    if let reference = outline["xmlurl"] {
      if let url = WebAddress.usable(reference, base: outline.base) {
        add(FeedLink(url: url, title: title, folder: folders.joined(separator: "/").nonEmpty))
      } else {
        refused += 1
      }
    }
    let isFolder = outline["xmlurl"] == nil && !title.isEmpty && folders.count < Self.maxDepth
    let path = isFolder ? folders + [title] : folders
    for inner in outline.children where inner.name == "outline" { takeOutline(inner, in: path) }
  }

  /// The limit for the folders around a feed. Deeper folders are left out of its path.
  private static let maxDepth = 8

  private mutating func add(_ link: FeedLink) {
    guard known.insert(link.url).inserted else { return }
    if feed.feeds.count < XMLLimit.entries { feed.feeds.append(link) } else { isCut = true }
  }
}
