package import FeedReading

extension CatalogEntry: Fielded {
  package static let order = FieldKeys.order(of: CatalogEntry.self)

  @inline(__always)
  package mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    // A listing unpacks only the fields up to `mark`. The functions below read single fields, so
    // they depend on this order.
    try visitor.field("number", &number)
    try visitor.fileName(&name, number: number)
    try visitor.field("inode", &inode)
    try visitor.field("firstSeen", &firstSeen)
    try visitor.field("published", &published)
    try visitor.derived { likelyLength }
    try visitor.derived { known?.length }
    try visitor.field("mark", &mark)
    try visitor.field("key", &key)
    try visitor.field("alias", &alias)
    try visitor.field("linkName", &linkName)
    try visitor.field("notes", &notes)
    try visitor.field("title", &title)
    try visitor.field("media", &media)
    try visitor.field("alternates", &alternates)
    try visitor.field("subtitles", &subtitles)
    try visitor.field("link", &link)
    try visitor.field("thumbnail", &thumbnail)
    try visitor.field("season", &season)
    try visitor.field("episode", &episode)
    try visitor.field("choice", &choice)
    try visitor.field("known", &known)
    try visitor.field("outdated", &outdated)
    try visitor.field("older", &older)
    try visitor.field("zone", &zone)
    try visitor.field("learned", &learned)
    try visitor.field("pageFormat", &pageFormat)
    try visitor.field("chapters", &chapters)
    try visitor.field("chapterMarks", &chapterMarks)
    try visitor.unpacked("presence", &presence)
    try visitor.unpacked("pinned", &pinned)
  }
}

extension CatalogEntry: Packable {
  fileprivate static let pinnedBit = 4
  fileprivate static let subtitlesBit = 8
  fileprivate static let knownBit = 16
  fileprivate static let unsizedBit = 32
  fileprivate static let measuredBit = 64

  package init(from packed: inout Unpacker) {
    self = .blank
    let first = packed.int()
    presence = Presence.allCases[first & 3]
    pinned = first & Self.pinnedBit != 0 ? true : nil
    visit(&packed)
  }

  package consuming func pack(into packer: inout Packer) {
    // This number comes first, because many scans over all entries need nothing else of an entry.
    let index = Presence.allCases.firstIndex(of: presence) ?? 0
    packer.put(
      index | (isPinned ? Self.pinnedBit : 0) | (shownSubtitles.isEmpty ? 0 : Self.subtitlesBit)
        | (known == nil ? 0 : Self.knownBit) | (isUnsized ? Self.unsizedBit : 0)
        | (known?.isMeasured ?? false ? Self.measuredBit : 0))
    var copy = self
    copy.visit(&packer)
  }

  /// The names of an entry.
  struct Names {
    let number: Int
    let name: String
    let inode: UInt64
    let key: String
    let alias: String?
    let linkName: String?
    /// The size of the notes in bytes.
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

  /// Skips the fields between inode and key. Returns the date of publication, which is one of them.
  fileprivate static func skipToKey(_ unpacker: inout Unpacker) -> Int? {
    _ = unpacker.int()
    let published = unpacker.optionalInt()
    _ = (unpacker.optionalInt(), unpacker.optionalInt(), unpacker.int())
    return published
  }
}

// These functions read only some fields from the packed bytes, for code that goes over all entries.
extension PackedArray where Element == CatalogEntry {
  /// The entry at `place`, as a listing shows it.
  func listed(at place: Int) -> ListedEntry {
    var packed = Unpacker(packed[place])
    let first = packed.int()
    let (number, name, inode) = (packed.int(), packed.text(), packed.uint())
    let (firstSeen, published) = (packed.int(), packed.optionalInt())
    let lengths = (likely: packed.optionalInt(), proved: packed.optionalInt())
    var mark: EntryMark?
    packed.field("mark", &mark)
    return ListedEntry(
      number: number, name: name, inode: inode,
      isRemoved: CatalogEntry.Presence.allCases[first & 3] == .removed,
      isMeasured: first & CatalogEntry.measuredBit != 0,
      hasSubtitles: first & CatalogEntry.subtitlesBit != 0,
      modified: published ?? firstSeen, likelyLength: lengths.likely,
      provedLength: lengths.proved, mark: mark)
  }

  /// The presence of the entry at `place`.
  func presence(at place: Int) -> CatalogEntry.Presence {
    CatalogEntry.Presence.allCases[first(at: place) & 3]
  }

  /// Whether the entry at `place` was removed from the listing.
  func isRemoved(at place: Int) -> Bool {
    presence(at: place) == .removed
  }

  func isPinned(at place: Int) -> Bool {
    first(at: place) & CatalogEntry.pinnedBit != 0
  }

  /// Whether an origin has proved facts about the current version of the entry at `place`.
  func isKnown(at place: Int) -> Bool {
    first(at: place) & CatalogEntry.knownBit != 0
  }

  /// Whether an origin should be asked for the size of the entry at `place`.
  func isUnsized(at place: Int) -> Bool {
    first(at: place) & CatalogEntry.unsizedBit != 0
  }

  /// Changes the presence of the entry at `place` in the packed bytes, without unpacking the entry.
  mutating func set(_ presence: CatalogEntry.Presence, at place: Int) {
    let index = CatalogEntry.Presence.allCases.firstIndex(of: presence) ?? 0
    let first = first(at: place) & ~3 | index
    Packer.overwrite(&packed[place], with: first)
  }

  func key(at place: Int) -> String {
    var unpacker = afterInode(at: place)
    _ = CatalogEntry.skipToKey(&unpacker)
    return unpacker.text()
  }

  func alias(at place: Int) -> String? {
    var unpacker = afterInode(at: place)
    _ = CatalogEntry.skipToKey(&unpacker)
    unpacker.skipText()
    return unpacker.optionalText()
  }

  func names(at place: Int) -> CatalogEntry.Names {
    CatalogEntry.Names(packed[place])
  }

  func inode(at place: Int) -> UInt64 {
    var unpacker = beforeInode(at: place)
    return unpacker.uint()
  }

  func published(at place: Int) -> Int? {
    var unpacker = afterInode(at: place)
    return CatalogEntry.skipToKey(&unpacker)
  }

  /// The title and the date of the entry at `place`, and the address of its media.
  func look(at place: Int) -> (title: String, published: Int?, address: String) {
    var unpacker = afterInode(at: place)
    let published = CatalogEntry.skipToKey(&unpacker)
    unpacker.skipText()
    for _ in 0..<3 { unpacker.skipOptionalText() }
    return (unpacker.text(), published, unpacker.text())
  }

  /// Returns the first number of a packed entry. It has the entry's presence and five flags:
  /// pinned, has subtitles, has proved facts, `isUnsized`, `isMeasured`.
  private func first(at place: Int) -> Int {
    var unpacker = Unpacker(packed[place])
    return unpacker.int()
  }

  private func beforeInode(at place: Int) -> Unpacker {
    var unpacker = Unpacker(packed[place])
    _ = unpacker.int()
    _ = unpacker.int()
    unpacker.skipText()
    return unpacker
  }

  private func afterInode(at place: Int) -> Unpacker {
    var unpacker = beforeInode(at: place)
    _ = unpacker.uint()
    return unpacker
  }
}
