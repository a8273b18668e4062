import Feeds
import FoundationEssentials

/// What there is to play, in the feed's order of today.
package struct PlayedListing: Hashable, Sendable {
  package private(set) var entries: [PlayedEntry]
  /// The feed has no page that was not read.
  package private(set) var isWhole: Bool

  package init(_ entries: [PlayedEntry], isWhole: Bool) {
    self.entries = entries
    self.isWhole = isWhole
  }

  /// - Parameters:
  ///   - document: what `.feedfs/feed.json` holds.
  ///   - folder: where its files are, absolute.
  /// - Throws: for what is no such document.
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

  /// This one, and behind it the entries of `other`.
  package func followed(by other: PlayedListing) -> PlayedListing {
    PlayedListing(entries + other.entries, isWhole: isWhole && other.isWhole)
  }

  /// What is taken of the document, which has more.
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
