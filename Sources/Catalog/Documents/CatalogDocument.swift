package import FeedReading
import FoundationEssentials
import Markup

/// The content of `.feedfs/feed.json`: the listed entries in the feed's present order. A key that
/// `feed show --json` also has means the same here.
///
/// Addresses are written without userinfo, query and fragment, because more people can be allowed
/// to read a mount than its feed.
package struct CatalogDocument: Sendable {
  /// The document without its entries.
  private struct Shell: Encodable {
    let feed: Head
    let entries: [Item] = []
  }

  private struct Head: Encodable {
    let title: String
    let address: String
    /// The time when the feed was last read or confirmed, in seconds since 1970.
    @OrNull var checked: Int?
    /// The number of pages that were read.
    let pages: Int
    /// The reason why there are no more pages; null if there can be more.
    @OrNull var ended: String?
  }

  private struct Item: Encodable {
    let n: Int
    let name: String
    let id: String
    let title: String
    /// Seconds since 1970.
    @OrNull var published: Int?
    /// The day of publication, or else of first sight, in the publisher's time zone.
    let day: String
    let firstSeen: Int
    @OrNull var url: String?
    @OrNull var type: String?
    /// Bytes: the proved length, or else the length that the feed or the entry's web page claims.
    @OrNull var length: Int?
    /// Seconds.
    @OrNull var duration: Double?
    @OrNull var height: Int?
    @OrNull var link: String?
    @OrNull var season: Int?
    @OrNull var episode: Int?
    /// The show notes as plain text; null if there are none.
    @OrNull var notes: String?
    /// How far the user is with the entry: new, started or played.
    let mark: String
    let subtitles: [String]
  }

  private let catalog: Catalog
  private let shown: @Sendable (String) -> String

  /// - Parameter shown: returns the address that it gets, without parts that can be secret.
  package init(_ catalog: Catalog, shown: @escaping @Sendable (String) -> String) {
    self.catalog = catalog
    self.shown = shown
  }

  /// The document as JSON.
  package var pieces: Pieces {
    let head = Head(
      title: catalog.title, address: catalog.feed.shown,
      checked: OrNull(catalog.page.checkedAt), pages: catalog.chain.count,
      ended: OrNull(catalog.chain.endedBecause))
    let order = catalog.listedOrder
    return Pieces(Self.encoded(Shell(feed: head)), list: "entries", count: order.count) { places in
      Self.encoded(["entries": order[places].compactMap(catalog.entry(number:)).map(item)])
    }
  }

  private func item(of entry: CatalogEntry) -> Item {
    Item(
      n: entry.number, name: entry.name,
      id: entry.key.contains("://") ? shown(entry.key) : entry.key, title: entry.shownTitle,
      published: OrNull(entry.published), day: entry.day, firstSeen: entry.firstSeen,
      url: OrNull(shown(entry.media.url)),
      type: OrNull(entry.known?.contentType ?? entry.media.type),
      length: OrNull(entry.known?.length ?? entry.expectedLength),
      duration: OrNull(entry.duration), height: OrNull(entry.media.height),
      link: OrNull(entry.link.map(shown)), season: OrNull(entry.season),
      episode: OrNull(entry.episode), notes: OrNull(entry.notes.map(ShowNotes.text)),
      mark: entry.mark?.rawValue ?? EntryMark.new,
      subtitles: Sidecar.all(of: entry, kinds: [.subtitles]).map(\.name))
  }

  private static func encoded(_ message: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(message) else { return [] }
    return Array(PrintableText.json(String(decoding: data, as: UTF8.self)).utf8)
  }
}
