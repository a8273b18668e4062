/// Parses listings of nginx with `autoindex_format json`: `[{"name", "type", "mtime", "size"}]`.
enum NginxListing {
  /// Returns nil if the document is no such listing.
  static func feed(in document: JSONValue, base: String, choice: MediaChoice) -> Feed? {
    guard let items = document.array, !items.isEmpty,
      items.allSatisfy({ item in
        ["file", "directory", "other"].contains(item.text("type"))
          && item.text("name") != nil && item.text("mtime") != nil
      })
    else { return nil }
    let rows = items.compactMap { item -> ListingRow? in
      guard item.text("type") == "file", let name = item.text("name") else { return nil }
      return ListingRow(
        name: name, base: base, modified: item.text("mtime"), size: item["size"]?.count)
    }
    return Feed(listing: rows, title: "", choice: choice)
  }
}

/// Parses listings of nginx with `autoindex_format xml`: `list/file`, with `mtime` and `size`.
struct NginxXMLParser: FeedFormat {
  private let choice: MediaChoice
  private var rows: [ListingRow] = []
  /// True when the document lists something other than files.
  private(set) var isForeign = false

  init(choice: MediaChoice) {
    self.choice = choice
  }

  static let container: String? = nil

  var entryCount: Int { rows.count }

  mutating func take(_ record: XMLNode, in container: XMLNode) {
    isForeign = isForeign || !["file", "directory", "other"].contains(record.name)
    let name = record.text
    guard record.name == "file", !name.isEmpty else { return }
    rows.append(
      ListingRow(
        name: name, base: record.base, modified: record["mtime"],
        size: record["size"].flatMap { Int($0) }))
  }

  mutating func finish() -> Feed {
    Feed(listing: rows, title: "", choice: choice)
  }
}
