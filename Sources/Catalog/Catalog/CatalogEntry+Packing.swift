package import FeedReading

extension CatalogEntry: Fielded {
  package static let order = FieldKeys.order(of: CatalogEntry.self)

  @inline(__always)
  package mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    // A listing reads up to the mark. The functions below that read single fields depend on this
    // order.
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

  package consuming func pack(into packer: inout Packer) {
    // This byte is the first one, because scans over all entries read only it.
    let index = Presence.allCases.firstIndex(of: presence) ?? 0
    packer.put(
      index | (isPinned ? Self.pinnedBit : 0) | (shownSubtitles.isEmpty ? 0 : Self.subtitlesBit)
        | (known == nil ? 0 : Self.knownBit) | (isUnsized ? Self.unsizedBit : 0)
        | (known?.isMeasured ?? false ? Self.measuredBit : 0))
    var copy = self
    copy.visit(&packer)
  }

  /// Reads the facts that a listing shows from the packed bytes of an entry.
  fileprivate static func listed(_ packed: [UInt8]) -> ListedEntry {
    var packed = Unpacker(packed)
    let first = packed.int()
    let (number, name, inode) = (packed.int(), packed.text(), packed.uint())
    let (firstSeen, published) = (packed.int(), packed.optionalInt())
    let lengths = (likely: packed.optionalInt(), proved: packed.optionalInt())
    var mark: EntryMark?
    packed.field("mark", &mark)
    return ListedEntry(
      number: number, name: name, inode: inode,
      isRemoved: Presence.allCases[first & 3] == .removed,
      isMeasured: first & measuredBit != 0, hasSubtitles: first & subtitlesBit != 0,
      modified: published ?? firstSeen, likelyLength: lengths.likely,
      provedLength: lengths.proved, mark: mark)
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

  /// Skips the fields between inode and key. Returns one of them, the date of publication.
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
