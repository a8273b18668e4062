import FeedReading

// The form of an entry in a snapshot. The keys are the names of the properties. Nil values are left
// out. `Codable` would write and read the same form.

extension JSONText {
  mutating func put(_ media: Media) {
    object { text in
      text.member("bitrate", media.bitrate)
      text.member("codecs", media.codecs)
      text.member("duration", media.duration)
      text.member("height", media.height)
      text.member("integrity", media.integrity)
      text.member("isDefault", media.isDefault)
      text.member("lang", media.lang)
      text.member("length", media.length)
      text.member("roundedLength", media.roundedLength)
      text.member("type", media.type)
      text.member("url", media.url)
    }
  }

  mutating func put(_ subtitle: Subtitle) {
    object { text in
      text.member("lang", subtitle.lang)
      text.member("type", subtitle.type)
      text.member("url", subtitle.url)
    }
  }

  mutating func put(_ chapter: Chapter) {
    object { text in
      text.member("start", chapter.start as Double?)
      text.member("title", chapter.title)
    }
  }

  mutating func put(_ body: KnownBody) {
    object { text in
      text.member("checkedAt", body.checkedAt)
      text.member("contentType", body.contentType)
      text.member("date", body.date)
      text.member("entityTag", body.entityTag)
      text.member("freshFor", body.freshFor)
      text.member("lastModified", body.lastModified)
      text.member("length", body.length)
      if body.isMeasured { text.member("measured", true) }
      text.member("untaggedAt", body.untaggedAt)
    }
  }

  mutating func put(_ learned: LearnedFacts) {
    object { text in
      text.member("duration", learned.duration)
      text.member("length", learned.length)
      text.member("liveAt", learned.liveAt)
      text.member("subtitles") { $0.array(learned.subtitles) { $0.put($1) } }
      text.member("thumbnail", learned.thumbnail)
      text.member("title", learned.title)
    }
  }

  private mutating func member(_ key: String, _ body: KnownBody?) {
    if let body { member(key) { $0.put(body) } }
  }

  mutating func put(_ entry: CatalogEntry) {
    object { text in
      text.member("alias", entry.alias)
      text.member("alternates") { $0.array(entry.alternates) { $0.put($1) } }
      if let marks = entry.chapterMarks {
        text.member("chapterMarks") { $0.array(marks) { $0.put($1) } }
      }
      text.member("chapters", entry.chapters)
      text.member("choice", entry.choice)
      text.member("episode", entry.episode)
      text.member("firstSeen", entry.firstSeen)
      text.member("inode") { $0.put(entry.inode) }
      text.member("key", entry.key)
      text.member("known", entry.known)
      if let learned = entry.learned { text.member("learned") { $0.put(learned) } }
      text.member("link", entry.link)
      text.member("linkName", entry.linkName)
      text.member("mark", entry.mark?.rawValue)
      text.member("media") { $0.put(entry.media) }
      text.member("name", entry.numberedName)
      text.member("notes", entry.notes)
      text.member("number", entry.number)
      if let older = entry.older { text.member("older") { $0.array(older) { $0.put($1) } } }
      text.member("outdated", entry.outdated)
      if entry.name != entry.numberedName { text.member("ownName", entry.name) }
      text.member("pageFormat", entry.pageFormat)
      if let pinned = entry.pinned { text.member("pinned", pinned) }
      text.member("presence", entry.presence.rawValue)
      text.member("published", entry.published)
      text.member("season", entry.season)
      text.member("subtitles") { $0.array(entry.subtitles) { $0.put($1) } }
      text.member("thumbnail", entry.thumbnail)
      text.member("title", entry.title)
      text.member("zone", entry.zone)
    }
  }
}

extension StrictJSON {
  mutating func media() throws(Fault) -> Media {
    var media = Media(url: "")
    var (hasURL, hasDefault) = (false, false)
    try object { json, key throws(Fault) in
      switch key {
      case "bitrate": media.bitrate = try json.optionalDouble()
      case "codecs": media.codecs = try json.optionalText()
      case "duration": media.duration = try json.optionalDouble()
      case "height": media.height = try json.optionalInt()
      case "integrity": media.integrity = try json.optionalText()
      case "isDefault": (media.isDefault, hasDefault) = (try json.bool(), true)
      case "lang": media.lang = try json.optionalText()
      case "length": media.length = try json.optionalInt()
      case "roundedLength": media.roundedLength = try json.optionalInt()
      case "type": media.type = try json.optionalText()
      case "url": (media.url, hasURL) = (try json.text(), true)
      default: try json.skip()
      }
    }
    guard hasURL, hasDefault else { throw Fault() }
    return media
  }

  mutating func subtitle() throws(Fault) -> Subtitle {
    var subtitle = Subtitle(url: "", type: nil, lang: nil)
    var hasURL = false
    try object { json, key throws(Fault) in
      switch key {
      case "lang": subtitle.lang = try json.optionalText()
      case "type": subtitle.type = try json.optionalText()
      case "url": (subtitle.url, hasURL) = (try json.text(), true)
      default: try json.skip()
      }
    }
    guard hasURL else { throw Fault() }
    return subtitle
  }

  mutating func chapter() throws(Fault) -> Chapter {
    var chapter = Chapter(start: 0, title: "")
    try object { json, key throws(Fault) in
      switch key {
      case "start": chapter.start = try json.optionalDouble() ?? 0
      case "title": chapter.title = try json.text()
      default: try json.skip()
      }
    }
    return chapter
  }

  mutating func knownBody() throws(Fault) -> KnownBody {
    var body = KnownBody(length: 0, checkedAt: 0, freshFor: 0)
    var found = 0
    try object { json, key throws(Fault) in
      switch key {
      case "checkedAt": (body.checkedAt, found) = (try json.int(), found + 1)
      case "contentType": body.contentType = try json.optionalText()
      case "date": body.date = try json.optionalText()
      case "entityTag": body.entityTag = try json.optionalText()
      case "freshFor": (body.freshFor, found) = (try json.int(), found + 1)
      case "lastModified": body.lastModified = try json.optionalText()
      case "length": (body.length, found) = (try json.int(), found + 1)
      case "measured": body.isMeasured = try json.bool()
      case "untaggedAt": body.untaggedAt = try json.optionalText()
      default: try json.skip()
      }
    }
    guard found == 3 else { throw Fault() }
    return body
  }

  mutating func learnedFacts() throws(Fault) -> LearnedFacts {
    var learned = LearnedFacts(subtitles: [])
    try object { json, key throws(Fault) in
      switch key {
      case "duration": learned.duration = try json.optionalDouble()
      case "length": learned.length = try json.optionalInt()
      case "liveAt": learned.liveAt = try json.optionalInt()
      case "subtitles":
        learned.subtitles = try json.array { json throws(Fault) in try json.subtitle() }
      case "thumbnail": learned.thumbnail = try json.optionalText()
      case "title": learned.title = try json.optionalText()
      default: try json.skip()
      }
    }
    return learned
  }

  mutating func optionalText() throws(Fault) -> String? {
    try optional { json throws(Fault) in try json.text() }
  }

  mutating func optionalDouble() throws(Fault) -> Double? {
    try optional { json throws(Fault) in try json.double() }
  }

  mutating func optionalInt() throws(Fault) -> Int? {
    try optional { json throws(Fault) in try json.int() }
  }

  mutating func optionalBody() throws(Fault) -> KnownBody? {
    try optional { json throws(Fault) in try json.knownBody() }
  }
}

extension CatalogEntry {
  /// Reads an entry that `JSONText` wrote.
  init(from json: inout StrictJSON) throws(StrictJSON.Fault) {
    typealias Fault = StrictJSON.Fault
    var fields = Fields()
    try json.object { json, key throws(Fault) in try fields.take(key, &json) }
    guard let number = fields.number, let name = fields.name, let key = fields.key,
      let inode = fields.inode, let presence = fields.presence, let firstSeen = fields.firstSeen,
      let title = fields.title, let media = fields.media, let alternates = fields.alternates,
      let subtitles = fields.subtitles
    else { throw Fault() }
    self.number = number
    self.name = fields.ownName.flatMap { Self.isOwn($0, insteadOf: name) ? $0 : nil } ?? name
    self.key = key
    self.inode = inode
    self.presence = presence
    self.firstSeen = firstSeen
    self.title = title
    self.media = media
    self.alternates = alternates
    self.subtitles = subtitles
    alias = fields.alias
    published = fields.published
    link = fields.link
    thumbnail = fields.thumbnail
    season = fields.season
    zone = fields.zone
    episode = fields.episode
    linkName = fields.linkName
    choice = fields.choice
    pinned = fields.pinned
    known = fields.known
    outdated = fields.outdated
    older = fields.older
    learned = fields.learned
    mark = fields.mark
    notes = fields.notes
    pageFormat = fields.pageFormat
    chapters = fields.chapters
    chapterMarks = fields.chapterMarks
  }

  /// Whether a file that has the name `numbered` in a snapshot can have this name instead.
  private static func isOwn(_ name: String, insteadOf numbered: String) -> Bool {
    FileName.fileExtension(of: name).lowercased() == FileName.fileExtension(of: numbered)
  }

  private struct Fields {
    var number, firstSeen, published, season, episode, zone: Int?
    var name, ownName, key, alias, title, link, thumbnail, linkName, choice, pageFormat,
      notes: String?
    var chapters: String?
    var inode: UInt64?
    var presence: Presence?
    var media: Media?
    var alternates: [Media]?
    var subtitles: [Subtitle]?
    var chapterMarks: [Chapter]?
    var pinned: Bool?
    var known, outdated: KnownBody?
    var learned: LearnedFacts?
    var mark: EntryMark?
    var older: [KnownBody]?

    mutating func take(_ field: String, _ json: inout StrictJSON) throws(StrictJSON.Fault) {
      typealias Fault = StrictJSON.Fault
      switch field {
      case "alias": alias = try json.optionalText()
      case "alternates": alternates = try json.array { json throws(Fault) in try json.media() }
      case "chapterMarks":
        chapterMarks = try json.optional { json throws(Fault) in
          try json.array { json throws(Fault) in try json.chapter() }
        }
      case "chapters": chapters = try json.optionalText()
      case "choice": choice = try json.optionalText()
      case "episode": episode = try json.optionalInt()
      case "firstSeen": firstSeen = try json.int()
      case "inode": inode = try json.int()
      case "key": key = try json.text()
      case "known": known = try json.optionalBody()
      case "learned":
        learned = try json.optional { json throws(Fault) in try json.learnedFacts() }
      case "link": link = try json.optionalText()
      case "linkName": linkName = try json.optionalText()
      // An unknown mark is of a later feedfs.
      case "mark": mark = try json.optionalText().flatMap(EntryMark.init)
      case "media": media = try json.media()
      case "name": name = try json.text()
      case "notes": notes = try json.optionalText()
      case "number": number = try json.int()
      case "older":
        older = try json.optional { json throws(Fault) in
          try json.array { json throws(Fault) in try json.knownBody() }
        }
      case "outdated": outdated = try json.optionalBody()
      case "ownName": ownName = try json.optionalText()
      case "pageFormat": pageFormat = try json.optionalText()
      case "pinned": pinned = try json.optional { json throws(Fault) in try json.bool() }
      case "presence":
        guard let known = Presence(rawValue: try json.text()) else { throw Fault() }
        presence = known
      case "published": published = try json.optionalInt()
      case "season": season = try json.optionalInt()
      case "subtitles": subtitles = try json.array { json throws(Fault) in try json.subtitle() }
      case "thumbnail": thumbnail = try json.optionalText()
      case "title": title = try json.text()
      case "zone": zone = try json.optionalInt()
      default: try json.skip()
      }
    }
  }
}
