import FeedReading

/// Names the files of a feed.
extension Catalog {
  /// The way in which the files are named. Files are named by number as long as nothing is decided.
  package var names: FileNaming { naming ?? .number }

  /// Names all files in the way of `wanted`. Their earlier names are no longer valid.
  ///
  /// - Returns: whether any file can have another name now.
  package mutating func call(by wanted: FileNaming) -> Bool {
    let isOther = wanted != names
    naming = wanted
    guard isOther else { return false }
    ownNames = OwnNames()
    for place in entries.indices { renameFile(at: place) }
    return !entries.isEmpty
  }

  /// Decides how files are named, if this is not decided yet. The files of a directory listing keep
  /// their names, because media servers read facts from them.
  mutating func decideNaming(by kind: Feed.Kind) {
    guard naming == nil else { return }
    naming = kind == .index ? .origin : .number
  }

  /// Gives a new file its name.
  mutating func nameFile(of entry: inout CatalogEntry) {
    entry.name = names == .number ? entry.numberedName : ownNames.give(to: entry, names)
  }

  /// Takes over the names in the snapshot. An entry whose name is invalid, or taken by another
  /// entry, gets a new one.
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

  /// Returns the number of the entry whose file probably has this name; nil if no file has it. The
  /// caller must compare the name with the entry's name.
  func number(ofFile name: String) -> Int? {
    names == .number ? FileName.number(in: name) : ownNames.number(named: name)
  }

  /// Whether the file of an entry that comes later can get this name.
  package func mayCall(_ name: String) -> Bool {
    guard names == .number else { return MediaType.classOf(type: nil, url: name).isMedia }
    return FileName.number(in: name).map { FileName.isName(name, of: $0) } ?? false
  }

  /// Returns the listed entries to which a sidecar with this name can belong, the most likely
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
