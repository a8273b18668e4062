import Catalog

/// Finds the sidecars of an entry and of the feed, by their places and their names.
extension SidecarFiles {
  /// Returns false if the entry certainly has no sidecars, like most entries of a long listing.
  func mayHave(_ entry: ListedEntry) -> Bool {
    entry.hasSubtitles || kinds != [.subtitles]
  }

  func items(of entry: CatalogEntry) -> [Item] {
    if entry.shownSubtitles.isEmpty, kinds == [.subtitles] { return [] }
    return live.catalog.sidecars(of: entry, kinds: kinds).map { index, sidecar in
      Item(
        sidecar: sidecar, number: entry.number, index: index,
        titleName: sidecar.titleName(of: entry), modified: entry.modified,
        content: sidecar.content(of: entry))
    }
  }

  /// The pictures of the feed itself, beside its entries. They count as the sidecars of an entry 0,
  /// which does not exist.
  var itemsOfFeed: [Item] {
    guard kinds.contains(.covers) else { return [] }
    let catalog = live.catalog
    return Sidecar.covers(of: catalog).enumerated().map { index, sidecar in
      Item(
        sidecar: sidecar, number: 0, index: index, titleName: sidecar.name,
        modified: catalog.entry(number: 1)?.modified ?? 0, content: nil)
    }
  }

  func item(of entry: CatalogEntry, at index: Int) -> Item? {
    items(of: entry).first { $0.index == index }
  }

  /// Returns the sidecar that has this name in the feed's folder.
  func named(_ name: String) -> Item? {
    let beside = live.catalog.entries(beside: name).lazy
      .compactMap { [self] entry in items(of: entry).first { $0.name == name } }.first
    return beside ?? itemsOfFeed.first { $0.name == name }
  }

  /// Returns the sidecar whose link in `by-title` has this name. The name of the link begins with
  /// the name of its entry's link, without extension.
  func titled(_ name: String) -> Item? {
    var stem = name
    // "Title.en.vtt" has two extensions, and a title can contain full stops. So the text before
    // each full stop is tried, the longest first.
    while let dot = stem.lastIndex(of: ".") {
      stem = String(stem[..<dot])
      if let entry = live.entry(titleStem: stem),
        let item = items(of: entry).first(where: { $0.titleName == name })
      {
        return item
      }
    }
    return nil
  }
}
