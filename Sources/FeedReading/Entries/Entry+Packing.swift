extension Media: Packable {
  package init(from packed: inout Unpacker) {
    url = packed.text()
    type = packed.optionalText()
    length = packed.optionalInt()
    duration = packed.double()
    height = packed.optionalInt()
    bitrate = packed.double()
    lang = packed.optionalText()
    isDefault = packed.bool()
    integrity = packed.optionalText()
    codecs = packed.optionalText()
    roundedLength = packed.optionalInt()
  }

  package func pack(into packer: inout Packer) {
    packer.put(url)
    packer.put(type)
    packer.put(length)
    packer.put(duration)
    packer.put(height)
    packer.put(bitrate)
    packer.put(lang)
    packer.put(isDefault)
    packer.put(integrity)
    packer.put(codecs)
    packer.put(roundedLength)
  }
}

extension Subtitle: Packable {
  package init(from packed: inout Unpacker) {
    self.init(url: packed.text(), type: packed.optionalText(), lang: packed.optionalText())
  }

  package func pack(into packer: inout Packer) {
    packer.put(url)
    packer.put(type)
    packer.put(lang)
  }
}

extension Chapter: Packable {
  package init(from packed: inout Unpacker) {
    self.init(start: packed.double() ?? 0, title: packed.text())
  }

  package func pack(into packer: inout Packer) {
    packer.put(start as Double?)
    packer.put(title)
  }
}

extension Entry: Packable {
  private static let sources: [IDSource] = [.guid, .identifier, .link, .url, .hash]

  package init(from packed: inout Unpacker) {
    self.init(id: packed.text(), idSource: Self.sources[packed.int()])
    skipped = packed.optionalText()
    published = packed.optionalInt()
    title = packed.text()
    media = packed.optional()
    alternates = packed.array()
    duration = packed.double()
    thumbnail = packed.optionalText()
    subtitles = packed.array()
    chapters = packed.optionalText()
    chapterMarks = packed.array()
    link = packed.optionalText()
    season = packed.optionalInt()
    episode = packed.optionalInt()
    option = packed.optionalText()
    zone = packed.optionalInt()
    notes = packed.optionalText()
  }

  package func pack(into packer: inout Packer) {
    Self.packID(id, idSource, into: &packer)
    packWithoutEnds(into: &packer)
    packer.put(notes)
  }

  static func packID(_ id: String, _ source: IDSource, into packer: inout Packer) {
    packer.put(id)
    packer.put(sources.firstIndex(of: source) ?? 0)
  }

  /// Packs what is between the id and the notes.
  func packWithoutEnds(into packer: inout Packer) {
    packer.put(skipped)
    packer.put(published)
    packer.put(title)
    packer.put(media)
    packer.put(alternates)
    packer.put(duration)
    packer.put(thumbnail)
    packer.put(subtitles)
    packer.put(chapters)
    packer.put(chapterMarks)
    packer.put(link)
    packer.put(season)
    packer.put(episode)
    packer.put(option)
    packer.put(zone)
  }
}

// Code that goes over all entries reads only what it needs of each.
extension PackedArray where Element == Entry {
  /// The id of the entry at `place`.
  package func id(at place: Int) -> String {
    var unpacker = Unpacker(packed[place])
    return unpacker.text()
  }

  /// A mark of all that the page says of the entry at `place`. It is valid in this process only, like
  /// `EntryIdentity.mark`.
  package func mark(at place: Int) -> Int {
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

  /// The date of the entry at `place`.
  package func published(at place: Int) -> Int? {
    var unpacker = Unpacker(packed[place])
    unpacker.skipText()
    _ = unpacker.int()
    unpacker.skipOptionalText()
    return unpacker.optionalInt()
  }
}
