import Catalog
import FeedReading
import Testing

/// The time of all tests; seconds since 1970.
let noon = 1_780_000_000

/// A playable entry, with an address of its own by default.
func video(
  _ id: String, url: String? = nil, title: String? = nil, published: Int? = nil, length: Int? = nil
) -> Entry {
  var media = Media(url: url ?? "https://media.example/\(id).mp4")
  media.length = length
  var entry = Entry(id: id, idSource: .guid)
  entry.title = title ?? "Title of \(id)"
  entry.published = published
  entry.media = media
  return entry
}

func feed(_ entries: [Entry], title: String = "A feed") -> Feed {
  var feed = Feed(kind: .rss)
  feed.title = title
  feed.entries = PackedArray(entries)
  return feed
}

/// A page with one entry per word: `feed("c b a")`.
func feed(_ ids: String) -> Feed {
  feed(ids.split(separator: " ").map { video(String($0)) })
}

extension Catalog {
  static func empty() throws -> Catalog {
    try Catalog(feed: FeedKey("https://feeds.example/talks.xml"))
  }

  /// The catalog after reading these pages one after the other.
  static func after(_ pages: Feed...) throws -> Catalog {
    var catalog = try Catalog.empty()
    for page in pages { catalog.read(page) }
    return catalog
  }

  @discardableResult
  mutating func read(
    _ page: Feed, now: Int = noon, keep: (Int) -> Bool = { _ in false }
  ) -> CatalogChange {
    merge(page, now: now, keep: keep) { _ in "mp4" }
  }

  /// Keys by number; removed entries in brackets: `"a b (c)"`.
  var numbering: String {
    entries.map { $0.isRemoved ? "(\($0.key))" : $0.key }.joined(separator: " ")
  }

  /// Keys in the order of the feed.
  var ordering: String { inFeedOrder.map(\.key).joined(separator: " ") }
}

/// Checks everything that must hold for any catalog.
func expectInvariants(of catalog: Catalog, _ location: SourceLocation = #_sourceLocation) {
  for (index, entry) in catalog.entries.enumerated() {
    let isFine =
      entry.number == index + 1 && isPlainName(entry.name, number: entry.number)
      && catalog.entry(number: entry.number) == entry && catalog.entry(inode: entry.inode) == entry
      && catalog.entry(named: entry.name) == (entry.isRemoved ? nil : entry)
      && (16..<catalog.nextInode).contains(entry.inode)
    if !isFine { Issue.record("impossible: \(entry)", sourceLocation: location) }
  }
  let entries = catalog.entries
  #expect(Set(entries.map(\.key)).count == entries.count, sourceLocation: location)
  #expect(Set(entries.map(\.inode)).count == entries.count, sourceLocation: location)
  #expect(catalog.nextNumber == entries.count + 1, sourceLocation: location)
  #expect(catalog.order.sorted() == catalog.listed.map(\.number), sourceLocation: location)
}

private func isPlainName(_ name: String, number: Int) -> Bool {
  let parts = name.split(separator: ".", omittingEmptySubsequences: false)
  return parts.count == 2 && parts[0].utf8.count >= 4 && Int(parts[0]) == number
    && (1...8).contains(parts[1].utf8.count)
    && parts[1].utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) }
}
