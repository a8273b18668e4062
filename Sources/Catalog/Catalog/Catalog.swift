package import FeedReading

/// All entries that a feed has ever shown, each with a number, a name and an inode of its own.
///
/// These facts are always true, also after decoding. The entry at index i has number i + 1, and a
/// name that no other entry has. Keys and inodes are unique. No entry ever leaves `entries`, so
/// numbers and inodes are never reused. `order` contains the number of each entry that is not
/// removed, exactly once.
package struct Catalog: Hashable, Sendable {
  /// The limit for the number of entries. Without this limit, a feed with new ids at each refresh
  /// would make the catalog grow for ever.
  static let capacity = 100_000

  package let feed: FeedKey
  package internal(set) var title = ""
  /// The address of the feed's picture.
  package internal(set) var cover: String?
  package internal(set) var page = PageFacts()
  /// The pages that were read. The code that reads the pages sets this.
  package var chain = PageChain()
  /// The moves of the feed, and the address at which it is read now. The code that reads the feed
  /// sets this.
  package var move = FeedMove()
  /// All entries by number, removed ones included.
  package internal(set) var entries = PackedArray<CatalogEntry>()
  /// The numbers of all entries except removed ones, in the present order of the feed. Entries that
  /// fell off the end of the feed keep their place in the order.
  package internal(set) var order: [Int] = []
  package internal(set) var nextInode = ReservedInode.firstOfEntries
  /// The number of the entry that was played last.
  package internal(set) var lastPlayed: Int?
  /// The lowest number that no saved snapshot contains yet; nil if all entries are saved.
  package internal(set) var firstWaiting: Int?
  /// The way in which the files are named; nil until it is decided.
  var naming: FileNaming?
  var ownNames = OwnNames()
  private var numbers: [UInt64: Int] = [:]
  private var titles = TitleNames()
  var seen = SeenEntries()
  /// The user's rules. They are not saved in a snapshot. `sift` applies them.
  package var rules = EntryRules()
  /// The entries that the rules leave out.
  var leftOut = LeftOut()
  /// The size of all notes in bytes.
  var notesSize = 0

  package init(feed: FeedKey) {
    self.feed = feed
  }

  /// Whether the catalog is full, so that no more entries are added.
  package var isFull: Bool { entries.count >= Self.capacity }

  /// The number that the next new entry gets.
  package var nextNumber: Int { entries.count + 1 }

  // MARK: Looking up

  /// Returns the entry with this number, removed or not; nil if there is none.
  package func entry(number: Int) -> CatalogEntry? {
    (1..<nextNumber).contains(number) ? entries[number - 1] : nil
  }

  /// The listed entry whose file has this name.
  package func entry(named name: String) -> CatalogEntry? {
    guard let number = number(ofFile: name), let entry = entry(number: number),
      entry.name == name, isListed(number)
    else { return nil }
    return entry
  }

  /// The listed entry whose link in `by-title` has this name.
  package func entry(titled name: String) -> CatalogEntry? {
    let entry = entry(titleStem: TitleNames.stem(of: name))
    return entry?.titleName == name ? entry : nil
  }

  /// The listed entry whose link in `by-title` has this name without its extension.
  package func entry(titleStem stem: String) -> CatalogEntry? {
    guard let number = titles.owner(ofStem: stem), isListed(number),
      let entry = entry(number: number), TitleNames.stem(of: entry.titleName) == stem
    else { return nil }
    return entry
  }

  /// The entry, removed or not, whose current version has this inode.
  package func entry(inode: UInt64) -> CatalogEntry? {
    number(ofInode: inode).flatMap(entry(number:))
  }

  /// The number of the entry whose current version has this inode.
  func number(ofInode inode: UInt64) -> Int? {
    numbers[inode]
  }

  /// The listed entries, by number.
  package var listed: some BidirectionalCollection<CatalogEntry> {
    (0..<shownCount).lazy
      .filter { [entries, leftOut] in !entries.isRemoved(at: $0) && !leftOut.hides($0 + 1) }
      .map { [entries] in entries[$0] }
  }

  /// The listed entries, in the feed's present order.
  package var inFeedOrder: some BidirectionalCollection<CatalogEntry> {
    order.lazy.filter { [shownCount, leftOut] in $0 <= shownCount && !leftOut.hides($0) }
      .map { [entries] in entries[$0 - 1] }
  }

  /// The numbers of the listed entries, in ascending order.
  package var listedNumbers: [Int] {
    (0..<shownCount).filter { !entries.isRemoved(at: $0) && !leftOut.hides($0 + 1) }.map { $0 + 1 }
  }

  /// The numbers of the listed entries, in the feed's present order.
  package var listedOrder: [Int] {
    order.filter { $0 <= shownCount && !leftOut.hides($0) }
  }

  /// The pinned entries, removed ones included.
  package var pinned: [CatalogEntry] {
    entries.indices.filter(entries.isPinned).map { entries[$0] }
  }

  /// Whether the entry with this number is pinned.
  package func isPinned(_ number: Int) -> Bool {
    entries.isPinned(at: number - 1)
  }

  /// Whether an origin has proved facts about the current version of the entry with this number.
  package func isKnown(_ number: Int) -> Bool {
    entries.isKnown(at: number - 1)
  }

  /// Returns the inode of the current version of the entry with this key, removed or not.
  package func inode(ofKey key: String) -> UInt64? {
    entries.indices.first { entries.key(at: $0) == key }.map(entries.inode(at:))
  }

  /// The numbers of the entries that the feed has dropped, but that stay listed because they are
  /// still needed.
  package var keptNumbers: [Int] {
    entries.indices.filter { entries.presence(at: $0) == .kept }.map { $0 + 1 }
  }

  /// The entries that the feed has dropped, but that stay listed because they are still needed.
  package var kept: [CatalogEntry] {
    entries.indices.filter { entries.presence(at: $0) == .kept }.map { entries[$0] }
  }

  // MARK: Facts from the origins

  /// Stores the facts that an answer has proved about the current version of an entry.
  ///
  /// - Parameter number: the number of an entry of this catalog.
  package mutating func know(_ body: KnownBody, of number: Int) {
    entries[number - 1].know(body)
  }

  /// Forgets the proved facts about an entry if they come only from a request for its size.
  ///
  /// - Parameter number: the number of an entry of this catalog.
  package mutating func forgetMeasure(of number: Int) {
    guard entries[number - 1].known?.isMeasured ?? false else { return }
    entries[number - 1].known = nil
  }

  /// Records that the media at `url` is played.
  ///
  /// - Parameter number: the number of an entry of this catalog.
  package mutating func choose(_ url: String, for number: Int) {
    entries[number - 1].choose(url)
  }

  /// Records which format of the entry's web page is played, by the format's mark.
  ///
  /// - Parameter number: the number of an entry of this catalog.
  package mutating func choose(format mark: String, for number: Int) {
    entries[number - 1].pageFormat = mark
  }

  /// Records that this entry is now the last played entry.
  ///
  /// - Parameter number: the number of an entry of this catalog.
  package mutating func played(_ number: Int) {
    lastPlayed = number
  }

  /// Pins or unpins an entry.
  ///
  /// - Parameter number: the number of an entry of this catalog.
  package mutating func pin(_ isPinned: Bool, _ number: Int) {
    entries[number - 1].isPinned = isPinned
  }

  /// The listed entries that follow the last played entry in the feed's present order. If no entry
  /// was played, or the last played entry was removed, these are all listed entries.
  package var upNext: [CatalogEntry] {
    let place = lastPlayed.flatMap { order.firstIndex(of: $0) }
    let rest = order[(place.map { $0 + 1 } ?? 0)...]
    return rest.filter(isListed).compactMap(entry(number:))
  }

  /// Records that the origin has a new version of an entry. Nothing is known about this version
  /// yet.
  ///
  /// - Parameters:
  ///   - number: the number of an entry of this catalog.
  ///   - body: facts about the old version. They are used if the catalog has no such facts, because
  ///     the cache can know more than the catalog.
  /// - Returns: the inode of the new version. The old inode is never used again.
  package mutating func markStale(_ number: Int, showing body: KnownBody? = nil) -> UInt64 {
    let inode = newInode(for: number)
    numbers[entries[number - 1].inode] = nil
    entries[number - 1].inode = inode
    entries[number - 1].markStale(showing: body)
    return inode
  }

  // MARK: For the other files of this type

  mutating func newInode(for number: Int) -> UInt64 {
    defer { nextInode += 1 }
    numbers[nextInode] = number
    return nextInode
  }

  /// Gives a name in `by-title` to entries that are new or renamed.
  mutating func nameTitles(_ numbers: [Int]) {
    for number in numbers {
      var entry = entries[number - 1]
      if nameTitle(of: &entry) { entries[number - 1] = entry }
    }
  }

  /// Gives an entry a name in `by-title`. Returns false if the entry already has the right name.
  mutating func nameTitle(of entry: inout CatalogEntry) -> Bool {
    let name = titles.give(to: entry)
    guard name != entry.linkName else { return false }
    entry.linkName = name
    return true
  }

  /// Rebuilds the indexes after `entries` was replaced as a whole.
  mutating func index() {
    numbers = [:]
    notesSize = 0
    numbers.reserveCapacity(entries.count)
    titles = TitleNames()
    var unnamed: [Int] = []
    for place in entries.indices {
      let entry = entries.names(at: place)
      numbers[entry.inode] = entry.number
      notesSize += entry.notesSize
      if !(entry.linkName.map { titles.restore($0, of: entry.number) } ?? false) {
        unnamed.append(entry.number)
      }
    }
    restoreFileNames()
    for number in unnamed where entries.names(at: number - 1).linkName != nil {
      entries[number - 1].linkName = nil
    }
    nameTitles(unnamed)
  }
}
