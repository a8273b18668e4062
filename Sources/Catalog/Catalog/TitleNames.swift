import FeedReading

/// The names of the links in `by-title`: "2026-05-01 A talk about caches.mp4".
///
/// The stem of a name is the part before the extension. The names of sidecars begin with the stem,
/// so two entries never share one. Later entries with the same title and date get " (2)" and so on
/// behind the title. An entry keeps its name until its title or date changes, even if other entries
/// come or go.
struct TitleNames: Hashable, Sendable {
  /// The limit for a title, in bytes. With the date, " (12)" and ".pt-12.vtt", the name then stays
  /// within 240 bytes. Some file systems to which files can be copied allow no longer names.
  private static let maxTitleBytes = 200

  /// The number of the entry that has a stem, by the hash of the stem. If a new stem has the hash
  /// of another stem, the new stem counts as taken.
  private var owners: [Int: Int32] = [:]
  /// For each taken stem, the next number to try. This only saves time, and `==` ignores it.
  private var counts: [String: Int] = [:]

  static func == (one: TitleNames, other: TitleNames) -> Bool {
    one.owners == other.owners
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(owners)
  }

  /// Returns the number of the entry that probably has this stem. The caller must check the entry's
  /// name.
  func owner(ofStem stem: String) -> Int? {
    owners[EntryIdentity.hash(of: stem)].map(Int.init)
  }

  /// Registers the name that an entry has in the snapshot. Returns false if another entry has the
  /// stem of this name.
  mutating func restore(_ name: String, of number: Int) -> Bool {
    let stem = EntryIdentity.hash(of: Self.stem(of: name))
    guard owners[stem] == nil else { return false }
    owners[stem] = Int32(number)
    return true
  }

  /// Gives the entry a unique name. If its old name no longer fits its title and date, frees that
  /// name.
  ///
  /// - Returns: the name with the extension of the entry's file.
  mutating func give(to entry: CatalogEntry) -> String {
    let wanted = "\(entry.day) \(FileTitle.of(entry.title, limit: Self.maxTitleBytes))"
    if let name = entry.linkName, owner(ofStem: Self.stem(of: name)) == entry.number {
      let stem = Self.stem(of: name)
      if Self.isStem(stem, for: wanted) { return name }
      owners[EntryIdentity.hash(of: stem)] = nil
    }
    var stem = wanted
    var hash = EntryIdentity.hash(of: stem)
    while owners[hash] != nil {
      let count = counts[wanted, default: 2]
      counts[wanted] = count + 1
      stem = "\(wanted) (\(count))"
      hash = EntryIdentity.hash(of: stem)
    }
    owners[hash] = Int32(entry.number)
    return "\(stem).\(FileName.fileExtension(of: entry.numberedName))"
  }

  static func stem(of name: String) -> String {
    // A full stop that ASCII follows is a character of its own. Then it is enough to search the
    // bytes, which is quicker.
    if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
      name.utf8[dot...].dropFirst().first.map({ $0 < 0x80 }) ?? true
    {
      return String(name[..<dot])
    }
    guard let dot = name.lastIndex(of: ".") else { return name }
    return String(name[..<dot])
  }

  /// Whether `stem` is `wanted` itself, or "wanted (2)".
  private static func isStem(_ stem: String, for wanted: String) -> Bool {
    if stem == wanted { return true }
    guard stem.hasPrefix(wanted + " ("), stem.hasSuffix(")") else { return false }
    let count = stem.dropFirst(wanted.count + 2).dropLast()
    return !count.isEmpty && count.allSatisfy { ("0"..."9").contains($0) }
  }
}
