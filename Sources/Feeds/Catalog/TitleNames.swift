/// The names of the links in `by-title`: "2026-05-01 A talk about caches.mp4".
///
/// Two entries never share one, nor what stands before the extension, since the names of their
/// sidecars begin with that; of those that would, the later ones are told apart by " (2)". A name is
/// kept until title or date change, whatever becomes of the others.
struct TitleNames: Hashable, Sendable {
  /// Bytes, so that with " (12)", ".pt-12.vtt" and the date no name is longer than 240: some file
  /// systems take no more of a copy.
  private static let longest = 200

  /// The mark of what stands before the extension, with the number of the entry that has it. Of
  /// two that share one, though they differ, the second is taken for a name that is given away.
  private var owners: [Int: Int32] = [:]
  /// The next number to try for a stem that is taken; only saves time, and is no part of the value.
  private var counts: [String: Int] = [:]

  init() {}

  static func == (one: TitleNames, other: TitleNames) -> Bool {
    one.owners == other.owners
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(owners)
  }

  /// The entry whose name this may be: it is to be asked.
  func owner(ofStem stem: String) -> Int? {
    owners[EntryIdentity.mark(of: stem)].map(Int.init)
  }

  /// Takes a name that was given before; false: another has it.
  mutating func restore(_ name: String, of number: Int) -> Bool {
    let stem = EntryIdentity.mark(of: Self.stem(of: name))
    guard owners[stem] == nil else { return false }
    owners[stem] = Int32(number)
    return true
  }

  /// Gives the entry a name that no other has; one that no longer fits it is free then.
  ///
  /// - Returns: with the extension of its file.
  mutating func give(to entry: CatalogEntry) -> String {
    let wanted = "\(FeedDate.day(entry.modified)) \(FileTitle.of(entry.title, limit: Self.longest))"
    if let name = entry.linkName, owner(ofStem: Self.stem(of: name)) == entry.number {
      let stem = Self.stem(of: name)
      if Self.isStem(stem, for: wanted) { return name }
      owners[EntryIdentity.mark(of: stem)] = nil
    }
    var stem = wanted
    while owner(ofStem: stem) != nil {
      let count = counts[wanted, default: 2]
      counts[wanted] = count + 1
      stem = "\(wanted) (\(count))"
    }
    owners[EntryIdentity.mark(of: stem)] = Int32(entry.number)
    return "\(stem).\(FileName.fileExtension(of: entry.name))"
  }

  static func stem(of name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return name }
    return String(name[..<dot])
  }

  /// Whether it is `wanted` itself, or "wanted (2)".
  private static func isStem(_ stem: String, for wanted: String) -> Bool {
    if stem == wanted { return true }
    guard stem.hasPrefix(wanted + " ("), stem.hasSuffix(")") else { return false }
    let count = stem.dropFirst(wanted.count + 2).dropLast()
    return !count.isEmpty && count.allSatisfy { ("0"..."9").contains($0) }
  }
}
