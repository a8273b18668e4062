package import FeedReading

extension CatalogEntry: Fielded {
  package static let order = FieldKeys.order(of: CatalogEntry.self)

  @inline(__always)
  package mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    // A listing reads no further than to the mark.
    try visitor.reaches(.number)
    try visitor.field("number", &number)
    try visitor.reaches(.name)
    try visitor.fileName(&name, number: number)
    try visitor.reaches(.inode)
    try visitor.field("inode", &inode)
    try visitor.reaches(.firstSeen)
    try visitor.field("firstSeen", &firstSeen)
    try visitor.reaches(.published)
    try visitor.field("published", &published)
    try visitor.reaches(.likelyLength)
    try visitor.derived { likelyLength }
    try visitor.reaches(.provedLength)
    try visitor.derived { known?.length }
    try visitor.reaches(.mark)
    try visitor.field("mark", &mark)
    try visitor.reaches(.key)
    try visitor.field("key", &key)
    try visitor.reaches(.alias)
    try visitor.field("alias", &alias)
    try visitor.reaches(.linkName)
    try visitor.field("linkName", &linkName)
    try visitor.reaches(.notes)
    try visitor.field("notes", &notes)
    try visitor.reaches(.title)
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
  private static let pinnedBit = 4
  private static let subtitlesBit = 8
  private static let knownBit = 16
  private static let unsizedBit = 32
  private static let measuredBit = 64

  package init(from packed: inout Unpacker) {
    self = .blank
    let first = packed.int()
    presence = Presence.allCases[first & 3]
    pinned = first & Self.pinnedBit != 0 ? true : nil
    visit(&packed)
  }

  package func pack(into packer: inout Packer) {
    // This byte is the first one, because scans over all entries read only it.
    let index = Presence.allCases.firstIndex(of: presence) ?? 0
    packer.put(
      index | (isPinned ? Self.pinnedBit : 0) | (shownSubtitles.isEmpty ? 0 : Self.subtitlesBit)
        | (known == nil ? 0 : Self.knownBit) | (isUnsized ? Self.unsizedBit : 0)
        | (known?.isMeasured ?? false ? Self.measuredBit : 0))
    var copy = self
    copy.visit(&packer)
  }

  /// Returns the entry of which only `landmarks` are read, and the reader.
  @inline(__always)
  private static func glance(
    at packed: [UInt8], _ landmarks: Landmark
  ) -> (first: Int, entry: CatalogEntry, glance: FieldGlance) {
    var unpacker = Unpacker(packed)
    let first = unpacker.int()
    var glance = FieldGlance(unpacker, wanting: landmarks)
    let entry: CatalogEntry = glance.value()
    return (first, entry, glance)
  }

  /// Reads what a listing shows from the packed bytes of an entry.
  fileprivate static func listed(_ packed: [UInt8]) -> ListedEntry {
    let (first, entry, glance) = glance(
      at: packed,
      [.number, .name, .inode, .firstSeen, .published, .likelyLength, .provedLength, .mark])
    return ListedEntry(
      number: entry.number, name: entry.name, inode: entry.inode,
      isRemoved: Presence.allCases[first & 3] == .removed,
      isMeasured: first & measuredBit != 0,
      hasSubtitles: first & subtitlesBit != 0, modified: entry.modified,
      likelyLength: glance.likelyLength, provedLength: glance.provedLength, mark: entry.mark)
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
    return (Presence.allCases[first & 3], first & pinnedBit != 0, first & knownBit != 0)
  }

  /// Reads `isUnsized` from the packed bytes of an entry.
  fileprivate static func isUnsized(_ packed: [UInt8]) -> Bool {
    first(of: packed) & unsizedBit != 0
  }

  /// Writes the presence into the packed bytes of an entry.
  fileprivate static func set(_ presence: Presence, in packed: inout [UInt8]) {
    let index = Presence.allCases.firstIndex(of: presence) ?? 0
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
      let (_, entry, glance) = CatalogEntry.glance(
        at: packed, [.number, .name, .inode, .key, .alias, .linkName, .notes])
      (number, name, inode) = (entry.number, entry.name, entry.inode)
      (key, alias, linkName) = (entry.key, entry.alias, entry.linkName)
      notesSize = glance.notesSize
    }
  }

  fileprivate static func key(in packed: [UInt8]) -> String {
    glance(at: packed, .key).entry.key
  }

  fileprivate static func alias(in packed: [UInt8]) -> String? {
    glance(at: packed, .alias).entry.alias
  }

  fileprivate static func inode(in packed: [UInt8]) -> UInt64 {
    glance(at: packed, .inode).entry.inode
  }

  fileprivate static func published(in packed: [UInt8]) -> Int? {
    glance(at: packed, .published).entry.published
  }

  fileprivate static func look(
    in packed: [UInt8]
  ) -> (title: String, published: Int?, address: String) {
    let entry = glance(at: packed, [.published, .title, .url]).entry
    return (entry.title, entry.published, entry.media.url)
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
