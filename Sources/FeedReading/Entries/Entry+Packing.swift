extension Media: Fielded {
  public static let order = FieldKeys.order(of: Media.self)

  @inlinable public static var blank: Media { Media(url: "") }

  @inlinable @inline(__always)
  public mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    try visitor.field("url", &url)
    try visitor.field("type", &type)
    try visitor.field("length", &length)
    try visitor.field("duration", &duration)
    try visitor.field("height", &height)
    try visitor.field("bitrate", &bitrate)
    try visitor.field("lang", &lang)
    try visitor.field("isDefault", &isDefault)
    try visitor.field("integrity", &integrity)
    try visitor.field("codecs", &codecs)
    try visitor.field("roundedLength", &roundedLength)
  }
}

extension Subtitle: Fielded {
  public static let order = FieldKeys.order(of: Subtitle.self)

  @inlinable public static var blank: Subtitle { Subtitle(url: "", type: nil, lang: nil) }

  @inlinable @inline(__always)
  public mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    try visitor.field("url", &url)
    try visitor.field("type", &type)
    try visitor.field("lang", &lang)
  }
}

extension Chapter: Fielded {
  public static let order = FieldKeys.order(of: Chapter.self)

  @inlinable public static var blank: Chapter { Chapter(start: 0, title: "") }

  @inlinable @inline(__always)
  public mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    try visitor.field("start", &start)
    try visitor.field("title", &title)
  }
}

extension Entry.IDSource: FieldWord {}

extension Entry: Fielded {
  package static var blank: Entry { Entry(id: "", idSource: .guid) }

  @inline(__always)
  package mutating func visit<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    try visitID(&visitor)
    try visitWithoutEnds(&visitor)
    try visitNotes(&visitor)
  }

  /// Visits the id. It comes first in the packed bytes, though it is known only after all items
  /// were read.
  @inline(__always)
  mutating func visitID<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    try visitor.field("id", &id)
    try visitor.field("idSource", &idSource)
  }

  /// Visits the fields between the id and the notes.
  @inline(__always)
  mutating func visitWithoutEnds<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    try visitor.field("skipped", &skipped)
    try visitor.field("published", &published)
    try visitor.field("title", &title)
    try visitor.field("media", &media)
    try visitor.field("alternates", &alternates)
    try visitor.field("duration", &duration)
    try visitor.field("thumbnail", &thumbnail)
    try visitor.field("subtitles", &subtitles)
    try visitor.field("chapters", &chapters)
    try visitor.field("chapterMarks", &chapterMarks)
    try visitor.field("link", &link)
    try visitor.field("season", &season)
    try visitor.field("episode", &episode)
    try visitor.field("option", &option)
    try visitor.field("zone", &zone)
  }

  /// Visits the notes. They come last in the packed bytes, because only the end of the feed shows
  /// whether there is room for them.
  @inline(__always)
  mutating func visitNotes<Visitor: FieldVisitor>(
    _ visitor: inout Visitor
  ) throws(Visitor.Fault) {
    try visitor.field("notes", &notes)
  }
}

// These functions read only some fields from the packed bytes, for code that goes over all entries.
extension PackedArray where Element == Entry {
  /// The id of the entry at `place`.
  package func id(at place: Int) -> String {
    var unpacker = Unpacker(packed[place])
    return unpacker.text()
  }

  /// A hash of everything that the page says about the entry at `place`. It is valid in this
  /// process only, like `EntryIdentity.hash`.
  package func hash(at place: Int) -> Int {
    var hasher = Hasher()
    packed[place].withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  /// The title and the date of the entry at `place`, and the address of its media.
  package func look(at place: Int) -> (title: String, published: Int?, address: String?) {
    var unpacker = Unpacker(packed[place])
    unpacker.skipText()
    _ = unpacker.int()
    unpacker.skipOptionalText()
    let published = unpacker.optionalInt()
    let title = unpacker.text()
    return (title, published, unpacker.bool() ? unpacker.text() : nil)
  }

  /// Whether the entry at `place` has media to play.
  package func isFile(at place: Int) -> Bool {
    var unpacker = Unpacker(packed[place])
    unpacker.skipText()
    _ = unpacker.int()
    unpacker.skipOptionalText()
    _ = unpacker.optionalInt()
    unpacker.skipText()
    return unpacker.bool()
  }

  /// The reason why the entry at `place` is no file.
  package func skipped(at place: Int) -> String? {
    var unpacker = Unpacker(packed[place])
    unpacker.skipText()
    _ = unpacker.int()
    return unpacker.optionalText()
  }

  /// The date of the entry at `place`, in seconds since 1970.
  package func published(at place: Int) -> Int? {
    var unpacker = Unpacker(packed[place])
    unpacker.skipText()
    _ = unpacker.int()
    unpacker.skipOptionalText()
    return unpacker.optionalInt()
  }
}
