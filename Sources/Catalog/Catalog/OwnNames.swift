import Addresses
import FeedReading

/// The names of files that are named by title, or as at their origin.
///
/// Names are also unique where upper and lower case make no difference. The first file with a name
/// gets it, and later files get " (2)" and so on behind it. A file keeps its name when it leaves
/// its feed.
struct OwnNames: Hashable, Sendable {
  /// The limit for a name without its extension, in bytes. With " (12)" and the ending of a
  /// sidecar, the name then stays within 240 bytes.
  private static let maxStemBytes = 200
  private static let maxNameBytes = 240
  /// Names that no entry's file gets: feedfs makes a file with this name, or a media server would
  /// take it for the picture of the folder.
  private static let reserved: Set<String> = ["playlist.m3u8", "folder.jpg", "poster.jpg"]
  /// The extensions of playlists and manifests. A file does not keep such an extension of its
  /// address, because the file is made of the stream.
  private static let lists: Set<String> = ["m3u8", "m3u", "mpd"]

  /// The number of the entry that has a name, by the hash of the name in lower case. If a new name
  /// has the hash of another name, the new name counts as taken.
  private var names: [Int: Int32] = [:]
  /// The number of the first entry with a stem (a name without its extension), by the hash of the
  /// stem in lower case.
  private var stems: [Int: Int32] = [:]
  /// The numbers of further entries with the same stem, by the hash of the stem. There are few such
  /// entries.
  private var twins: [Int: [Int32]] = [:]
  /// For each taken name, the next number to try. This only saves time, and `==` ignores it.
  private var counts: [String: Int] = [:]

  static func == (one: OwnNames, other: OwnNames) -> Bool {
    one.names == other.names && one.stems == other.stems && one.twins == other.twins
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(names)
  }

  /// Whether no entry's file is allowed to have this name.
  static func isReserved(_ name: String) -> Bool { reserved.contains(name.lowercased()) }

  /// Returns the number of the entry that probably has this name. The caller must check the entry's
  /// name.
  func number(named name: String) -> Int? {
    names[Self.hash(of: name)].map(Int.init)
  }

  /// Returns the numbers of the entries whose names probably have this stem, in ascending order.
  func numbers(withStem stem: String) -> [Int] {
    let hash = Self.hash(of: stem)
    return ([stems[hash]].compactMap(\.self) + (twins[hash] ?? [])).map(Int.init).sorted()
  }

  /// Registers the name that an entry has in the snapshot. Returns false if another entry has this
  /// name, or if the name is not valid.
  mutating func restore(_ name: String, of number: Int) -> Bool {
    guard Self.isName(name), names[Self.hash(of: name)] == nil else { return false }
    take(name, for: number)
    return true
  }

  /// Gives the entry a unique name, and returns the name.
  mutating func give(to entry: CatalogEntry, _ naming: FileNaming) -> String {
    let (stem, ending) = Self.wanted(by: entry, naming)
    var name = stem + ending
    let wanted = name.lowercased()
    while isTaken(name, naming) {
      let count = counts[wanted, default: 2]
      counts[wanted] = count + 1
      name = "\(stem) (\(count))\(ending)"
    }
    take(name, for: entry.number)
    return name
  }

  /// Whether a new entry cannot have this name. If files are named by title, two names must not
  /// differ in the extension alone. If files are named as at their origin, this is allowed, because
  /// such names belong to forms of one film there.
  private func isTaken(_ name: String, _ naming: FileNaming) -> Bool {
    Self.isReserved(name) || names[Self.hash(of: name)] != nil
      || naming == .title && stems[Self.hash(of: FileName.stem(of: name))] != nil
  }

  private mutating func take(_ name: String, for number: Int) {
    names[Self.hash(of: name)] = Int32(number)
    let stem = Self.hash(of: FileName.stem(of: name))
    if stems[stem] == nil {
      stems[stem] = Int32(number)
    } else {
      twins[stem, default: []].append(Int32(number))
    }
  }

  /// Returns the name that an entry gets if no other entry has it: its stem, and its extension with
  /// the full stop.
  private static func wanted(
    by entry: CatalogEntry, _ naming: FileNaming
  ) -> (stem: String, ending: String) {
    let ending = FileName.fileExtension(of: entry.numberedName)
    let name = naming == .origin ? nameAtOrigin(of: entry) ?? entry.title : entry.title
    let own = FileName.fileExtension(of: name)
    // An extension in capitals is the same extension, and stays in capitals.
    let isSame = own.utf8.count == ending.utf8.count && own.lowercased() == ending
    let isOfList = naming == .origin && lists.contains(own.lowercased())
    let stem = isSame || isOfList ? FileName.stem(of: name) : name
    return (FileTitle.of(stem, limit: maxStemBytes), "." + (isSame ? own : ending))
  }

  /// Returns the last component of the media's address; nil if there is none, or if the address is
  /// that of a web page, which names no file.
  private static func nameAtOrigin(of entry: CatalogEntry) -> String? {
    guard !entry.media.isPage, let path = (try? WebAddress.Parts(entry.media.url))?.path,
      let slash = path.lastIndex(of: "/")
    else { return nil }
    let name = PercentEncoding.decoded(String(path[path.index(after: slash)...]))
    return FileName.stem(of: name).isEmpty ? nil : name
  }

  private static func isName(_ name: String) -> Bool {
    (1...maxNameBytes).contains(name.utf8.count) && !isReserved(name)
      && FileTitle.of(name, limit: maxNameBytes) == name
  }

  private static func hash(of name: String) -> Int { EntryIdentity.hash(of: name.lowercased()) }
}
