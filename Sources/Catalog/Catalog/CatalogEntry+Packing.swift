package import FeedReading

extension KnownBody: Packable {
  package init(from packed: inout Unpacker) {
    self.init(
      length: packed.int(), entityTag: packed.optionalText(), lastModified: packed.optionalText(),
      contentType: packed.optionalText(), checkedAt: packed.int(), freshFor: packed.int())
  }

  package func pack(into packer: inout Packer) {
    packer.put(length)
    packer.put(entityTag)
    packer.put(lastModified)
    packer.put(contentType)
    packer.put(checkedAt)
    packer.put(freshFor)
  }
}

extension CatalogEntry: Packable {
  private static let presences: [Presence] = [.current, .past, .kept, .removed]
  private static let pinnedBit = 4
  private static let subtitlesBit = 8

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
    key = packed.text()
    alias = packed.optionalText()
    title = packed.text()
    media = Media(from: &packed)
    alternates = packed.array()
    subtitles = packed.array()
    link = packed.optionalText()
    thumbnail = packed.optionalText()
    season = packed.optionalInt()
    episode = packed.optionalInt()
    linkName = packed.optionalText()
    choice = packed.optionalText()
    known = packed.optional()
    outdated = packed.optional()
    let others: [KnownBody] = packed.array()
    older = others.isEmpty ? nil : others
  }

  package func pack(into packer: inout Packer) {
    // This byte is the first one, because scans over all entries read only it.
    packer.put(
      (Self.presences.firstIndex(of: presence) ?? 0) | (isPinned ? Self.pinnedBit : 0)
        | (subtitles.isEmpty ? 0 : Self.subtitlesBit))
    // A listing reads no further than to the lengths.
    packer.put(number)
    packer.put(name)
    packer.put(inode)
    packer.put(firstSeen)
    packer.put(published)
    packer.put(claimedLength)
    packer.put(known?.length)
    packer.put(key)
    packer.put(alias)
    packer.put(title)
    packer.put(media)
    packer.put(alternates)
    packer.put(subtitles)
    packer.put(link)
    packer.put(thumbnail)
    packer.put(season)
    packer.put(episode)
    packer.put(linkName)
    packer.put(choice)
    packer.put(known)
    packer.put(outdated)
    packer.put(older ?? [])
  }

  /// Reads what a listing shows from the packed bytes of an entry.
  fileprivate static func listed(_ packed: [UInt8]) -> ListedEntry {
    var packed = Unpacker(packed)
    let first = packed.int()
    let (number, name, inode) = (packed.int(), packed.text(), packed.uint())
    let (firstSeen, published) = (packed.int(), packed.optionalInt())
    return ListedEntry(
      number: number, name: name, inode: inode,
      isRemoved: presences[first & 3] == .removed, hasSubtitles: first & subtitlesBit != 0,
      modified: published ?? firstSeen, claimedLength: packed.optionalInt(),
      provedLength: packed.optionalInt())
  }

  /// Reads presence and pin from the packed bytes of an entry.
  fileprivate static func state(of packed: [UInt8]) -> (presence: Presence, isPinned: Bool) {
    var unpacker = Unpacker(packed)
    let first = unpacker.int()
    return (presences[first & 3], first & pinnedBit != 0)
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
}
