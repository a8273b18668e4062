/// What nginx lists with `autoindex_format xml`: `list/file`, with `mtime` and `size`.
struct NginxXMLParser: FeedFormat {
  private var rows: [ListingRow] = []
  /// It lists something else than files.
  private(set) var isForeign = false

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

  mutating func feed(_ choice: MediaChoice) -> Feed {
    Feed(listing: rows, title: "", choice: choice)
  }
}
