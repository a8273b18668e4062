package import FeedReading

internal import FoundationEssentials

// A snapshot is one JSON object:
//
//   { "format": 1, "feed": "https://…", "title": "…", "page": {…}, "nextInode": 18,
//     "order": [2, 1], "entries": [ { "number": 1, "name": "0001.mp4", "inode": 16, … }, … ] }
//
// A reader skips keys that it does not know, so a later feedfs can add keys without a new format.

extension Catalog {
  /// The version of the format. It is raised when an older feedfs would misread a new snapshot.
  fileprivate static let format = 1

  /// The number of entries in one piece.
  private static let batch = 500

  /// The whole catalog as a JSON document.
  package var snapshot: Pieces {
    let (head, tail) = Document(self).around(Self.list)
    let batches = (entries.count + Self.batch - 1) / Self.batch
    return Pieces(count: batches + 2) { [entries] number in
      if number == 0 { return head }
      if number > batches { return tail }
      let first = (number - 1) * Self.batch
      var text = JSONText()
      text.array(entries[first..<min(first + Self.batch, entries.count)]) { $0.put($1) }
      return (number > 1 ? [UInt8(ascii: ",")] : []) + text.bytes.dropFirst().dropLast()
    }
  }

  fileprivate static let list = Array("\"entries\":[".utf8)

  /// Returns the snapshot in one piece.
  package func encoded() -> [UInt8] {
    snapshot.joined
  }

  /// Reads a snapshot that `encoded()` wrote.
  package init(decoding bytes: [UInt8]) throws(CatalogError) {
    var piece: [UInt8]? = bytes
    try self.init(reading: {
      defer { piece = nil }
      return piece
    })
  }

  /// Reads a snapshot, and checks that its numbers, names and order are consistent.
  ///
  /// - Parameter next: returns the next piece of the snapshot; nil after the last piece.
  package init(reading next: () throws -> [UInt8]?) throws(CatalogError) {
    var reader = SnapshotReader()
    do {
      while let piece = try next() { reader.take(piece) }
    } catch {
      throw .damaged("it cannot be read")
    }
    let document = try Document.decode(reader.shell)
    guard let feed = try? FeedKey(document.feed), feed.value == document.feed else {
      throw .damaged("the URL of its feed is not valid")
    }
    guard !reader.isDamaged else { throw .damaged("it is not the JSON that was expected") }
    self.init(feed: feed)
    title = document.title
    cover = document.cover
    page = document.page
    chain = document.chain
    move = document.move ?? FeedMove()
    entries = reader.entries
    order = document.order
    nextInode = document.nextInode
    lastPlayed = document.lastPlayed.flatMap { entry(number: $0)?.number }
    // A later feedfs can have more ways to name files. Then the names that it gave are still used.
    naming = document.naming.map { FileNaming(rawValue: $0) ?? .title }
    try checkEntries()
    try checkOrder()
    index()
  }

  // MARK: Checks

  private func checkEntries() throws(CatalogError) {
    let inodes = ReservedInode.firstOfEntries..<max(nextInode, ReservedInode.firstOfEntries)
    // An inode below this bound can be counted up without overflow.
    guard inodes.upperBound < 1 << 56, entries.count <= Self.capacity else {
      throw .damaged("its numbers are out of range")
    }
    var known: Set<UInt64> = []
    var (keys, aliases) = (Hashes(), Hashes())
    for index in entries.indices {
      let entry = entries.names(at: index)
      guard entry.number == index + 1 else { throw .damaged("entry \(index + 1) is missing") }
      guard names != .number || FileName.isName(entry.name, of: entry.number) else {
        throw .damaged("entry \(entry.number) has the name of another entry")
      }
      let length = entries.listed(at: index).provedLength ?? 0
      guard inodes.contains(entry.inode), length >= 0 else {
        throw .damaged("entry \(entry.number) has impossible values")
      }
      guard known.insert(entry.inode).inserted else { throw .damaged("two entries are the same") }
      keys.add(entry.key)
      aliases.add(entry.alias)
    }
    if keys.hasTwins { try checkDiffer(\.key) }
    if aliases.hasTwins { try checkDiffer(\.alias) }
  }

  /// Throws if two entries have the same text.
  private func checkDiffer(_ text: (CatalogEntry) -> String?) throws(CatalogError) {
    let texts = entries.compactMap(text)
    guard Set(texts).count == texts.count else { throw .damaged("two entries are the same") }
  }

  private func checkOrder() throws(CatalogError) {
    guard order.count == listedNumbers.count, Set(order).count == order.count,
      order.allSatisfy(isListed)
    else { throw .damaged("its order does not fit its entries") }
  }

  /// Finds out by hashes alone whether all texts differ. Only if two hashes are equal must the
  /// texts themselves be compared.
  private struct Hashes {
    private var seen: Set<Int> = []
    /// Whether two texts have the same hash, so that they can be the same.
    private(set) var hasTwins = false

    mutating func add(_ text: String?) {
      guard let text, !seen.insert(EntryIdentity.hash(of: text)).inserted else { return }
      hasTwins = true
    }
  }
}

/// A snapshot without its entries, which are written and read one by one.
private struct Document: Codable {
  let format: Int
  let feed: String
  let title: String
  /// The picture of the feed. Nil, and left out of the JSON, if the feed has none.
  let cover: String?
  let page: PageFacts
  let chain: PageChain
  /// Nil, and left out of the JSON, if no move is known.
  let move: FeedMove?
  let entries: [Int]
  let order: [Int]
  let nextInode: UInt64
  let lastPlayed: Int?
  /// The way in which files are named. Nil, and left out of the JSON, until it is decided.
  let naming: String?

  init(_ catalog: Catalog) {
    format = Catalog.format
    feed = catalog.feed.value
    title = catalog.title
    cover = catalog.cover
    page = catalog.page
    chain = catalog.chain
    move = catalog.move == FeedMove() ? nil : catalog.move
    entries = []
    order = catalog.order
    nextInode = catalog.nextInode
    lastPlayed = catalog.lastPlayed
    naming = catalog.naming?.rawValue
  }

  /// Reads the format first, because in a newer format the other values can be anything.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    format = try values.decode(Int.self, forKey: .format)
    guard format <= Catalog.format else { throw CatalogError.newerFormat(format) }
    guard format == Catalog.format else { throw CatalogError.olderFormat(format) }
    feed = try values.decode(String.self, forKey: .feed)
    title = try values.decode(String.self, forKey: .title)
    cover = try values.decodeIfPresent(String.self, forKey: .cover)
    page = try values.decode(PageFacts.self, forKey: .page)
    chain = try values.decode(PageChain.self, forKey: .chain)
    move = try values.decodeIfPresent(FeedMove.self, forKey: .move)
    entries = try values.decode([Int].self, forKey: .entries)
    order = try values.decode([Int].self, forKey: .order)
    nextInode = try values.decode(UInt64.self, forKey: .nextInode)
    lastPlayed = try values.decodeIfPresent(Int.self, forKey: .lastPlayed)
    naming = try values.decodeIfPresent(String.self, forKey: .naming)
  }

  /// Returns the JSON before and behind the entries. `list` is the text that begins their array.
  func around(_ list: [UInt8]) -> (head: [UInt8], tail: [UInt8]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      let bytes = Array(try encoder.encode(self))
      // `list` cannot match inside a string, because a backslash precedes each quote there.
      let start = bytes.indices.first { bytes[$0...].starts(with: list) } ?? 0
      return (Array(bytes[..<(start + list.count)]), Array(bytes[(start + list.count)...]))
    } catch {
      preconditionFailure("strings and numbers can always be encoded: \(error)")
    }
  }

  static func decode(_ bytes: [UInt8]) throws(CatalogError) -> Document {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return try decoder.decode(Document.self, from: Data(bytes))
    } catch let error as CatalogError {
      throw error
    } catch {
      throw .damaged("it is not the JSON that was expected")
    }
  }
}

/// The reason why a snapshot is not accepted.
package enum CatalogError: Error, Hashable, CustomStringConvertible {
  /// The snapshot is damaged. The caller should use the snapshot before it.
  case damaged(String)
  /// The snapshot is of a format that is not read any more. The caller must set it aside.
  case olderFormat(Int)
  /// A later feedfs wrote the snapshot. The caller must leave it as it is.
  case newerFormat(Int)

  package var description: String {
    switch self {
    case .damaged(let what):
      "the catalog snapshot is damaged (\(what)): use the snapshot before it, or delete it"
    case .olderFormat(let format):
      "the catalog snapshot has format \(format), which this feedfs does not read any more"
    case .newerFormat(let format):
      "the catalog snapshot has format \(format), of a newer feedfs: use that version, or delete the snapshot"
    }
  }
}
