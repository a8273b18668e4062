/// What nginx lists with `autoindex_format json`: `[{"name", "type", "mtime", "size"}]`.
enum NginxListing {
  /// Nil where the document is none.
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
