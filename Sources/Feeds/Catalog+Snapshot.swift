internal import FoundationEssentials

// A snapshot is one JSON object:
//
//   { "format": 1, "feed": "https://…", "title": "…", "page": {…}, "nextInode": 18,
//     "order": [2, 1], "entries": [ { "number": 1, "name": "0001.mp4", "inode": 16, … }, … ] }
//
// Unknown keys are passed over, so that a later feedfs can add some without a new format.

extension Catalog {
  /// One more whenever a feedfs that knows only the formats before would read it wrongly.
  fileprivate static let format = 1

  /// The whole catalog as a JSON document.
  package func encoded() -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return try Array(encoder.encode(Document(self)))
    } catch {
      preconditionFailure("strings and numbers can always be encoded: \(error)")
    }
  }

  /// Reads what `encoded()` wrote, and believes none of it before it was checked.
  package init(decoding bytes: [UInt8]) throws(CatalogError) {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let document: Document
    do {
      document = try decoder.decode(Document.self, from: Data(bytes))
    } catch let error as CatalogError {
      throw error
    } catch {
      throw .damaged("not the JSON that was expected")
    }
    guard let feed = try? FeedKey(document.feed), feed.value == document.feed else {
      throw .damaged("its feed has no valid URL")
    }
    self.init(feed: feed)
    title = document.title
    page = document.page
    chain = document.chain ?? PageChain()
    entries = document.entries
    order = document.order
    nextInode = document.nextInode
    lastPlayed = document.lastPlayed.flatMap { entry(number: $0)?.number }
    try checkEntries()
    try checkOrder()
    index()
  }

  // MARK: What has to hold

  private func checkEntries() throws(CatalogError) {
    let inodes = ReservedInode.firstOfEntries..<max(nextInode, ReservedInode.firstOfEntries)
    for (index, entry) in entries.enumerated() {
      guard entry.number == index + 1 else { throw .damaged("entry \(index + 1) is missing") }
      guard FileName.isName(entry.name, of: entry.number) else {
        throw .damaged("entry \(entry.number) has the name of another")
      }
      guard inodes.contains(entry.inode), entry.known.map({ $0.length >= 0 }) ?? true else {
        throw .damaged("entry \(entry.number) has impossible values")
      }
    }
    // So far from the end that it is never reached by counting.
    guard inodes.upperBound < 1 << 56, entries.count <= Self.capacity else {
      throw .damaged("its numbers are out of range")
    }
    let aliases = entries.compactMap(\.alias)
    guard Set(entries.map(\.key)).count == entries.count, Set(aliases).count == aliases.count,
      Set(entries.map(\.inode)).count == entries.count
    else { throw .damaged("two entries are the same") }
  }

  private func checkOrder() throws(CatalogError) {
    guard order.count == listed.count, Set(order).count == order.count,
      order.allSatisfy({ entry(number: $0)?.isRemoved == false })
    else { throw .damaged("its order does not fit its entries") }
  }
}

/// A snapshot as it is written.
private struct Document: Codable {
  let format: Int
  let feed: String
  let title: String
  let page: PageFacts
  let chain: PageChain?
  let entries: [CatalogEntry]
  let order: [Int]
  let nextInode: UInt64
  let lastPlayed: Int?

  init(_ catalog: Catalog) {
    format = Catalog.format
    feed = catalog.feed.value
    title = catalog.title
    page = catalog.page
    chain = catalog.chain
    entries = catalog.entries
    order = catalog.order
    nextInode = catalog.nextInode
    lastPlayed = catalog.lastPlayed
  }

  /// Reads the format first: nothing is known of what a newer one holds.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    format = try values.decode(Int.self, forKey: .format)
    guard format <= Catalog.format else { throw CatalogError.newerFormat(format) }
    guard format == Catalog.format else { throw CatalogError.damaged("its format is \(format)") }
    feed = try values.decode(String.self, forKey: .feed)
    title = try values.decode(String.self, forKey: .title)
    page = try values.decode(PageFacts.self, forKey: .page)
    chain = try values.decodeIfPresent(PageChain.self, forKey: .chain)
    entries = try values.decode([CatalogEntry].self, forKey: .entries)
    order = try values.decode([Int].self, forKey: .order)
    nextInode = try values.decode(UInt64.self, forKey: .nextInode)
    lastPlayed = try values.decodeIfPresent(Int.self, forKey: .lastPlayed)
  }
}
