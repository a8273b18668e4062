/// HTML pages: directory listings, and pages that name their feed.
///
/// A page is a listing if its title or first heading begins as those of servers do ("Index of",
/// "Directory listing for"), or if links show the name of what they lead to: beside one to the folder
/// above, or half of all. Its files are those that it links to directly in its own folder.
struct HTMLParser {
  private struct Anchor {
    let href: String
    /// What is written in the link, and behind it up to the next one.
    var text = ""
    var tail = ""
  }

  private static let beginnings = [
    "index of", "directory listing for", "directory:", "directory of", "contents of", "listing of",
    "files within",
  ]
  private static let feedTypes: Set<String> = [
    "application/rss+xml", "application/atom+xml", "application/feed+json", "application/json",
    "application/rdf+xml", "text/xml", "application/xml",
  ]
  /// Links of one page that are looked at.
  private static let mostAnchors = 2 * FeedOutline.mostEntries

  private var base: String
  private var title = ""
  private var heading = ""
  private var anchors: [Anchor] = []
  private var feeds: [FeedLink] = []
  private var isInTitle = false
  private var isInHeading = false
  private var isInAnchor = false

  /// Whether a document is HTML: its first tag tells, unless a feed begins further on.
  static func recognizes(_ utf8: [UInt8]) -> Bool {
    let head = String(decoding: utf8.prefix(4096), as: UTF8.self).lowercased().trimmed
    var rest = head[...]
    while let end = endOfPrologue(rest) {
      rest = rest[end...].drop(while: \.isWhitespace)
    }
    guard ["<!doctype html", "<html", "<head", "<title", "<body"].contains(where: rest.hasPrefix)
    else { return false }
    return !["<rss", "<feed", "<rdf:rdf"].contains { tag in contains(tag, in: utf8) }
  }

  /// Where a comment or a declaration ends that a document begins with.
  private static func endOfPrologue(_ text: Substring) -> Substring.Index? {
    if text.hasPrefix("<!--") { return text.firstRange(of: "-->")?.upperBound }
    return text.hasPrefix("<?") ? text.firstRange(of: ">")?.upperBound : nil
  }

  /// Nil for a page that is neither listing nor names a feed.
  static func feed(_ utf8: [UInt8], base: String, choice: MediaChoice) -> Feed? {
    var parser = HTMLParser(base: base)
    var reader = HTMLReader(utf8)
    while let token = reader.next() { parser.take(token) }
    return parser.feed(choice)
  }

  private init(base: String) {
    self.base = base
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
      base = attributes["href"].map { URLReference.resolve($0, against: base) } ?? base
    case "link": takeLink(attributes)
    case "title": isInTitle = title.isEmpty
    case "h1": isInHeading = heading.isEmpty
    case "a":
      guard let href = attributes["href"], anchors.count < Self.mostAnchors else { return }
      anchors.append(Anchor(href: href))
      isInAnchor = true
    default: break
    }
  }

  private mutating func take(_ text: String) {
    if isInTitle { title += text }
    if isInHeading { heading += text }
    guard let last = anchors.indices.last else { return }
    if isInAnchor {
      anchors[last].text += text
    } else if anchors[last].tail.utf8.count < 256 {
      anchors[last].tail += text + " "
    }
  }

  private mutating func takeLink(_ attributes: [String: String]) {
    let relations = (attributes["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace)
    guard relations.contains("alternate"),
      let type = MediaType.normalized(attributes["type"]), Self.feedTypes.contains(type),
      let url = WebAddress.usable(attributes["href"]?.nonEmpty, base: base),
      !feeds.contains(where: { $0.url == url })
    else { return }
    feeds.append(FeedLink(url: url, title: PlainText.of(attributes["title"] ?? "")))
  }

  // MARK: What it amounts to

  private func feed(_ choice: MediaChoice) -> Feed? {
    let title = PlainText.of(self.title)
    if isListing || feeds.isEmpty && namesFiles {
      let listing = Feed(listing: rows, title: title, choice: choice)
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

  /// Whether it is names of files and folders that most links show, and media among them.
  private var namesFiles: Bool {
    anchors.count { isName($0) } * 2 >= anchors.count
      && anchors.contains { anchor in
        name(of: anchor) == anchor.text.trimmed
          && MediaType.classOf(type: nil, url: anchor.href) != .other
      }
  }

  /// Whether a link shows the last part of the path that it leads to.
  private func isName(_ anchor: Anchor) -> Bool {
    let path = URLReference(URLReference.resolve(anchor.href, against: base)).path
    let last = path.split(separator: "/").last.map(String.init) ?? ""
    return PercentEncoding.decoded(last) == anchor.text.trimmed.filter { $0 != "/" }
  }

  private var rows: [ListingRow] {
    var seen: Set<String> = []
    return anchors.compactMap { anchor in
      guard let name = name(of: anchor), let url = WebAddress.usable(anchor.href, base: base),
        seen.insert(url).inserted
      else { return nil }
      let (modified, size) = Self.columns(anchor.tail)
      return ListingRow(name: name, url: url, modified: modified, size: size)
    }
  }

  /// The name of the file that it leads to; nil unless that lies in the page's own folder.
  private func name(of anchor: Anchor) -> String? {
    let target = URLReference(URLReference.resolve(anchor.href, against: base))
    let own = URLReference(base)
    guard target.query == nil, target.scheme == own.scheme, target.authority == own.authority,
      let slash = target.path.lastIndex(of: "/")
    else { return nil }
    let folder = own.path.lastIndex(of: "/").map { own.path[...$0] } ?? "/"
    let name = target.path[slash...].dropFirst()
    guard target.path[...slash] == folder, !name.isEmpty else { return nil }
    return PercentEncoding.decoded(String(name))
  }

  /// "01-May-2026 10:00   12345" or "2026-05-01 10:00  12K": a size with a unit is rounded, and none.
  private static func columns(_ tail: String) -> (modified: String?, size: Int?) {
    let words = tail.split(whereSeparator: \.isWhitespace).map(String.init)
    guard
      let place = words.firstIndex(where: { word in
        word.contains("-") && word.contains(where: \.isNumber) && word.count >= 8
      })
    else { return (nil, nil) }
    let time = words.dropFirst(place + 1).first.flatMap { $0.contains(":") ? $0 : nil }
    let parts = words[place].split(separator: "-")
    // "01-May-2026": as RFC 822 has it, with spaces.
    let isNamed = parts.count == 3 && parts[0].count < 4 && parts[1].allSatisfy(\.isLetter)
    let day = isNamed ? parts.joined(separator: " ") : words[place]
    let rest = words.dropFirst(place + (time == nil ? 1 : 2))
    return ([day, time].compactMap(\.self).joined(separator: " "), rest.first.flatMap { Int($0) })
  }

  private static func contains(_ tag: String, in utf8: [UInt8]) -> Bool {
    let tag = Array(tag.utf8)
    var rest = utf8[...]
    while let less = rest.firstIndex(of: Byte.less) {
      if rest[less...].prefix(tag.count).map(Byte.lowercased) == tag { return true }
      rest = rest[(less + 1)...]
    }
    return false
  }
}
