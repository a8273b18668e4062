package import FeedReading

extension KnownBody: Packable {
  package init(from packed: inout Unpacker) {
    self.init(
      length: packed.int(), entityTag: packed.optionalText(), lastModified: packed.optionalText(),
      contentType: packed.optionalText(), checkedAt: packed.int(), freshFor: packed.int())
    isMeasured = packed.bool()
    date = packed.optionalText()
    untaggedAt = packed.optionalText()
  }

  package func pack(into packer: inout Packer) {
    packer.put(length)
    packer.put(entityTag)
    packer.put(lastModified)
    packer.put(contentType)
    packer.put(checkedAt)
    packer.put(freshFor)
    packer.put(isMeasured)
    packer.put(date)
    packer.put(untaggedAt)
  }
}

extension CatalogEntry: Packable {
  private static let presences: [Presence] = [.current, .past, .kept, .removed]
  private static let marks: [EntryMark?] = [nil, .started, .played]
  private static let pinnedBit = 4
  private static let subtitlesBit = 8
  private static let knownBit = 16
  private static let unsizedBit = 32
  private static let measuredBit = 64

  package init(from packed: inout Unpacker) {
    let first = packed.int()
    presence = Self.presences[first & 3]
    pinned = first & Self.pinnedBit != 0 ? true : nil
    number = packed.int()
    name = packed.text()
    inode = packed.uint()
    firstSeen = packed.int()
    published = packed.optionalInt()
    // The lengths are only for `ListedEntry`. The fields behind them have both.
    _ = (packed.optionalInt(), packed.optionalInt())
    mark = Self.marks[packed.int()]
    key = packed.text()
    alias = packed.optionalText()
    linkName = packed.optionalText()
    notes = packed.optionalText()
    title = packed.text()
    media = Media(from: &packed)
    alternates = packed.array()
    subtitles = packed.array()
    link = packed.optionalText()
    thumbnail = packed.optionalText()
    season = packed.optionalInt()
    episode = packed.optionalInt()
    choice = packed.optionalText()
    known = packed.optional()
    outdated = packed.optional()
    let others: [KnownBody] = packed.array()
    older = others.isEmpty ? nil : others
    zone = packed.optionalInt()
    learned = packed.optional()
    pageFormat = packed.optionalText()
    chapters = packed.optionalText()
    let marks: [Chapter] = packed.array()
    chapterMarks = marks.isEmpty ? nil : marks
  }

  package func pack(into packer: inout Packer) {
    // This byte is the first one, because scans over all entries read only it.
    let index = Self.presences.firstIndex(of: presence) ?? 0
    packer.put(
      index | (isPinned ? Self.pinnedBit : 0) | (shownSubtitles.isEmpty ? 0 : Self.subtitlesBit)
        | (known == nil ? 0 : Self.knownBit) | (isUnsized ? Self.unsizedBit : 0)
        | (known?.isMeasured ?? false ? Self.measuredBit : 0))
    // A listing reads no further than to the mark.
    packer.put(number)
    packer.put(name)
    packer.put(inode)
    packer.put(firstSeen)
    packer.put(published)
    packer.put(likelyLength)
    packer.put(known?.length)
    packer.put(Self.marks.firstIndex(of: mark) ?? 0)
    packer.put(key)
    packer.put(alias)
    packer.put(linkName)
    packer.put(notes)
    packer.put(title)
    packer.put(media)
    packer.put(alternates)
    packer.put(subtitles)
    packer.put(link)
    packer.put(thumbnail)
    packer.put(season)
    packer.put(episode)
    packer.put(choice)
    packer.put(known)
    packer.put(outdated)
    packer.put(older ?? [])
    packer.put(zone)
    packer.put(learned)
    packer.put(pageFormat)
    packer.put(chapters)
    packer.put(chapterMarks ?? [])
  }

  /// Reads what a listing shows from the packed bytes of an entry.
  fileprivate static func listed(_ packed: [UInt8]) -> ListedEntry {
    var packed = Unpacker(packed)
    let first = packed.int()
    let (number, name, inode) = (packed.int(), packed.text(), packed.uint())
    let (firstSeen, published) = (packed.int(), packed.optionalInt())
    return ListedEntry(
      number: number, name: name, inode: inode,
      isRemoved: presences[first & 3] == .removed, isMeasured: first & measuredBit != 0,
      hasSubtitles: first & subtitlesBit != 0,
      modified: published ?? firstSeen, likelyLength: packed.optionalInt(),
      provedLength: packed.optionalInt(), mark: marks[packed.int()])
  }

  /// The byte that scans over all entries read: presence, pin, subtitles, proof and size.
  private static func first(of packed: [UInt8]) -> Int {
    var unpacker = Unpacker(packed)
    return unpacker.int()
  }

  /// Reads presence, pin and proof from the packed bytes of an entry.
  fileprivate static func state(
    of packed: [UInt8]
  ) -> (presence: Presence, isPinned: Bool, isKnown: Bool) {
    let first = first(of: packed)
    return (presences[first & 3], first & pinnedBit != 0, first & knownBit != 0)
  }

  /// Reads `isUnsized` from the packed bytes of an entry.
  fileprivate static func isUnsized(_ packed: [UInt8]) -> Bool {
    first(of: packed) & unsizedBit != 0
  }

  /// Writes the presence into the packed bytes of an entry.
  fileprivate static func set(_ presence: Presence, in packed: inout [UInt8]) {
    let index = presences.firstIndex(of: presence) ?? 0
    Packer.overwrite(&packed, with: first(of: packed) & ~3 | index)
  }

  /// The names of an entry.
  struct Names {
    let number: Int
    let name: String
    let inode: UInt64
    let key: String
    let alias: String?
    let linkName: String?
    /// Bytes.
    let notesSize: Int

    fileprivate init(_ packed: [UInt8]) {
      var unpacker = Unpacker(packed)
      _ = unpacker.int()
      number = unpacker.int()
      name = unpacker.text()
      inode = unpacker.uint()
      _ = CatalogEntry.skipToKey(&unpacker)
      key = unpacker.text()
      alias = unpacker.optionalText()
      linkName = unpacker.optionalText()
      notesSize = unpacker.skippedSize()
    }
  }

  fileprivate static func key(in packed: [UInt8]) -> String {
    var unpacker = skippingToInode(packed)
    _ = unpacker.uint()
    _ = skipToKey(&unpacker)
    return unpacker.text()
  }

  fileprivate static func alias(in packed: [UInt8]) -> String? {
    var unpacker = skippingToInode(packed)
    _ = unpacker.uint()
    _ = skipToKey(&unpacker)
    unpacker.skipText()
    return unpacker.optionalText()
  }

  fileprivate static func inode(in packed: [UInt8]) -> UInt64 {
    var unpacker = skippingToInode(packed)
    return unpacker.uint()
  }

  fileprivate static func published(in packed: [UInt8]) -> Int? {
    var unpacker = skippingToInode(packed)
    _ = unpacker.uint()
    return skipToKey(&unpacker)
  }

  fileprivate static func look(
    in packed: [UInt8]
  ) -> (title: String, published: Int?, address: String) {
    var unpacker = skippingToInode(packed)
    _ = unpacker.uint()
    let published = skipToKey(&unpacker)
    unpacker.skipText()
    for _ in 0..<3 { unpacker.skipOptionalText() }
    return (unpacker.text(), published, unpacker.text())
  }

  private static func skippingToInode(_ packed: [UInt8]) -> Unpacker {
    var unpacker = Unpacker(packed)
    _ = unpacker.int()
    _ = unpacker.int()
    unpacker.skipText()
    return unpacker
  }

  /// Skips what is between inode and key, and returns the date of publication, which is there.
  fileprivate static func skipToKey(_ unpacker: inout Unpacker) -> Int? {
    _ = unpacker.int()
    let published = unpacker.optionalInt()
    _ = (unpacker.optionalInt(), unpacker.optionalInt(), unpacker.int())
    return published
  }
}

extension PackedArray where Element == CatalogEntry {
  /// The entry at `place`, as a listing shows it.
  func listed(at place: Int) -> ListedEntry {
    CatalogEntry.listed(packed[place])
  }

  /// The presence of the entry at `place`.
  func presence(at place: Int) -> CatalogEntry.Presence {
    CatalogEntry.state(of: packed[place]).presence
  }

  /// Whether the entry at `place` left the listing.
  func isRemoved(at place: Int) -> Bool {
    presence(at: place) == .removed
  }

  func isPinned(at place: Int) -> Bool {
    CatalogEntry.state(of: packed[place]).isPinned
  }

  /// Whether an origin has proved facts about the current version of the entry at `place`.
  func isKnown(at place: Int) -> Bool {
    CatalogEntry.state(of: packed[place]).isKnown
  }

  /// Whether an origin should be asked for the size of the entry at `place`.
  func isUnsized(at place: Int) -> Bool {
    CatalogEntry.isUnsized(packed[place])
  }

  /// Changes the presence of the entry at `place`, and builds nothing for it.
  mutating func set(_ presence: CatalogEntry.Presence, at place: Int) {
    CatalogEntry.set(presence, in: &packed[place])
  }

  func key(at place: Int) -> String {
    CatalogEntry.key(in: packed[place])
  }

  func alias(at place: Int) -> String? {
    CatalogEntry.alias(in: packed[place])
  }

  func names(at place: Int) -> CatalogEntry.Names {
    CatalogEntry.Names(packed[place])
  }

  func inode(at place: Int) -> UInt64 {
    CatalogEntry.inode(in: packed[place])
  }

  func published(at place: Int) -> Int? {
    CatalogEntry.published(in: packed[place])
  }

  /// Title, date and media address of the entry at `place`.
  func look(at place: Int) -> (title: String, published: Int?, address: String) {
    CatalogEntry.look(in: packed[place])
  }
}
