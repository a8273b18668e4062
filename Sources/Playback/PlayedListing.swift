import Catalog
import FoundationEssentials
import Markup

/// The entries to play, in the feed's current order.
package struct PlayedListing: Hashable, Sendable {
  package private(set) var entries: [PlayedEntry]
  /// True if the feed has no further page to read.
  package private(set) var isWhole: Bool

  package init(_ entries: [PlayedEntry], isWhole: Bool) {
    self.entries = entries
    self.isWhole = isWhole
  }

  /// - Parameters:
  ///   - document: the contents of the file `.feedfs/feed.json`.
  ///   - folder: the absolute path of the feed's folder.
  /// - Throws: if `document` cannot be decoded.
  package init(document: [UInt8], in folder: String) throws {
    let document = try JSONDecoder().decode(Document.self, from: Data(document))
    entries = document.entries.map { item in
      let title = PrintableText.line(item.title)
      return PlayedEntry(
        key: .init(feed: document.feed.address, number: item.n, id: item.id),
        path: "\(folder)/\(item.name)", title: title.isEmpty ? item.name : title,
        duration: item.duration)
    }
    isWhole = document.feed.ended != nil
  }

  /// Returns this listing, followed by the entries of `other`.
  package func followed(by other: PlayedListing) -> PlayedListing {
    PlayedListing(entries + other.entries, isWhole: isWhole && other.isWhole)
  }

  /// The fields that are read from the document. The document has more.
  private struct Document: Decodable {
    struct Head: Decodable {
      let address: String
      let ended: String?
    }

    struct Item: Decodable {
      let n: Int
      let name: String
      let id: String
      let title: String
      let duration: Double?
    }

    let feed: Head
    let entries: [Item]
  }
}
