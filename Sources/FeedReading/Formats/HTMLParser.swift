import Addresses
import Markup

/// Parses HTML pages: directory listings, and pages that name their feed.
///
/// A page is a listing if its title or first heading begins with words that servers use for that
/// ("Index of", "Directory listing for"). It is also a listing if its links show the names of the
/// files to which they lead. One such link is enough if another link leads to the parent folder.
/// Otherwise at least half of all links must show names, and one of them must lead to a media file.
/// The listed files are those directly in the page's own folder.
struct HTMLParser {
  private struct Anchor {
    let href: String
    /// The text before the link in its row.
    let lead: String
    /// `text` is the text of the link. `tail` is the text behind the link, up to the end of the
    /// row.
    var text = ""
    var tail = ""
    /// The size in bytes, from an attribute of a table cell behind the link; nil if there is none.
    var size: Int?
  }

  private static let beginnings = [
    "index of", "directory listing for", "directory:", "directory of", "contents of", "listing of",
    "files within",
  ]
  private static let feedTypes: Set<String> = [
    "application/rss+xml", "application/atom+xml", "application/feed+json", "application/json",
    "application/rdf+xml", "text/xml", "application/xml",
  ]
  /// The limit for the links that are read of a page.
  private static let maxAnchors = 2 * XMLLimit.entries
  /// The limit for the feeds that are taken from a page.
  private static let maxFeeds = 100
  /// The limit for the text beside a link, in bytes.
  private static let maxColumnBytes = 256

  /// The address of the page.
  private let document: String
  /// The folder that the page lists; nil if the address of the page cannot be parsed.
  private var own: FilePlace?
  /// The base of relative links.
  private var base: String
  private var title = ""
  private var heading = ""
  private var anchors: [Anchor] = []
  private var feeds: [FeedLink] = []
  private var isInTitle = false
  private var isInHeading = false
  private var isInAnchor = false
  /// The text before the link in the current row; nil outside rows, and after the link.
  private var lead: String?
  /// The number in the attributes of the open table cell; nil if there is none. It is the size of
  /// the file if the text of the cell shows the same size.
  private var sortedBy: Int?

  /// Returns the feed of a page; nil if the page is no listing and names no feed.
  static func feed(_ utf8: [UInt8], base: String, choice: MediaChoice) -> Feed? {
    var parser = HTMLParser(base: base)
    var reader = HTMLReader(utf8)
    while let token = reader.next() { parser.take(token) }
    return parser.feed(choice)
  }

  private init(base: String) {
    document = base
    self.base = base
    own = FilePlace(of: base)
  }

  // MARK: Reading

  private mutating func take(_ token: HTMLReader.Token) {
    switch token {
    case .start(let name, let attributes): start(name, attributes)
    case .end("a"): isInAnchor = false
    case .end("title"): isInTitle = false
    case .end("h1"): isInHeading = false
    case .end: break
    case .text(let text): take(text)
    }
  }

  private mutating func start(_ name: String, _ attributes: [String: String]) {
    switch name {
    case "base":
      base = attributes["href"].map { WebAddress.base($0, within: document) } ?? base
      if document.isEmpty { own = FilePlace(of: base) }
    case "link": takeLink(attributes)
    case "title": isInTitle = title.isEmpty
    case "h1": isInHeading = heading.isEmpty
    case "tr", "li", "br":
      lead = ""
      isInAnchor = false
      sortedBy = nil
    case "td": sortedBy = (attributes["data-order"] ?? attributes["data-size"]).flatMap { Int($0) }
    case "time": if let date = attributes["datetime"] { takeColumn(date) }
    case "a":
      guard let href = attributes["href"], anchors.count < Self.maxAnchors else { return }
      anchors.append(Anchor(href: href, lead: lead ?? ""))
      lead = nil
      isInAnchor = true
    default: break
    }
  }

  private mutating func take(_ text: String) {
    if isInTitle { Self.append(text, to: &title, most: XMLLimit.attribute) }
    if isInHeading { Self.append(text, to: &heading, most: XMLLimit.attribute) }
    if isInAnchor, let last = anchors.indices.last {
      Self.append(text, to: &anchors[last].text, most: XMLLimit.attribute)
    } else {
      takeColumn(text)
    }
  }

  private mutating func takeColumn(_ text: String) {
    if let bytes = sortedBy, !text.allSatisfy(\.isWhitespace) {
      takeSize(bytes, shownAs: text)
      sortedBy = nil
    }
    if let before = lead {
      lead = before.utf8.count < Self.maxColumnBytes ? before + text + " " : before
    } else if let last = anchors.indices.last {
      Self.append(text + " ", to: &anchors[last].tail, most: Self.maxColumnBytes)
    }
  }

  /// Records `bytes` as the exact size of the last link's file, if the text of the cell shows the
  /// same size. The text is compared, because cells with dates have such numbers too.
  private mutating func takeSize(_ bytes: Int, shownAs text: String) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard lead == nil, let last = anchors.indices.last, let shown = WrittenSize(words),
      shown.range.contains(bytes)
    else { return }
    anchors[last].size = bytes
  }

  private static func append(_ text: String, to whole: inout String, most: Int) {
    if whole.utf8.count < most { whole += text }
  }

  private mutating func takeLink(_ attributes: [String: String]) {
    let relations = (attributes["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace)
    guard feeds.count < Self.maxFeeds, relations.contains("alternate"),
      let type = MediaType.normalized(attributes["type"]), Self.feedTypes.contains(type),
      let url = WebAddress.usable(attributes["href"]?.nonEmpty, base: base),
      !feeds.contains(where: { $0.url == url })
    else { return }
    feeds.append(FeedLink(url: url, title: PlainText.of(attributes["title"] ?? "")))
  }

  // MARK: The result

  private func feed(_ choice: MediaChoice) -> Feed? {
    let title = PlainText.of(self.title)
    if isListing || feeds.isEmpty && namesFiles {
      let listing = Feed(listing: rows, folders: folders, title: title, choice: choice)
      if feeds.isEmpty || !listing.entries.isEmpty { return listing }
    }
    guard !feeds.isEmpty else { return nil }
    var feed = Feed(kind: .index)
    feed.title = title
    feed.feeds = feeds
    feed.diagnostics = feeds.map { "the page names a feed: \($0.url)" }
    return feed
  }

  private var isListing: Bool {
    let names = [title, heading].map { PlainText.of($0).lowercased() }
    if names.contains(where: { name in Self.beginnings.contains(where: name.hasPrefix) }) {
      return true
    }
    let hasParent = anchors.contains { ["../", "..", "./.."].contains($0.href) }
    return hasParent && anchors.contains { name(of: $0) == $0.text.trimmed }
  }

  /// Whether at least half of the links show names of files and folders, and one of them shows a
  /// media file. Links that sort the page do not count.
  private var namesFiles: Bool {
    let links = anchors.filter { !["?", "./?", "#"].contains(where: $0.href.hasPrefix) }
    return links.count { isName($0) } * 2 >= links.count
      && links.contains { anchor in
        name(of: anchor) == anchor.text.trimmed
          && MediaType.classOf(type: nil, url: anchor.href).isMedia
      }
  }

  /// Whether a link shows the last part of its target's path.
  private func isName(_ anchor: Anchor) -> Bool {
    let path = target(of: anchor)?.path ?? ""
    let last = path.split(separator: "/").last.map(String.init) ?? ""
    return PercentEncoding.decoded(last) == anchor.text.trimmed.filter { $0 != "/" }
  }

  /// The files in the order of the page. A link can come twice, because an icon can have the same
  /// link as the name.
  private var rows: [ListingRow] {
    var places: [String: Int] = [:]
    var rows: [ListingRow] = []
    for anchor in anchors {
      guard let name = name(of: anchor) else { continue }
      let url = WebAddress.usable(anchor.href, base: base) ?? anchor.href
      let columns = [anchor.tail, anchor.lead].lazy.map(ListingColumns.init)
        .first { $0.modified != nil }
      var row = ListingRow(
        name: name, url: url, modified: columns?.modified, size: anchor.size ?? columns?.size)
      row.roundedSize = columns?.roundedSize
      if let place = places[url] {
        if rows[place].modified == nil { rows[place] = row }
      } else {
        places[url] = rows.count
        rows.append(row)
      }
    }
    return rows
  }

  /// The names of the folders in the page's own folder.
  private var folders: [String] {
    var names: [String] = []
    for anchor in anchors {
      guard let target = target(of: anchor), target.query == nil,
        let name = FilePlace(target).folder(in: own), !names.contains(name)
      else { continue }
      names.append(name)
      if names.count >= Self.maxFolders { break }
    }
    return names
  }

  /// The limit for the folders that are taken from a page.
  private static let maxFolders = 1_000

  /// Returns the name of the file to which a link leads; nil if it is not in the page's own folder.
  private func name(of anchor: Anchor) -> String? {
    guard let target = target(of: anchor), target.query == nil else { return nil }
    let place = FilePlace(target)
    return place.isBeside(own) ? place.name.nonEmpty : nil
  }

  private func target(of anchor: Anchor) -> WebAddress.Parts? {
    FilePlace.parts(of: anchor.href, base: base)
  }
}

/// The folder and the name in an address. Both are percent-decoded, because pages differ in the
/// characters that they encode.
private struct FilePlace {
  private let origin: String
  private let folder: String
  let name: String

  /// The address that is used for a page whose own address is not known, or is that of a local
  /// file.
  private static let nowhere = "http://nowhere.invalid/"

  init(_ parts: WebAddress.Parts) {
    origin = "\(parts.scheme)://\(parts.authority)"
    let path = parts.path
    let start = path.utf8.lastIndex(of: Byte.slash).map { path.utf8.index(after: $0) }
    folder = PercentEncoding.decoded(String(path[..<(start ?? path.startIndex)]))
    name = PercentEncoding.decoded(String(path[(start ?? path.startIndex)...]))
  }

  init?(of base: String) {
    guard let parts = Self.parts(of: "", base: base) else { return nil }
    self.init(parts)
  }

  func isBeside(_ other: FilePlace?) -> Bool {
    origin == other?.origin && folder == other?.folder
  }

  /// Returns the name of this folder; nil if it is not directly in the folder of `other`.
  func folder(in other: FilePlace?) -> String? {
    guard let other, name.isEmpty, origin == other.origin, folder.hasPrefix(other.folder) else {
      return nil
    }
    let rest = folder.dropFirst(other.folder.count)
    return rest.dropLast().contains("/") ? nil : String(rest).nonEmpty
  }

  static func parts(of reference: String, base: String) -> WebAddress.Parts? {
    let isKnown = WebAddress.usable("/", base: base) != nil
    return WebAddress.usable(reference, base: isKnown ? base : nowhere)
      .flatMap { try? WebAddress.Parts($0) }
  }
}
