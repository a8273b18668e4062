import FeedReading

/// Names the files of a feed.
extension Catalog {
  /// The source of the files' names.
  package var names: FileNaming { naming ?? .number }

  /// Calls all files by `wanted` from now on. Their earlier names are gone.
  ///
  /// - Returns: whether a file has another name now.
  package mutating func call(by wanted: FileNaming) -> Bool {
    let isOther = wanted != names
    naming = wanted
    guard isOther else { return false }
    ownNames = OwnNames()
    for place in entries.indices { renameFile(at: place) }
    return !entries.isEmpty
  }

  /// Decides on the source of the names when a page brings the first entries. Media servers read
  /// the names of the files in a directory.
  mutating func decideNaming(by kind: Feed.Kind) {
    guard naming == nil else { return }
    naming = kind == .index ? .origin : .number
  }

  /// Gives a new file its name.
  mutating func nameFile(of entry: inout CatalogEntry) {
    entry.name = names == .number ? entry.numberedName : ownNames.give(to: entry, names)
  }

  /// Takes the names that the snapshot has. An entry with an impossible name gets another one.
  mutating func restoreFileNames() {
    ownNames = OwnNames()
    guard names != .number else { return }
    let nameless = entries.indices.filter {
      !ownNames.restore(entries.names(at: $0).name, of: $0 + 1)
    }
    for place in nameless { renameFile(at: place) }
  }

  private mutating func renameFile(at place: Int) {
    var entry = entries[place]
    nameFile(of: &entry)
    entries[place] = entry
  }

  /// Returns the number of the entry whose file may have this name. The caller must check it.
  func number(ofFile name: String) -> Int? {
    names == .number ? FileName.number(in: name) : ownNames.number(named: name)
  }

  /// Whether a file may get this name later.
  package func mayCall(_ name: String) -> Bool {
    guard names == .number else { return MediaType.classOf(type: nil, url: name).isMedia }
    return FileName.number(in: name).map { FileName.isName(name, of: $0) } ?? false
  }

  /// Returns the listed entries to which a sidecar with this name may belong, the most likely
  /// first: "talk.en.vtt" more likely belongs to "talk.en.mp4" than to "talk.mp4".
  package func entries(beside name: String) -> [CatalogEntry] {
    let listed = { (number: Int) in isListed(number) ? entry(number: number) : nil }
    if names == .number { return FileName.number(in: name).flatMap(listed).map { [$0] } ?? [] }
    var found: [CatalogEntry] = []
    var stem = name
    while let dot = stem.lastIndex(of: ".") {
      stem = String(stem[..<dot])
      found += ownNames.numbers(withStem: stem).compactMap(listed)
    }
    return found
  }
}
