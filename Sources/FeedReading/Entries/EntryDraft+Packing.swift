extension Candidate: Packable {
  init(from packed: inout Unpacker) {
    media = Media(from: &packed)
    source = packed.bool() ? .enclosure : .alternative
    isSample = packed.bool()
  }

  func pack(into packer: inout Packer) {
    packer.put(media)
    packer.put(source == .enclosure)
    packer.put(isSample)
  }
}

extension EntryDraft: Packable {
  init(from packed: inout Unpacker) {
    guid = packed.optionalText()
    identifier = packed.optionalText()
    title = packed.text()
    otherTitle = packed.text()
    dates = packed.texts()
    changes = packed.texts()
    link = packed.optionalText()
    otherLink = packed.optionalText()
    candidates = packed.array()
    refusal = packed.optionalText()
    hasPlayer = packed.bool()
    duration = packed.double()
    thumbnail = packed.optionalText()
    subtitles = packed.array()
    chapters = packed.optionalText()
    chapterMarks = packed.array()
    season = packed.optionalInt()
    episode = packed.optionalInt()
  }

  func pack(into packer: inout Packer) {
    packer.put(guid)
    packer.put(identifier)
    packer.put(title)
    packer.put(otherTitle)
    packer.put(dates)
    packer.put(changes)
    packer.put(link)
    packer.put(otherLink)
    packer.put(candidates)
    packer.put(refusal)
    packer.put(hasPlayer)
    packer.put(duration)
    packer.put(thumbnail)
    packer.put(subtitles)
    packer.put(chapters)
    packer.put(chapterMarks)
    packer.put(season)
    packer.put(episode)
  }
}
