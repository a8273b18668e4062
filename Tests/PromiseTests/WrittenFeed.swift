import TestSupport

/// A feed of RSS that a test writes and changes, one page after the other.
struct WrittenFeed {
  struct Item {
    var id: String
    var title: String
    /// Hours since the first of May 2026.
    var hour: Int
    /// Behind the address of its bytes, as tokens are.
    var token = ""
    var size = 300_000
    /// Where its bytes are at the origin, if they are not generated.
    var media: String?
    /// What the item says besides.
    var more = ""

    init(_ number: Int, more: String = "") {
      id = "item-\(number)"
      title = "Item \(number)"
      hour = 2000 - number
      self.more = more
    }

    /// Its bytes, whatever its id.
    var file: PatternFile {
      PatternFile(name: title.filter { $0 != " " }, size: size, seed: UInt64(hour))
    }
  }

  /// Page by page.
  var pages: [[Item]]
  var title = "Written"
  /// What the feed's first page is called at the origin.
  var path = "/written"

  /// Puts all pages to the origin, each naming the next.
  func serve(by feed: MountedFeed) throws {
    for (index, page) in pages.enumerated() {
      let next =
        index + 1 < pages.count
        ? "<atom:link rel=\"next\" href=\"\(feed.origin.url(address(index + 1)))\"/>" : ""
      let items = page.map { item in
        """
        <item><title>\(item.title)</title><guid isPermaLink="false">\(item.id)</guid>
        <pubDate>\(Self.date(item.hour))</pubDate>\(item.more)
        <enclosure type="video/mp4" \(item.file.length)
          url="\(Self.escaped(feed.origin.url(item.media ?? item.file.path) + item.token))"/></item>
        """
      }
      let text = """
        <?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
          xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel>
        <title>\(title)</title>\(next)\(items.joined())</channel></rss>
        """
      try feed.origin.put(text, at: address(index), type: "application/rss+xml")
    }
  }

  func address(_ page: Int) -> String {
    page == 0 ? path : "\(path)-\(page + 1)"
  }

  private static func date(_ hour: Int) -> String {
    let (day, time) = (hour / 24, hour % 24)
    let month = ["May", "Jun", "Jul"][day / 30]
    return "\(day % 30 + 1) \(month) 2026 \(time < 10 ? "0" : "")\(time):00:00 GMT"
  }

  private static func escaped(_ url: String) -> String {
    url.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
  }
}
