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

  package init(from packed: inout Unpacker) {
    let first = packed.int()
    presence = Self.presences[first & 3]
    pinned = first & Self.pinnedBit != 0 ? true : nil
    number = packed.int()
    name = packed.text()
    key = packed.text()
    alias = packed.optionalText()
    inode = packed.uint()
    firstSeen = packed.int()
    title = packed.text()
    published = packed.optionalInt()
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
    packer.put((Self.presences.firstIndex(of: presence) ?? 0) | (isPinned ? Self.pinnedBit : 0))
    packer.put(number)
    packer.put(name)
    packer.put(key)
    packer.put(alias)
    packer.put(inode)
    packer.put(firstSeen)
    packer.put(title)
    packer.put(published)
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

  /// Reads presence and pin from the packed bytes of an entry.
  fileprivate static func state(of packed: [UInt8]) -> (presence: Presence, isPinned: Bool) {
    var unpacker = Unpacker(packed)
    let first = unpacker.int()
    return (presences[first & 3], first & pinnedBit != 0)
  }
}

extension PackedArray where Element == CatalogEntry {
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
