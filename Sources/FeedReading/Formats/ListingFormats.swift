import Markup

/// Parses directory listings in JSON, as Caddy writes them, and nginx with `autoindex_format json`.
enum ListingJSON {
  /// Returns the feed of a listing; nil if the document is no listing of nginx or Caddy.
  static func feed(in document: JSONValue, base: String, choice: MediaChoice) -> Feed? {
    guard let items = document.array, !items.isEmpty else { return nil }
    // nginx: [{"name", "type", "mtime", "size"}]
    if items.allSatisfy({ item in
      ["file", "directory", "other"].contains(item.text("type"))
        && item.text("name") != nil && item.text("mtime") != nil
    }) {
      let known = items.filter { $0.text("type") != "other" }
      return feed(of: known, base: base, choice, time: "mtime") { $0.text("type") == "directory" }
    }
    // Caddy: [{"name", "size", "url", "mod_time", "mode", "is_dir", "is_symlink"}]
    if items.allSatisfy({ item in
      item["is_dir"]?.isBool == true && item.text("name") != nil && item.text("mod_time") != nil
    }) {
      return feed(of: items, base: base, choice, time: "mod_time") {
        $0["is_dir"]?.isTrue == true
      }
    }
    return nil
  }

  private static func feed(
    of items: [JSONValue], base: String, _ choice: MediaChoice, time: String,
    isFolder: (JSONValue) -> Bool
  ) -> Feed {
    var rows: [ListingRow] = []
    var folders: [String] = []
    for item in items {
      guard let name = item.text("name") else { continue }
      if isFolder(item) {
        folders.append(name)
      } else {
        rows.append(
          ListingRow(
            name: name, base: base, modified: item.text(time), size: item["size"]?.count))
      }
    }
    return Feed(listing: rows, folders: folders, title: "", choice: choice)
  }
}

/// Parses directory listings in XML, as nginx writes them with `autoindex_format xml`: `list/file`,
/// with `mtime` and `size`.
struct NginxXMLParser: FeedFormat {
  private let choice: MediaChoice
  private var rows: [ListingRow] = []
  private var folders: [String] = []
  /// True when the document has an element that a listing of nginx cannot have.
  private(set) var isForeign = false

  init(choice: MediaChoice) {
    self.choice = choice
  }

  static let container: String? = nil

  var entryCount: Int { rows.count }

  mutating func take(_ record: XMLNode, in container: XMLNode) {
    isForeign = isForeign || !["file", "directory", "other"].contains(record.name)
    let name = record.text
    if record.name == "directory", !name.isEmpty { folders.append(name) }
    guard record.name == "file", !name.isEmpty else { return }
    rows.append(
      ListingRow(
        name: name, base: record.base, modified: record["mtime"],
        size: record["size"].flatMap { Int($0) }))
  }

  mutating func finish() -> Feed {
    Feed(listing: rows, folders: folders, title: "", choice: choice)
  }
}
