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
    title = packed.text()
    published = packed.optionalInt()
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
    skipped = packed.optionalText()
  }

  package func pack(into packer: inout Packer) {
    packer.put(id)
    packer.put(Self.sources.firstIndex(of: idSource) ?? 0)
    packer.put(title)
    packer.put(published)
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
    packer.put(skipped)
  }
}
